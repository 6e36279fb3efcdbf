// Turns the problems of a frame into one prompt, and gives up after a while.
import type { Movement } from '@limen/plan';
import type { CapturePrompt, Problem } from '../../course/screens.ts';
import { type FrameReport, MOVEMENT_LOOKS, type QualityProblem } from '../../face/index.ts';

/** Fails to compile for a movement without texts. */
export function getMovementPrompt(movement: Movement): CapturePrompt {
  return MOVEMENT_LOOKS[movement].prompt;
}

const PROBLEM_PROMPTS: Readonly<Record<Exclude<QualityProblem, 'off_centre'>, CapturePrompt>> = {
  no_face: 'guide.noFace',
  several_faces: 'guide.severalFaces',
  too_far: 'guide.tooFar',
  too_close: 'guide.tooClose',
  too_dark: 'guide.tooDark',
  too_bright: 'guide.tooBright',
  blurred: 'guide.blurred',
  turned_away: 'guide.turnedAway',
};

/** Chooses the prompt. Frames are not mirrored: the person's left is on the right. */
export function choosePrompt(report: FrameReport, size: { width: number; height: number }): CapturePrompt | null {
  const [problem] = report.problems;
  if (problem === undefined) return null;
  return problem === 'off_centre' ? chooseDirection(report, size) : PROBLEM_PROMPTS[problem];
}

function chooseDirection({ face }: FrameReport, { width, height }: { width: number; height: number }): CapturePrompt {
  if (!face) return 'guide.oval';
  const right = (face.box.x + face.box.width / 2) / width - 0.5;
  const down = (face.box.y + face.box.height / 2) / height - 0.5;
  if (Math.abs(right) > Math.abs(down)) return right > 0 ? 'guide.moveRight' : 'guide.moveLeft';
  return down > 0 ? 'guide.moveUp' : 'guide.moveDown';
}

/** Duration of guidance before the page offers another way. */
const PATIENCE_MS = 40_000;

export type Patience = ReturnType<typeof createPatience>;

export function createPatience(sinceMs: number) {
  const seen = { dark: 0, faces: 0, scan: 0 };
  return {
    /** Returns the most frequent problem once the time is up, or null. */
    note({ problems: [problem] }: FrameReport, nowMs: number): Problem | null {
      seen[problem === 'too_dark' ? 'dark' : problem === 'several_faces' ? 'faces' : 'scan'] += 1;
      if (nowMs - sinceMs < PATIENCE_MS) return null;
      const most = Math.max(seen.dark, seen.faces, seen.scan);
      if (seen.dark === most) return 'dark';
      return seen.faces === most ? 'faces' : 'scan';
    },
  };
}
