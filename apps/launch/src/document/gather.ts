// What frames show beside the text, kept apart by whose it is: portraits, and signs of a copy.

import type { CopySign } from '@limen/documents';
import { compareEmbeddings } from '../face/index.ts';

export interface Gathered {
  readonly portraits: Float32Array[];
  readonly signs: SignCount;
}

/** As many as the vote keeps: the document in hand and the one before it. */
const MAX_PILES = 2;
/** Cosine. Pictures of two people come above it once in 100,000 (lab/results/models.md); cuts of one photo are above 0.8 in the tests. */
const SAME_FACE = 0.48;

export function createGathering() {
  // The one that was asked for last comes last.
  const piles = new Map<number, Gathered>();
  let face = createGathered();
  return {
    /** Of the frames that the vote has put on that pile. */
    ofPile(pile: number): Gathered {
      const gathered = piles.get(pile) ?? createGathered();
      piles.delete(pile);
      piles.set(pile, gathered);
      const [oldest] = piles;
      if (oldest && piles.size > MAX_PILES) {
        wipePortraits(oldest[1]);
        piles.delete(oldest[0]);
      }
      return gathered;
    },
    /** Of the frames in which one and the same face was seen, without another in between. */
    ofFace: (): Gathered => face,
    /** One that is not the same starts anew. The vector is copied. */
    addFace(portrait: Float32Array): void {
      if (face.portraits.some((other) => compareEmbeddings(other, portrait) < SAME_FACE)) {
        wipePortraits(face);
        face = createGathered();
      }
      face.portraits.push(portrait.slice());
    },
    /** Overwrites all of it. */
    wipe(): void {
      for (const gathered of [face, ...piles.values()]) wipePortraits(gathered);
      piles.clear();
      face = createGathered();
    },
  };
}

function createGathered(): Gathered {
  return { portraits: [], signs: createSignCount() };
}

function wipePortraits({ portraits }: Gathered): void {
  for (const portrait of portraits) portrait.fill(0);
}

/** The last ones: what is before the camera now counts, not what was shown first. */
const WINDOW = 7;
/** Once the window is full, one frame in so many: more would tell no more, and take time from the reading. */
const APART = 3;

type SignCount = ReturnType<typeof createSignCount>;

export function createSignCount() {
  const frames: (readonly CopySign[])[] = [];
  let passedBy = 0;
  return {
    /** `find` is called only where the frame is counted. */
    add(find: () => readonly CopySign[]): void {
      passedBy += 1;
      if (frames.length === WINDOW && passedBy < APART) return;
      passedBy = 0;
      frames.push(find());
      if (frames.length > WINDOW) frames.shift();
    },
    /** Returns the signs that more than half of the frames have. */
    list(): CopySign[] {
      const all = new Set(frames.flat());
      return [...all].filter((sign) => frames.filter((signs) => signs.includes(sign)).length * 2 > frames.length);
    },
  };
}
