// Settings of an age session and answers to it. Tests override what matters to them.

import type { DocumentAnswer, FaceAnswer } from '../../src/sessions/age/rules.ts';
import type { AgeSettings } from '../../src/sessions/lifecycle/kinds.ts';

// All thresholds differ, and all estimates but one exceed their threshold, so that a wrong
// comparison shows.
export const settings: AgeSettings = {
  requirements: ['face'],
  ageThreshold: 25,
  documentAgeThreshold: 18,
  faceMatchThreshold: 0.42,
  stepUpEnabled: false,
  facialAgeEstimationReturnFormat: 'threshold',
  documentAgeReturnFormat: 'threshold',
};
export const FACES = {
  none: undefined,
  young: { spoof: false, estimate: 24.99, lowerBound: 20.5 },
  below: { spoof: false, estimate: 27.4, lowerBound: 24.99 },
  at: { spoof: false, estimate: 30.2, lowerBound: 25.9 },
  above: { spoof: false, estimate: 33.7, lowerBound: 26 },
  spoof: { spoof: true },
} satisfies Record<string, FaceAnswer | undefined>;
export const PAPER = {
  type: 'passport',
  country: 'NLD',
  verifiedAt: '2026-03-01T12:00:00Z',
  signs: [],
} satisfies Partial<DocumentAnswer>;
