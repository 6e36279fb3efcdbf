// Risk of a session of either kind: browser signals and their evaluation.
import { INDICATORS, type IndicatorGroup, type IndicatorName } from '@limen/plan';
import { type Static, type TBoolean, Type } from 'typebox';
import { ref } from './ref.ts';

const flags = <Group extends IndicatorGroup>(group: Group, description: string) => {
  const described = Object.entries<string>(INDICATORS[group]).map(([name, means]) => [name, flag(means)]);
  return Type.Object(Object.fromEntries(described) as Record<IndicatorName<Group>, TBoolean>, { description });
};
const flag = (description: string) => Type.Boolean({ description });

export const Indicators = Type.Object(
  {
    headless: flags('headless', 'Signs of an automated browser without a user.'),
    virtualCamera: flags('virtualCamera', 'Signs of a camera that is not physical.'),
    browserAnomalies: flags('browserAnomalies', 'Other anomalies of the browser.'),
  } satisfies Record<IndicatorGroup, unknown>,
  { $id: 'Indicators', description: 'Raw browser signals as seen by the page. `true` means suspicious.' },
);
export type Indicators = Static<typeof Indicators>;

/** Test mode. Omitted indicators are false. */
export const SimulatedRisk = {
  flags: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      uniqueItems: true,
      maxItems: 64,
      description:
        'Codes of the risk flags to raise (docs/reference/risk.md). Browser flags also set their indicator. Handoff flags require a session that allows a handoff. Document flags require an outcome that reads a document. Score, level and recommendation are computed as for a real device.',
    }),
  ),
  indicators: Type.Optional(
    Type.Partial(
      Type.Object({
        headless: Type.Partial(Indicators.properties.headless),
        virtualCamera: Type.Partial(Indicators.properties.virtualCamera),
        browserAnomalies: Type.Partial(Indicators.properties.browserAnomalies),
      }),
      {
        description: 'Browser signals to simulate. Omitted ones are false. Unknown names are rejected.',
      },
    ),
  ),
};

const Score = Type.Number({ minimum: 0, maximum: 100 });
const Flags = Type.Array(Type.String(), { description: 'Codes of the contributing flags, highest weight first.' });

export const RiskSignal = Type.Object(
  { score: Score, flags: Flags },
  { $id: 'RiskSignal', description: 'Contribution of one source.' },
);
export type RiskSignal = Static<typeof RiskSignal>;

export const RiskEvaluation = Type.Object(
  {
    score: Score,
    level: Type.Union([Type.Literal('LOW'), Type.Literal('MEDIUM'), Type.Literal('HIGH'), Type.Literal('CRITICAL')], {
      description: '`LOW` below 25, `MEDIUM` below 50, `HIGH` below 75, otherwise `CRITICAL`.',
    }),
    recommendation: Type.Union([Type.Literal('ALLOW'), Type.Literal('REVIEW'), Type.Literal('BLOCK')], {
      description:
        'Recommended action. `ALLOW` requires level `LOW`, a completed flow, no errors and no flag that forbids it; age sessions also require an age at or above the threshold. `BLOCK` results from level `CRITICAL`, a spoof, a face that does not match the document, or a forged or replayed answer; in age sessions also from an age below the threshold. Everything else is `REVIEW`, including a face of which only the lower bound is below the threshold.',
    }),
    flags: Flags,
    signals: Type.Object({
      behavioral: Type.Union([ref(RiskSignal), Type.Null()], {
        description:
          'How the session went and what it found. Always null in verification sessions, where it still counts toward the score.',
      }),
      browser: ref(RiskSignal, 'Empty without browser data.'),
    }),
  },
  { $id: 'RiskEvaluation' },
);
export type RiskEvaluation = Static<typeof RiskEvaluation>;
