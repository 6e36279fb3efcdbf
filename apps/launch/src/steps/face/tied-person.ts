// One person from the first frame to the last: every frame that counts is held against who sat there at rest.
import type { LightJudgement, ShownColour } from '@limen/light';
import type { FrameReport } from '../../face/index.ts';
import type { Examined, ExamineWish, Tie, TieWish } from '../../models/face-engine.ts';

/** From the manifest: each model comes with those that fit it. */
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
  judgeLight(shown: readonly ShownColour[]): Promise<LightJudgement>;
  examine(wanted: ExamineWish): Promise<Examined | null>;
  forget(): void;
  /**
   * Number that changes once everything known of the person is gone, together with the work that
   * was begun.
   */
  epoch(): number;
  limits: FaceLimits;
  /** Whether the models that know one face from another are there. Until then a person is guided, and asked for nothing. */
  canTie(): boolean;
}

/** What is known after a look: it is the same person, that is not known, or it is somebody else. */
export type Sameness = 'same' | 'unknown' | 'changed';

export type TiedPerson = ReturnType<typeof createTiedPerson>;

export function createTiedPerson(eye: Pick<FaceEye, 'tie' | 'forget'>) {
  let kept = 0;
  let isDoubted = false;
  return {
    /** Frames for the examination, all of one person, since the last `clear`. */
    get kept(): number {
      return kept;
    },
    /** The last look was at somebody else: the next frame has to be looked at, and decides. */
    get isDoubted(): boolean {
      return isDoubted;
    },
    /**
     * Looks at the frame that was watched last, in any phase. One that looks ahead is kept where it is the same person, unless the
     * screen lights it.
     */
    async tie(isAhead: boolean, isLit: boolean = false): Promise<Sameness> {
      const tie = await eye.tie({ isAhead, ...(isLit && { isLit }) });
      if (tie === 'unseen') return 'unknown';
      if (tie === 'unlike') {
        // A blur or a hand before the mouth makes anybody unlike themselves, but not in two frames in a row.
        if (isDoubted) return 'changed';
        isDoubted = true;
        return 'unknown';
      }
      isDoubted = false;
      if (isAhead && !isLit) kept += 1;
      return 'same';
    },
    /** Whoever comes next may be anybody. */
    clear(): void {
      eye.forget();
      kept = 0;
      isDoubted = false;
    },
  };
}
