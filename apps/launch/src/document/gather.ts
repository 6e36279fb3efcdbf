// Collects portraits and signs of a copy per document.

import type { CopySign } from '@limen/documents';
import { compareEmbeddings } from '../face/index.ts';

export interface Evidence {
  readonly portraits: Float32Array[];
  readonly signs: SignCount;
}

/** Same as the vote: the current document and the previous one. */
const MAX_PILES = 2;
/** Cosine similarity. Two people exceed it once in 100,000 (lab/results/models.md). */
const SAME_FACE = 0.48;

export function createGathering() {
  // LRU order: most recently used last.
  const piles = new Map<number, Evidence>();
  let face = createGathered();
  return {
    /** Returns the evidence of the frames that the vote assigned to that pile. */
    getPile(pile: number): Evidence {
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
    /** Returns the evidence of consecutive frames with the same face. */
    getFace: (): Evidence => face,
    /** Adds a copy of the vector. Restarts if the face differs. */
    addFace(portrait: Float32Array): void {
      if (face.portraits.some((known) => compareEmbeddings(known, portrait) < SAME_FACE)) {
        wipePortraits(face);
        face = createGathered();
      }
      face.portraits.push(portrait.slice());
    },
    wipe(): void {
      for (const gathered of [face, ...piles.values()]) wipePortraits(gathered);
      piles.clear();
      face = createGathered();
    },
  };
}

function createGathered(): Evidence {
  return { portraits: [], signs: createSignCount() };
}

function wipePortraits({ portraits }: Evidence): void {
  for (const portrait of portraits) portrait.fill(0);
}

/** The latest frames, so that the current view counts and not the first one. */
const WINDOW = 7;
/** Once the window is full, only one of so many frames is checked, to save time for reading. */
const FRAME_INTERVAL = 3;

type SignCount = ReturnType<typeof createSignCount>;

export function createSignCount() {
  const frames: (readonly CopySign[])[] = [];
  let passedBy = 0;
  return {
    /** Calls `find` only if the frame is counted. */
    add(find: () => readonly CopySign[]): void {
      passedBy += 1;
      if (frames.length === WINDOW && passedBy < FRAME_INTERVAL) return;
      passedBy = 0;
      frames.push(find());
      if (frames.length > WINDOW) frames.shift();
    },
    /** Returns the signs that more than half of the frames have. */
    list(): CopySign[] {
      const candidates = new Set(frames.flat());
      return [...candidates].filter(
        (sign) => frames.filter((signs) => signs.includes(sign)).length * 2 > frames.length,
      );
    },
  };
}
