// Outcomes that an older version sealed, with what it left out: they outlive an update by their retention.

import { compareAge } from '@limen/plan';
import { fillSignals } from '../../core/risk/fill-signals.ts';
import type { AgeSessionOutcome, AgeSettings, OlderFinding, SealedAgeOutcome } from '../../core/sessions/kinds/age.ts';

/** Says nothing new: what was compared then is compared again. */
export function completeOutcome(settings: AgeSettings, outcome: SealedAgeOutcome): AgeSessionOutcome {
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
