// The person of an attempt: the faces at rest, with which later faces are compared.
import { combineEmbeddings, compareEmbeddings, type FaceModels, thresholdOf } from '../../face/index.ts';

/** A single frame may be bad. */
const REST_FRAMES = 2;

/** The reference is fixed at rest: one that follows could drift to another person. */
export function createIdentity(models: Pick<FaceModels, 'thresholds'>) {
  let atRest: Float32Array[] = [];
  let reference: Float32Array | null = null;

  function forget(): void {
    for (const vector of [...atRest, ...(reference ? [reference] : [])]) vector.fill(0);
    atRest = [];
    reference = null;
  }

  return {
    /** Returns whether it is the person at rest. The first faces that look ahead define that. */
    admit(vector: Float32Array, isAhead: boolean): boolean {
      // Nothing to compare with before rest.
      if (!isAhead && !reference) return false;
      // A turned head is less similar to itself. Faces that look ahead in the same minute are far
      // above either threshold.
      const least = thresholdOf(models, 'embedding', isAhead ? 'falseMatch1In100000' : 'falseMatch1In1000');
      if (reference && !(compareEmbeddings(vector, reference) >= least)) return false;
      if (!isAhead || atRest.length >= REST_FRAMES) return true;
      atRest.push(vector.slice());
      reference?.fill(0);
      reference = combineEmbeddings(atRest);
      return true;
    },
    forget,
  };
}
