import { describe, expect, it } from 'vitest';
import { LIGHT_FINDINGS, type LightPlan } from './light.ts';
import type { DocumentPlanStep, FacePlanStep } from './steps.ts';
import { stepsDue } from './steps-due.ts';

const FACE: FacePlanStep = {
  step: 'face',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  challenges: ['blink'],
  challengeMs: 15_000,
};
const STEP_UP: DocumentPlanStep = {
  step: 'identity_document',
  when: 'face_below_threshold',
  report: 'threshold',
  ageThreshold: 18,
  fromFile: false,
};
const createLight = (required: boolean): LightPlan => ({
  attempts: [{ colours: ['red', 'blue'], again: [], colourMs: 450 }],
  required,
});
const ABOVE = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } as const;
const isAskedFor = (face: FacePlanStep, found: Parameters<typeof stepsDue>[1], begun?: number[]) =>
  stepsDue([face, STEP_UP], found, begun).includes(1);

describe('a conditional document', () => {
  it('is due below the threshold, by result or lower bound', () => {
    expect(isAskedFor(FACE, { ...ABOVE, thresholdResult: 'AGE_BELOW_THRESHOLD' })).toBe(true);
    expect(isAskedFor(FACE, { spoof: false, lowerBound: 17.9 })).toBe(true);
    expect(isAskedFor(FACE, ABOVE)).toBe(false);
  });

  it('is due if required light is unknown, at any age', () => {
    const due = (required: boolean) =>
      LIGHT_FINDINGS.filter((light) => isAskedFor({ ...FACE, light: createLight(required) }, { ...ABOVE, light }));
    expect(due(true)).toEqual(['inconclusive', 'declined']);
    expect(due(false)).toEqual([]);
  });

  it('stays due once it has begun, and is never due after a spoof', () => {
    expect(isAskedFor(FACE, ABOVE, [0, 1])).toBe(true);
    expect(isAskedFor({ ...FACE, light: createLight(true) }, { spoof: true, light: 'declined' }, [0, 1])).toBe(false);
  });
});
