// A face in a picture that is not of a person before the camera: the portrait on a document.

import type { Box, Frame } from '@limen/face-geometry';
import { detectFaces } from './detect.ts';
import { type Embedding, readEmbedding } from './embed.ts';
import { findLandmarks } from './landmarks.ts';
import type { FaceModels } from './models.ts';

/**
 * The biggest face that `isIt` says yes to: a document may have the portrait again in small, and somebody may hold it.
 * Needs the models detect, landmarks and embedding.
 */
export async function readPortrait(
  models: FaceModels,
  frame: Frame,
  isIt: (box: Box) => boolean,
): Promise<Embedding | null> {
  const [face] = (await detectFaces(models, frame))
    .filter(({ box }) => isIt(box))
    .toSorted((a, b) => b.box.height - a.box.height);
  return face ? readEmbedding(models, frame, await findLandmarks(models, frame, face.box)) : null;
}
