// Outcomes that an older version sealed, with what it left out: they outlive an update by their retention.

import type { AgeOutcome } from '@limen/contract';
import { compareAge, type ThresholdResult } from '@limen/plan';
import { fillSignals, type OlderRisk } from '../../core/risk/fill-signals.ts';
import type { AgeSessionOutcome } from './result.ts';
import type { AgeSettings } from './rules.ts';

interface OlderFinding {
  /** Left out where the host had asked for the age alone. */
  thresholdResult?: ThresholdResult;
  exact?: number;
  lowerBound?: number;
}

export type OlderOutcome = Omit<AgeSessionOutcome, 'result' | 'riskEvaluation'> & {
  riskEvaluation: OlderRisk;
  /** Left out where nothing was found. */
  result?: Omit<AgeOutcome, 'documentAge' | 'facialAgeEstimation'> & {
    documentAge?: OlderFinding;
    facialAgeEstimation?: OlderFinding;
  };
};

/** Says nothing new: what was compared then is compared again. */
export function completeOutcome(settings: AgeSettings, outcome: OlderOutcome): AgeSessionOutcome {
  const { documentAge, facialAgeEstimation, ...result } = outcome.result ?? {};
  const { documentAgeThreshold, ageThreshold } = settings;
  return {
    ...outcome,
    riskEvaluation: fillSignals(outcome.riskEvaluation, true),
    result: {
      ...result,
      ...(documentAge && { documentAge: complete(documentAge, documentAge.exact, documentAgeThreshold) }),
      ...(facialAgeEstimation && {
        facialAgeEstimation: complete(facialAgeEstimation, facialAgeEstimation.lowerBound, ageThreshold),
      }),
    },
  };
}

function complete(found: OlderFinding, compared: number | undefined, threshold: number) {
  return { ...found, thresholdResult: found.thresholdResult ?? compareAge(compared ?? Number.NaN, threshold) };
}
