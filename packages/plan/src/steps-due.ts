// Which steps of a plan are due, now that the face was or was not judged.
import { compareAge, isBelow, type ThresholdResult } from './compare-ages.ts';
import type { LightFinding } from './light.ts';
import type { FacePlanStep, PlanStep } from './steps.ts';

/** A living face whose age was said, one way or the other; an estimate is judged by its lower bound. */
export type AgedFace = { spoof: false; thresholdResult: ThresholdResult } | { spoof: false; lowerBound: number };
/** A spoof is nobody, and of some faces no age is asked. */
export type JudgedFace = {
  spoof: boolean;
  thresholdResult?: ThresholdResult;
  lowerBound?: number;
  light?: LightFinding;
};

export function standingOfFace(face: AgedFace, ageThreshold: number): ThresholdResult {
  return 'thresholdResult' in face ? face.thresholdResult : compareAge(face.lowerBound, ageThreshold);
}

/** What a face must show to be enough by itself. */
interface FaceDemands {
  ageThreshold: number;
  lightRequired: boolean;
}

/**
 * What makes a conditional step due: a face below the threshold, or one that nothing is known of under the light that is
 * required. A face that was not lit as drawn is no such case: a document would not make it a real one.
 */
export function isFaceNotEnough(face: JudgedFace | undefined, { ageThreshold, lightRequired }: FaceDemands): boolean {
  if (!face || face.spoof) return false;
  if (lightRequired && (face.light === 'declined' || face.light === 'inconclusive')) return true;
  if (face.thresholdResult !== undefined) return face.thresholdResult === 'AGE_BELOW_THRESHOLD';
  return face.lowerBound !== undefined && isBelow(face.lowerBound, ageThreshold);
}

/**
 * Positions in order. After a spoof nothing behind the face is looked at; a conditional step is due where the face
 * is not enough, and stays so once it began, whatever the face is found to be when it is shown again: whoever went back
 * from it would otherwise try the step that decides about it until it is not asked for.
 */
export function stepsDue(
  steps: readonly PlanStep[],
  face: JudgedFace | undefined,
  begun: readonly number[] = [],
): number[] {
  const faceAt = steps.findIndex(({ step }) => step === 'face');
  const faceStep = steps.find((step) => step.step === 'face');
  const steppedUp = faceStep !== undefined && isFaceNotEnough(face, demandsOf(faceStep));
  const due = [...steps.keys()].filter(
    (position) => steps[position]?.when === 'always' || steppedUp || begun.includes(position),
  );
  return face?.spoof ? due.filter((position) => position <= faceAt) : due;
}

function demandsOf({ ageThreshold, light }: FacePlanStep): FaceDemands {
  return { ageThreshold, lightRequired: light?.required === true };
}
