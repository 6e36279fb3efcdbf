// Reads a face that is not in front of the camera: the portrait on a document.

import type { Box, Frame } from '@limen/face-geometry';
import { detectFaces } from './detect.ts';
import { type Embedding, readEmbedding } from './embed.ts';
import { findLandmarks } from './landmarks.ts';
import type { FaceModels } from './models.ts';

/**
 * Reads the largest face that `accepts` allows. A document may repeat the portrait in small, and
 * its holder may be visible. Needs the models detect, landmarks and embedding.
 */
export async function readPortrait(
  models: FaceModels,
  frame: Frame,
  accepts: (box: Box) => boolean,
): Promise<Embedding | null> {
  const [face] = (await detectFaces(models, frame))
    .filter(({ box }) => accepts(box))
    .toSorted((a, b) => b.box.height - a.box.height);
  return face ? readEmbedding(models, frame, await findLandmarks(models, frame, face.box)) : null;
}
