// Renders docs/reference/risk.md from the table of risk flags.
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

| Flag | Weight | Alone | Indicator | Meaning | Raised innocently by |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
  });
  const page = `# Risk flags

<!-- Generated from apps/server/src/sessions/risk/table.ts by \`npm run docs\`; do not edit. -->

Every flag that \`riskEvaluation\` can carry, with its weight and its effect on an otherwise clean session ([how risk is
evaluated](age-sessions.md#risk)).

| Level | Score |
|---|---|
${levels.join('\n')}

## Findings

| Flag | Weight | Alone | Meaning | Raised innocently by |
|---|---|---|---|---|
${findings.join('\n')}

## Behavior

| Flag | Weight | Alone | Meaning | Raised when |
|---|---|---|---|---|
${behavior.join('\n')}

## Document

| Flag | Weight | Alone | Sign | Meaning | Raised innocently by |
|---|---|---|---|---|---|
${document.join('\n')}

## Browser

${browser.join('\n')}
## Camera

| Flag | Weight | Alone | Sign | Meaning | Raised innocently by |
|---|---|---|---|---|---|
${camera.join('\n')}
`;
  // Links in the table are relative to docs/.
  return page.replace(/\]\((?=[\w-]+\.md)/g, '](../');
}

function browserRow(flag: BrowserFlag, name: string, description: string): string {
  const { code, weight, innocent } = flag;
  return `| \`${code}\` | ${weight} | ${effectOf(flag)} | \`${name}\` | ${description} | ${innocent || 'none known'} |`;
}

function descriptionOf(schema: object = {}): string {
  if ('description' in schema && typeof schema.description === 'string') return schema.description;
  throw new Error('Every indicator of the contract needs a description.');
}

function limitOf(flag: BehaviorFlag): string {
  return 'below' in flag ? `\`${flag.measure}\` below ${flag.below}` : `\`${flag.measure}\` ${flag.atLeast} or more`;
}

/** The one flag whose effect depends on a session setting. */
function findingEffectOf(flag: FindingFlag): string {
  return flag.code === FINDING_FLAGS.crossDevice.code ? 'review, or nothing: `handoff` decides' : effectOf(flag);
}

/** Effect of the flag on an otherwise clean session. */
function effectOf({ weight, atBest }: RiskFlag): string {
  const level = LEVELS.findLast(({ from }) => weight >= from)?.level;
  if (atBest) return atBest === 'BLOCK' ? 'blocks' : 'review';
  if (weight === 0) return 'nothing';
  if (level === 'CRITICAL') return 'blocks';
  return level === 'LOW' ? 'weak' : 'review';
}
