// Risk of a session of either kind: the browser's signals and what is made of them.
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
    headless: flags('headless', 'Signs of a browser without a person in front of it.'),
    virtualCamera: flags('virtualCamera', 'Signs of a camera that is not a real one.'),
    browserAnomalies: flags('browserAnomalies', 'Other oddities in the browser.'),
  } satisfies Record<IndicatorGroup, unknown>,
  { $id: 'Indicators', description: 'Raw browser signals as the page saw them; `true` means suspicious.' },
);
export type Indicators = Static<typeof Indicators>;

/** For the test mode: what is left out is false. */
export const SimulatedRisk = {
  flags: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      uniqueItems: true,
      maxItems: 64,
      description:
        'Codes of the risk flags to raise (docs/reference/risk.md). Browser flags also set their indicator. Handoff flags need a session that allows a handoff; document flags need an outcome that reads a document. Score, level and recommendation follow as they would for a device.',
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
        description:
          'Browser signals as the page would have seen them. Those left out are false; an unknown name is refused.',
      },
    ),
  ),
};

const Score = Type.Number({ minimum: 0, maximum: 100 });
const Flags = Type.Array(Type.String(), { description: 'Codes of what contributed, heaviest first.' });

export const RiskSignal = Type.Object(
  { score: Score, flags: Flags },
  { $id: 'RiskSignal', description: 'What one source contributed.' },
);
export type RiskSignal = Static<typeof RiskSignal>;

export const RiskEvaluation = Type.Object(
  {
    score: Score,
    level: Type.Union([Type.Literal('LOW'), Type.Literal('MEDIUM'), Type.Literal('HIGH'), Type.Literal('CRITICAL')], {
      description: '`LOW` below 25, `MEDIUM` below 50, `HIGH` below 75, then `CRITICAL`.',
    }),
    recommendation: Type.Union([Type.Literal('ALLOW'), Type.Literal('REVIEW'), Type.Literal('BLOCK')], {
      description:
        'What to act on. `ALLOW` needs level `LOW`, a completed flow, no errors, no flag that forbids it and, in age sessions, an age at or above the threshold. `BLOCK` is level `CRITICAL`, a spoof, a face that is not the document’s, an answer that was forged or replayed and, in age sessions, an age below the threshold. Everything else is `REVIEW`, including a face whose lower bound alone is below the threshold.',
    }),
    flags: Flags,
    signals: Type.Object({
      behavioral: Type.Union([ref(RiskSignal), Type.Null()], {
        description:
          'How the session went and what it found. Always null in verification sessions, where it still counts in the score.',
      }),
      browser: ref(RiskSignal, 'Empty without browser data.'),
    }),
  },
  { $id: 'RiskEvaluation' },
);
export type RiskEvaluation = Static<typeof RiskEvaluation>;
