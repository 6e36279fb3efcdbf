// Evaluations of sessions that ended under an older version, which left a signal without data out.
import type { RiskEvaluation, RiskSignal } from '@limen/contract';

const EMPTY: RiskSignal = { score: 0, flags: [] };

export type OlderRisk = Omit<RiskEvaluation, 'signals'> & {
  signals: { [S in keyof RiskEvaluation['signals']]: RiskSignal | null };
};

/** Sealed results outlive an update by their retention at most. */
export function fillSignals(risk: OlderRisk, tellsBehavior: boolean): RiskEvaluation {
  const { behavioral, browser } = risk.signals;
  return {
    ...risk,
    signals: { behavioral: tellsBehavior ? (behavioral ?? EMPTY) : null, browser: browser ?? EMPTY },
  };
}
