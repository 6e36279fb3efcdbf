// Determines the due steps of a plan from the judgment of the face.
import { compareAge, isBelow, type ThresholdResult } from './compare-ages.ts';
import type { LightFinding } from './light.ts';
import type { FacePlanStep, PlanStep } from './steps.ts';

/** A live face with a result about its age. An estimate is judged by its lower bound. */
export type AgedFace = { spoof: false; thresholdResult: ThresholdResult } | { spoof: false; lowerBound: number };
/** A spoof belongs to no person, and some faces need no age. */
export type JudgedFace = {
  spoof: boolean;
  thresholdResult?: ThresholdResult;
  lowerBound?: number;
  light?: LightFinding;
};

export function standingOfFace(face: AgedFace, ageThreshold: number): ThresholdResult {
  return 'thresholdResult' in face ? face.thresholdResult : compareAge(face.lowerBound, ageThreshold);
}

/** Requirements for a face to suffice. */
interface FaceDemands {
  ageThreshold: number;
  lightRequired: boolean;
}

/** Returns whether the face is below the threshold or lacks required light. Not if it is unlit. */
export function isFaceNotEnough(face: JudgedFace | undefined, { ageThreshold, lightRequired }: FaceDemands): boolean {
  if (!face || face.spoof) return false;
  if (lightRequired && (face.light === 'declined' || face.light === 'inconclusive')) return true;
  if (face.thresholdResult !== undefined) return face.thresholdResult === 'AGE_BELOW_THRESHOLD';
  return face.lowerBound !== undefined && isBelow(face.lowerBound, ageThreshold);
}

/**
 * Returns positions in order. After a spoof nothing else is checked. A conditional step is due if
 * the face does not suffice, and stays due once begun. Otherwise people could repeat the face step
 * until it is not required.
 */
export function stepsDue(
  steps: readonly PlanStep[],
  face: JudgedFace | undefined,
  begun: readonly number[] = [],
): number[] {
  const faceAt = steps.findIndex(({ step }) => step === 'face');
  const faceStep = steps.find((step) => step.step === 'face');
  const steppedUp = faceStep !== undefined && isFaceNotEnough(face, getDemands(faceStep));
  const due = [...steps.keys()].filter(
    (position) => steps[position]?.when === 'always' || steppedUp || begun.includes(position),
  );
  return face?.spoof ? due.filter((position) => position <= faceAt) : due;
}

function getDemands({ ageThreshold, light }: FacePlanStep): FaceDemands {
  return { ageThreshold, lightRequired: light?.required === true };
}
