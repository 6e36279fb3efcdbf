// One person from the first frame to the last: compares every relevant frame with the person at
// rest.
import type { LightJudgment, ShownColor } from '@limen/light';
import type { FrameReport } from '../../face/index.ts';
import type { Examined, ExamineWish, Tie, TieWish } from '../../models/face-engine.ts';

/** Thresholds from the manifest, specific to each model. */
export interface FaceLimits {
  /** Passive score below which no person counts as present. */
  live: number;
  /** Probability that the eyes are closed, above and below which they count as closed and open. */
  eyesClosed: number;
  eyesOpen: number;
}

/** The part of the face engine that the step needs. */
export interface FaceEye {
  watch(image: ImageBitmap): Promise<FrameReport>;
  tie(wish: TieWish): Promise<Tie>;
  measureLight(atMs: number): Promise<void>;
  judgeLight(shown: readonly ShownColor[]): Promise<LightJudgment>;
  examine(wanted: ExamineWish): Promise<Examined | null>;
  forget(): void;
  /** Changes when the engine loses its state. Work in progress must restart. */
  epoch(): number;
  limits: FaceLimits;
  /** Whether the person models are loaded. Until then the person is only guided. */
  canTie(): boolean;
}

export type Sameness = 'same' | 'unknown' | 'changed';

export type TiedPerson = ReturnType<typeof createTiedPerson>;

export function createTiedPerson(eye: Pick<FaceEye, 'tie' | 'forget'>) {
  let kept = 0;
  let isDoubted = false;
  return {
    /** Number of frames kept for the examination since the last `clear`, all of one person. */
    get kept(): number {
      return kept;
    },
    /** Whether the last frame was a mismatch. The next frame decides. */
    get isDoubted(): boolean {
      return isDoubted;
    },
    /** Compares the last watched frame. Keeps a match that looks ahead unless it is lit. */
    async tie(isAhead: boolean, isLit: boolean = false): Promise<Sameness> {
      const tie = await eye.tie({ isAhead, ...(isLit && { isLit }) });
      if (tie === 'unseen') return 'unknown';
      if (tie === 'unlike') {
        // A blur or a hand in front of the mouth causes one mismatch, but not two in a row.
        if (isDoubted) return 'changed';
        isDoubted = true;
        return 'unknown';
      }
      isDoubted = false;
      if (isAhead && !isLit) kept += 1;
      return 'same';
    },
    clear(): void {
      eye.forget();
      kept = 0;
      isDoubted = false;
    },
  };
}
