// The portrait on a document, whichever way up it is held.
import { type Embedding, type FaceModels, type Frame, readPortrait } from '../face/index.ts';
import { cutOut, turn, turnBack } from './pictures.ts';
import { boxAround, isInside, type Place } from './region.ts';

/** Smaller faces have too little in them to compare. */
const MIN_FACE_PX = 40;
/** Of the document's height: what is bigger is somebody who holds it. Portraits on cards take up about half. */
const MAX_FACE_SHARE = 0.75;

/** The embedding of the largest face whose middle is in the region. */
export async function findPortrait(models: FaceModels, frame: Frame, place: Place): Promise<Float32Array | null> {
  const { region, maxFace, quarters: upright } = place;
  const around = boxAround(region, frame);
  const shorter = Math.min(around.width, around.height);
  if (shorter < MIN_FACE_PX) return null;
  // Documents are wider than high. Faces are found upside down too, but much less is seen in them then: of 22 people in
  // the pictures of the tests, all were seen the more strongly the right way up.
  const ways = upright !== undefined ? [upright] : around.width >= around.height ? [0, 2] : [1, 3];
  const isLikely = (height: number) => height >= MIN_FACE_PX && height <= Math.min(maxFace, shorter * MAX_FACE_SHARE);
  let best: Embedding | null = null;
  // Only that part of the picture: the face is larger in it, and who holds the document is not in it.
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
