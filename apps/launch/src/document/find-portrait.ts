// Finds the portrait on a document in any orientation.
import { type Embedding, type FaceModels, type Frame, readPortrait } from '../face/index.ts';
import { cutOut, turn, turnBack } from './pictures.ts';
import { boundRegion, isInside, type PortraitPlace } from './region.ts';

/** Smaller faces have too little detail for a comparison. */
const MIN_FACE_PX = 40;
/** A higher face belongs to the holder. Portraits on cards take up about half the height. */
const MAX_FACE_SHARE = 0.75;

/** Returns the embedding of the largest face centered in the region. */
export async function findPortrait(
  models: FaceModels,
  frame: Frame,
  place: PortraitPlace,
): Promise<Float32Array | null> {
  const { region, maxFace, quarters: upright } = place;
  const around = boundRegion(region, frame);
  const shorter = Math.min(around.width, around.height);
  if (shorter < MIN_FACE_PX) return null;
  // Documents are wider than high. Upside-down faces are also found but score lower: all 22 test
  // people scored higher upright.
  const ways = upright !== undefined ? [upright] : around.width >= around.height ? [0, 2] : [1, 3];
  const isLikely = (height: number) => height >= MIN_FACE_PX && height <= Math.min(maxFace, shorter * MAX_FACE_SHARE);
  let best: Embedding | null = null;
  // Crops, which enlarges the face and excludes the holder.
  const piece = cutOut(frame, around);
  try {
    for (const quarters of ways) {
      const turned = turn(piece, quarters);
      try {
        const portrait = await readPortrait(models, turned, (box) => {
          const middle = turnBack({ x: box.x + box.width / 2, y: box.y + box.height / 2 }, quarters, around);
          return isLikely(box.height) && isInside(region, { x: around.x + middle.x, y: around.y + middle.y });
        });
        if (!portrait) continue;
        const isBetter: boolean = !best || portrait.strength > best.strength;
        (isBetter ? best : portrait)?.vector.fill(0);
        if (isBetter) best = portrait;
      } finally {
        if (turned !== piece) turned.data.fill(0);
      }
    }
  } catch (error) {
    best?.vector.fill(0);
    throw error;
  } finally {
    piece.data.fill(0);
  }
  return best?.vector ?? null;
}
