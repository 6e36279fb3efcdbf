// docs/risk.md from the table of risk flags.
import {
  BEHAVIOR_FLAGS,
  type BehaviorFlag,
  BROWSER_FLAGS,
  type BrowserFlag,
  DOCUMENT_FLAGS,
  LEVELS,
  NEW_DEVICE_FLAG,
} from '../apps/server/src/core/risk/risk-table.ts';
import { Indicators } from '../packages/contract/src/risk.ts';

export function renderRisk(): string {
  const levels = LEVELS.map(({ level, from }, at) => `| ${level} | ${from} to ${(LEVELS[at + 1]?.from ?? 101) - 1} |`);
  const behavior = BEHAVIOR_FLAGS.map(
    (flag) => `| \`${flag.code}\` | ${flag.weight} | ${effectOf(flag.weight)} | ${flag.meaning} | ${limitOf(flag)} |`,
  );
  const document = Object.entries(DOCUMENT_FLAGS).map(
    ([sign, { code, weight, meaning, innocent }]) =>
      `| \`${code}\` | ${weight} | ${effectOf(weight)} | \`${sign}\` | ${meaning} | ${innocent} |`,
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
another flag never lowers it. \`signals\` has the same sum for each source apart; a source without data is null.

| Level | Score |
|---|---|
${levels.join('\n')}

\`recommendation\` follows from level and end:

- \`BLOCK\` when the level is CRITICAL.
- \`ALLOW\` when the level is LOW, \`flowStatus\` is COMPLETED and there are no errors. So an end without a decision is
  never allowed. In area D the session must have succeeded, and not on a new device.
- \`REVIEW\` otherwise.

It speaks of risk alone. Whether the age suffices is in \`sessionStatus\`: somebody under age who did nothing odd is
\`ALLOW\`.

## How to read it

No browser flag blocks alone, nor do all weak ones together. Brave, Firefox with developer tools, the Phantom wallet,
WeChat and ungoogled-chromium have been taken for bots by others. Tests give each the flags to be expected of it, which
are not recordings, and hold that it is allowed. Weights and limits on times are judgements, not measurements.

Browser signals and the step log come from the page, and whoever controls the page can make them up. They catch careless
automation. A browser cannot prove its camera or its code: an injected video that follows the challenges in human time
raises none of these flags. What the server sees itself cannot be made up: a replayed answer and one that does not fit
the plan block.

## Behaviour

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

## New device

| Flag | Weight | Alone | Meaning | Raised innocently by |
|---|---|---|---|---|
| \`${NEW_DEVICE_FLAG.code}\` | ${NEW_DEVICE_FLAG.weight} | review | ${NEW_DEVICE_FLAG.meaning} | ${NEW_DEVICE_FLAG.innocent} |

In area D \`signals.behavioral\` is always null. What a document shows counts there too, in score and flags alone.

## Browser

${browser.join('\n')}`;
}

function browserRow({ code, weight, innocent }: BrowserFlag, name: string, description: string): string {
  return `| \`${code}\` | ${weight} | ${effectOf(weight)} | \`${name}\` | ${description} | ${innocent || 'nobody known'} |`;
}

function descriptionOf(schema: object = {}): string {
  if ('description' in schema && typeof schema.description === 'string') return schema.description;
  throw new Error('Every indicator of the contract needs a description.');
}

function limitOf(flag: BehaviorFlag): string {
  return 'below' in flag ? `\`${flag.measure}\` below ${flag.below}` : `\`${flag.measure}\` ${flag.atLeast} or more`;
}

/** What the flag does to a session that is clean otherwise. */
function effectOf(weight: number): string {
  const level = LEVELS.findLast(({ from }) => weight >= from)?.level;
  if (weight === 0) return 'nothing';
  if (level === 'CRITICAL') return 'blocks';
  return level === 'LOW' ? 'weak' : 'review';
}
