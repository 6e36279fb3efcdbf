// Chooses the frames that the age is estimated from.
import type { ChallengeRun } from '../../face/index.ts';
import type { FaceEye } from './face-step.ts';

const KEEP_PER_PHASE = 2;
const KEEP_EVERY_MS = 150;

export interface FrameKeeper {
  /** Since the last `clear`. */
  readonly count: number;
  /** Of the frame that was watched last. */
  consider(run: Pick<ChallengeRun, 'phase' | 'index'>, isGood: boolean, timeMs: number): void;
  clear(): void;
}

/** Keeps a few good frames of each time that the person looks ahead, so that they are of who did the movements. */
export function createKeeper(eye: Pick<FaceEye, 'keep' | 'forget'>): FrameKeeper {
  let count = 0;
  let phaseKey = '';
  let inPhase = 0;
  let last = -Infinity;
  return {
    get count() {
      return count;
    },
    consider({ phase, index }, isGood, time) {
      if (phase === 'asking' || !isGood || time - last < KEEP_EVERY_MS) return;
      const key = `${phase} ${index}`;
      if (key !== phaseKey) inPhase = 0;
      phaseKey = key;
      if (inPhase >= KEEP_PER_PHASE && phase !== 'passed') return;
      eye.keep();
      inPhase += 1;
      count += 1;
      last = time;
    },
    clear() {
      eye.forget();
      count = 0;
      phaseKey = '';
    },
  };
}
