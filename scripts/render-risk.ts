// docs/risk.md from the table of risk flags.
import {
  BEHAVIOR_FLAGS,
  type BehaviorFlag,
  BROWSER_FLAGS,
  type BrowserFlag,
  DOCUMENT_FLAGS,
  FINDING_FLAGS,
  type FindingFlag,
  LEVELS,
  type RiskFlag,
} from '../apps/server/src/core/risk/risk-table.ts';
import { Indicators } from '../packages/contract/src/risk.ts';

export function renderRisk(): string {
  const levels = LEVELS.map(({ level, from }, at) => `| ${level} | ${from} to ${(LEVELS[at + 1]?.from ?? 101) - 1} |`);
  const behavior = BEHAVIOR_FLAGS.map(
    (flag) => `| \`${flag.code}\` | ${flag.weight} | ${effectOf(flag)} | ${flag.meaning} | ${limitOf(flag)} |`,
  );
  const findings = Object.values<FindingFlag>(FINDING_FLAGS).map(
    (flag) => `| \`${flag.code}\` | ${flag.weight} | ${effectOf(flag)} | ${flag.meaning} | ${flag.innocent} |`,
  );
  const document = Object.entries(DOCUMENT_FLAGS).map(
    ([sign, flag]) =>
      `| \`${flag.code}\` | ${flag.weight} | ${effectOf(flag)} | \`${sign}\` | ${flag.meaning} | ${flag.innocent} |`,
  );
  const browser = Object.entries(Indicators.properties).map(([group, schema]) => {
    const flags: Record<string, BrowserFlag> = BROWSER_FLAGS[group as keyof Indicators];
    const indicators: Record<string, object> = schema.properties;
    const rows = Object.entries(flags).map(([name, flag]) => browserRow(flag, name, descriptionOf(indicators[name])));
    return `### \`indicators.${group}\`

${descriptionOf(schema)}

| Flag | Weight | Alone | Indicator | Meaning | Raised innocently by |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
  });
  return `# Risk evaluation

<!-- Generated from apps/server/src/core/risk/risk-table.ts by \`npm run docs\`; do not edit. -->

Each ended session carries \`riskEvaluation\`. Its score is the sum of the weights of all flags raised, at most 100, so
another flag never lowers it. \`signals\` has the same sum for each source apart: \`browser\`, and \`behavioral\` for all
else. In area C both are always there, with score 0 and no flags where there is no data. In area D \`behavioral\` is always
null, and what would be in it counts in score, flags and recommendation all the same.

| Level | Score |
|---|---|
${levels.join('\n')}

\`recommendation\` is what to act on. It is the worst that any of these lines asks for:

- \`BLOCK\` when the level is CRITICAL, or a flag is raised that blocks whatever the score is: a spoof, a face that is not
  the document's, an answer that was forged or replayed, and in area C an age below the threshold.
- \`ALLOW\` when the level is LOW, \`flowStatus\` is COMPLETED, there are no errors, no flag asks for a review, and the
  session found what it was to find: in area C an age at or above the threshold, in area D the person.
- \`REVIEW\` otherwise. So is, in area C, a face of which only the lower bound is below the threshold.

## How to read it

"Alone" is what a flag does to a session that is clean otherwise: one that is weak lowers nothing by itself. Where the
weight would say less, the flag asks for it whatever the score is.

No browser flag blocks alone, nor do all weak ones together. Brave, Firefox with developer tools, the Phantom wallet,
WeChat and ungoogled-chromium have been taken for bots by others. Tests give each the flags to be expected of it, which
are not recordings, and hold that it is allowed. Weights and limits on times are judgements, not measurements.

Browser signals and the step log come from the page, and whoever controls the page can make them up. They catch careless
automation. A browser cannot prove its camera or its code: an injected video that follows the challenges in human time
raises none of these flags. What the server sees itself cannot be made up: a replayed answer and one that does not fit
the plan block.

## Findings

What the end found out about the person.

| Flag | Weight | Alone | Meaning | Raised innocently by |
|---|---|---|---|---|
${findings.join('\n')}

## Behaviour

What the service counted and timed. Figures in milliseconds are of the step log, unless the server's clock is named.

| Flag | Weight | Alone | Meaning | Raised when |
|---|---|---|---|---|
${behavior.join('\n')}

## Document

Signs that the device found while it read a document. They count with the behaviour, under \`signals.behavioral\`. A
weight of 25 lifts any score by a level. They are found in pictures, so honest documents raise them now and then and good
copies do not; whoever controls the page can leave them out.

| Flag | Weight | Alone | Sign | Meaning | Raised innocently by |
|---|---|---|---|---|---|
${document.join('\n')}

## Browser

${browser.join('\n')}`;
}

function browserRow(flag: BrowserFlag, name: string, description: string): string {
  const { code, weight, innocent } = flag;
  return `| \`${code}\` | ${weight} | ${effectOf(flag)} | \`${name}\` | ${description} | ${innocent || 'nobody known'} |`;
}

function descriptionOf(schema: object = {}): string {
  if ('description' in schema && typeof schema.description === 'string') return schema.description;
  throw new Error('Every indicator of the contract needs a description.');
}

function limitOf(flag: BehaviorFlag): string {
  return 'below' in flag ? `\`${flag.measure}\` below ${flag.below}` : `\`${flag.measure}\` ${flag.atLeast} or more`;
}

/** What the flag does to a session that is clean otherwise. */
function effectOf({ weight, atBest }: RiskFlag): string {
  const level = LEVELS.findLast(({ from }) => weight >= from)?.level;
  if (atBest) return atBest === 'BLOCK' ? 'blocks' : 'review';
  if (weight === 0) return 'nothing';
  if (level === 'CRITICAL') return 'blocks';
  return level === 'LOW' ? 'weak' : 'review';
}
