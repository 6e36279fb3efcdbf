// Who sits before the camera in this attempt: the faces of rest, which every later face of it is held against.
import { combineEmbeddings, compareEmbeddings, type FaceModels, thresholdOf } from '../../face/index.ts';

/** One alone may be a bad one. */
const REST_FRAMES = 2;

/**
 * The reference stays what it was at rest: one that followed the latest frames could be led from one face to another in
 * small steps.
 */
export function createIdentity(models: Pick<FaceModels, 'thresholds'>) {
  let atRest: Float32Array[] = [];
  let reference: Float32Array | null = null;

  function forget(): void {
    for (const vector of [...atRest, ...(reference ? [reference] : [])]) vector.fill(0);
    atRest = [];
    reference = null;
  }

  return {
    /** Whether it is the face of rest. The first faces that look ahead are that themselves, and have to be alike. */
    admit(vector: Float32Array, isAhead: boolean): boolean {
      // Nobody can be like somebody who was not seen at rest.
      if (!isAhead && !reference) return false;
      // A turned head is less like itself; where it looks ahead, a frame of the same minute is far above either.
      const least = thresholdOf(models, 'embedding', isAhead ? 'falseMatch1In100000' : 'falseMatch1In1000');
      if (reference && !(compareEmbeddings(vector, reference) >= least)) return false;
      if (!isAhead || atRest.length >= REST_FRAMES) return true;
      atRest.push(vector.slice());
      reference?.fill(0);
      reference = combineEmbeddings(atRest);
      return true;
    },
    /** Nobody is known any more. */
    forget,
  };
}
