// docs/risk.md from the table of risk flags.
import {
  BEHAVIOR_FLAGS,
  type BehaviorFlag,
  BROWSER_FLAGS,
  type BrowserFlag,
  CAMERA_FLAGS,
  DOCUMENT_FLAGS,
  FINDING_FLAGS,
  type FindingFlag,
  LEVELS,
  type RiskFlag,
} from '../../apps/server/src/sessions/risk/table.ts';
import { Indicators } from '../../packages/contract/src/risk.ts';
import { CAMERA_SIGNS, type CameraSign } from '../../packages/plan/src/indicators.ts';

export function renderRisk(): string {
  const levels = LEVELS.map(({ level, from }, at) => `| ${level} | ${from} to ${(LEVELS[at + 1]?.from ?? 101) - 1} |`);
  const behavior = BEHAVIOR_FLAGS.map(
    (flag) => `| \`${flag.code}\` | ${flag.weight} | ${effectOf(flag)} | ${flag.meaning} | ${limitOf(flag)} |`,
  );
  const findings = Object.values<FindingFlag>(FINDING_FLAGS).map(
    (flag) => `| \`${flag.code}\` | ${flag.weight} | ${findingEffectOf(flag)} | ${flag.meaning} | ${flag.innocent} |`,
  );
  const document = Object.entries(DOCUMENT_FLAGS).map(
    ([sign, flag]) =>
      `| \`${flag.code}\` | ${flag.weight} | ${effectOf(flag)} | \`${sign}\` | ${flag.meaning} | ${flag.innocent} |`,
  );
  const camera = Object.entries(CAMERA_FLAGS).map(([sign, flag]) =>
    browserRow(flag, sign, CAMERA_SIGNS[sign as CameraSign]),
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

<!-- Generated from apps/server/src/sessions/risk/table.ts by \`npm run docs\`; do not edit. -->

Every session that has ended carries \`riskEvaluation\`. Its score is the sum of the weights of all flags raised, at most
100, so another flag never lowers it. \`signals\` gives the same sum for each source: \`browser\`, and \`behavioral\` for
everything else. In [age sessions](age-sessions.md) both are always there, with score 0 and no flags if there is no data. In
[verification sessions](verification.md) \`behavioral\` is always null, but what would be in it still counts in score, flags
and recommendation.

| Level | Score |
|---|---|
${levels.join('\n')}

Act on \`recommendation\`:

- \`BLOCK\` if the level is CRITICAL, or a flag is raised that blocks whatever the score: a spoof, a face that is not the
  document's, an answer that was forged or replayed, and in age sessions an age below the threshold.
- \`ALLOW\` if the level is LOW, the flow was completed without errors, no flag asks for a review, and the session found what
  it was looking for: an age at or above the threshold in age sessions, the person in verification sessions.
- \`REVIEW\` otherwise. In age sessions that includes a face whose lower bound alone is below the threshold.

## How to read it

The column "Alone" says what a flag does to an otherwise clean session:

| Alone | Recommendation |
|---|---|
| blocks | \`BLOCK\` |
| review | \`REVIEW\` |
| weak | \`ALLOW\`: it takes several such flags to make a \`REVIEW\` |
| nothing | \`ALLOW\`: the flag weighs nothing and only tells you something |

A flag with a small weight can still mean review or block: it then asks for that whatever the score.

No single browser flag blocks, nor do all weak ones of \`indicators\` and behaviour together. Other products have taken Brave, Firefox with developer tools,
the Phantom wallet, WeChat and ungoogled-chromium for bots. Our tests give each the flags to be expected of it, which are
not recordings, and check that it is allowed. Weights and time limits are judgements, not measurements.

Browser signals and the step log come from the page, and whoever controls the page can fake them. They catch careless
automation. A browser cannot prove what its camera or its code is: an injected video that follows the challenges at human
speed raises none of these flags. What the server sees for itself cannot be faked: a replayed answer, or one that does not
fit the plan, blocks.

## Findings

What the session found out about the person.

| Flag | Weight | Alone | Meaning | Raised innocently by |
|---|---|---|---|---|
${findings.join('\n')}

## Behaviour

What the service counted and timed. Milliseconds are those of the step log, unless the server's clock is named.

| Flag | Weight | Alone | Meaning | Raised when |
|---|---|---|---|---|
${behavior.join('\n')}

## Document

Signs that the device found while it read a document. They count as behaviour, under \`signals.behavioral\`. A weight of 25
raises any score by a level. They are found in pictures, so honest documents raise them now and then and good copies do not;
whoever controls the page can leave them out.

| Flag | Weight | Alone | Sign | Meaning | Raised innocently by |
|---|---|---|---|---|---|
${document.join('\n')}

## Browser

${browser.join('\n')}
## Camera

Signs that the page found in the camera's stream. They are not in \`indicators\`, and count under \`signals.browser\`. None
blocks alone; any two are at least a \`REVIEW\`.

| Flag | Weight | Alone | Sign | Meaning | Raised innocently by |
|---|---|---|---|---|---|
${camera.join('\n')}
`;
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

/** The one flag whose effect depends on a setting of the session. */
function findingEffectOf(flag: FindingFlag): string {
  return flag.code === FINDING_FLAGS.crossDevice.code ? 'review, or nothing: `handoff` decides' : effectOf(flag);
}

/** What the flag does to a session that is clean otherwise. */
function effectOf({ weight, atBest }: RiskFlag): string {
  const level = LEVELS.findLast(({ from }) => weight >= from)?.level;
  if (atBest) return atBest === 'BLOCK' ? 'blocks' : 'review';
  if (weight === 0) return 'nothing';
  if (level === 'CRITICAL') return 'blocks';
  return level === 'LOW' ? 'weak' : 'review';
}
