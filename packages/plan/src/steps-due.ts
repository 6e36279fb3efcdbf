// Which steps of a plan are due, now that the face was or was not judged.
import { compareAge, isBelow, type ThresholdResult } from './compare-ages.ts';
import type { PlanStep } from './steps.ts';

/** A living face whose age was said, one way or the other; an estimate is judged by its lower bound. */
export type AgedFace = { spoof: false; thresholdResult: ThresholdResult } | { spoof: false; lowerBound: number };
/** A spoof is nobody, and of some faces no age is asked. */
export type JudgedFace = { spoof: boolean; thresholdResult?: ThresholdResult; lowerBound?: number };

export function standingOfFace(face: AgedFace, ageThreshold: number): ThresholdResult {
  return 'thresholdResult' in face ? face.thresholdResult : compareAge(face.lowerBound, ageThreshold);
}

/** What makes a conditional step due. */
export function isFaceBelow(face: JudgedFace | undefined, ageThreshold: number): boolean {
  if (!face || face.spoof) return false;
  if (face.thresholdResult !== undefined) return face.thresholdResult === 'AGE_BELOW_THRESHOLD';
  return face.lowerBound !== undefined && isBelow(face.lowerBound, ageThreshold);
}

/**
 * Positions in order. After a spoof nothing behind the face is looked at; a conditional step is due below the face step's
 * threshold, and stays so once it began, whatever the face is found to be when it is shown again: whoever went back from
 * it would otherwise try the step that decides about it until it is not asked for.
 */
export function stepsDue(
  steps: readonly PlanStep[],
  face: JudgedFace | undefined,
  begun: readonly number[] = [],
): number[] {
  const faceAt = steps.findIndex(({ step }) => step === 'face');
  const faceStep = steps.find((step) => step.step === 'face');
  const steppedUp = faceStep !== undefined && isFaceBelow(face, faceStep.ageThreshold);
  const due = [...steps.keys()].filter(
    (position) => steps[position]?.when === 'always' || steppedUp || begun.includes(position),
  );
  return face?.spoof ? due.filter((position) => position <= faceAt) : due;
}
