// Outcomes of before an update: complete, and saying nothing that they did not say then.
import { expect, it } from 'vitest';
import type { AgeSettings, SealedAgeOutcome } from '../../core/sessions/kinds/age.ts';
import { completeOutcome } from './older-outcome.ts';

const SETTINGS: AgeSettings = {
  requirements: ['face'],
  ageThreshold: 25,
  documentAgeThreshold: 18,
  faceMatchThreshold: 0.42,
  stepUpEnabled: true,
  facialAgeEstimationReturnFormat: 'exact',
  documentAgeReturnFormat: 'exact',
};
const RISK = { score: 0, level: 'LOW', recommendation: 'REVIEW', flags: [] } as const;
const NOTHING = { score: 0, flags: [] };

it('one in which nothing was found gets an empty result and both signals', () => {
  const older: SealedAgeOutcome = {
    sessionStatus: 'AGE_UNKNOWN',
    flowStatus: 'EXPIRED',
    errors: [],
    riskEvaluation: { ...RISK, flags: [], signals: { behavioral: null, browser: null } },
  };
  expect(completeOutcome(SETTINGS, older)).toEqual({
    ...older,
    result: {},
    riskEvaluation: { ...RISK, signals: { behavioral: NOTHING, browser: NOTHING } },
  });
});

it('one that told ages alone gets where they stand, each by what it was compared with', () => {
  const seen = { score: 3, flags: ['BEHAVIOR_RETRIES'] };
  const older: SealedAgeOutcome = {
    sessionStatus: 'AGE_ABOVE_THRESHOLD',
    flowStatus: 'COMPLETED',
    errors: [],
    riskEvaluation: { ...RISK, flags: [], signals: { behavioral: seen, browser: seen } },
    result: { age: 21, documentAge: { exact: 21 }, facialAgeEstimation: { exact: 26, lowerBound: 24.9 } },
  };
  expect(completeOutcome(SETTINGS, older)).toEqual({
    ...older,
    result: {
      age: 21,
      documentAge: { exact: 21, thresholdResult: 'AGE_ABOVE_THRESHOLD' },
      facialAgeEstimation: { exact: 26, lowerBound: 24.9, thresholdResult: 'AGE_BELOW_THRESHOLD' },
    },
  });
});
