// The face step: guides a person into the picture, asks for the plan's movements, and finds the age.

import type { CaptureFacts } from '@limen/contract';
import type { LightJudgement, ShownColour } from '@limen/light';
import { compareAge, type FacePlanStep, isBelow, type LogEntry, MAX_YEARS } from '@limen/plan';
import type { DeviceFindings } from '@limen/sdk/device';
import type { Screen } from '../../course/screens.ts';
import type { FrameReport } from '../../face/index.ts';
import type { Examined, ExamineWish, Tie, TieWish } from '../../models/face-engine.ts';
import { wipe } from '../../models/wipe.ts';
import { StepProblem } from '../step-problem.ts';
import { followPerson } from './follow-person.ts';
import { type ColourWishes, createLightRun } from './light-run.ts';
import type { Tally } from './tally.ts';

type FaceFindings = NonNullable<DeviceFindings['face']>;

export interface TakenFrame {
  image: ImageBitmap;
  /** The page was out of sight, or covered, since the frame before: what was begun does not count. */
  afterPause: boolean;
}

/** The part of the face engine that the step needs. */
export interface FaceEye {
  watch(image: ImageBitmap): Promise<FrameReport>;
  tie(wish: TieWish): Promise<Tie>;
  measureLight(atMs: number): Promise<void>;
  judgeLight(shown: readonly ShownColour[]): Promise<LightJudgement>;
  examine(wanted: ExamineWish): Promise<Examined | null>;
  forget(): void;
  /** Another number once all that was known of whoever is there is gone, and what was begun with it. */
  epoch(): number;
}

/** From the manifest: each model comes with those that fit it. */
export interface FaceLimits {
  /** The passive score below which nobody is there. */
  live: number;
  /** Probability that the eyes are closed, above and below which they count as closed and open. */
  eyesClosed: number;
  eyesOpen: number;
}

export interface FaceOutcome {
  face: FaceFindings;
  /** Stays on the device, for a step that compares it. */
  embedding: Float32Array | null;
  /** Where the plan wants one. */
  selfie?: Uint8Array;
  /** What the camera was like, for the audit of whoever compares the face. */
  capture?: CaptureFacts;
}

export interface FaceStepOptions {
  step: FacePlanStep;
  /** Its position in the plan. */
  index: number;
  /** The log has it already: the page was loaded again. */
  begun: boolean;
  /** Whether a later step compares the face. */
  wantsEmbedding: boolean;
  /** Whether a photo is sent to who asks. */
  wantsSelfie: boolean;
  eye: FaceEye;
  tally: Tally;
  limits: FaceLimits;
  nextFrame(): Promise<TakenFrame>;
  /** Whether what knows one face from another is there yet. Until then a person is guided, and asked for nothing. */
  canTie(): boolean;
  /** What is known of the camera besides its pictures. */
  readCamera?(): CaptureFacts;
  record(event: LogEntry[0], index: number): void;
  show(screen: Screen): void;
  /** Whether the screen may change its colour. */
  colours: ColourWishes;
  /** In how many attempts it did, by the log. */
  attemptsLit: number;
  /** Whether the person stopped the light of this session before. */
  wasStopped: boolean;
  now(): number;
  after(delayMs: number, callback: () => void): () => void;
}

/** The passive score fails some people on some frames: they get a second chance. */
const MAX_LOOKS = 2;
/** It records everything but the step's end, which comes with the answer: after it, a reload could not go on. */
export async function runFaceStep(options: FaceStepOptions): Promise<FaceOutcome> {
  const { step, index, begun, wantsEmbedding, wantsSelfie, eye, limits, record, show } = options;
  const wantsAge = step.report !== 'none';
  const light = step.light && createLightRun({ ...options, light: step.light, judge: eye.judgeLight });
  try {
    record(begun ? 'retried' : 'started', index);
    for (let look = 1; ; look += 1) {
      const brightness = await followPerson(options, light);
      if (brightness === false) return { face: { spoof: true }, embedding: null };
      const lit = await light?.finding();
      show({ name: 'working', doing: wantsAge ? 'estimating' : 'looking', offline: false });
      const examined = await eye.examine({
        age: wantsAge,
        ...(step.ageBound && { ageBound: step.ageBound }),
        embedding: wantsEmbedding,
        ...(wantsSelfie && { selfie: true }),
      });
      if (!examined || (wantsAge && !examined.age) || (wantsEmbedding && !examined.embedding)) {
        wipe(examined);
        throw new StepProblem('scan');
      }
      const { age, embedding, selfie } = examined;
      if (examined.liveness >= limits.live)
        return {
          face: { ...toFindings(step, age), ...(lit && { light: lit }) },
          embedding,
          ...(selfie && { selfie }),
          ...(wantsEmbedding && {
            capture: { ...options.readCamera?.(), light: Math.round(Math.min(Math.max(brightness, 0), 255)) },
          }),
        };
      wipe(examined);
      if (look === MAX_LOOKS) return { face: { spoof: true }, embedding: null };
      record('retried', index);
      show({ name: 'capture', prompt: 'challenge.again', tone: 'fix', progress: null, paused: false });
    }
  } finally {
    light?.stop();
    eye.forget();
  }
}

/** As the plan wants it: where only the side of the threshold is asked for, no age leaves the device. */
export function toFindings(step: FacePlanStep, found: { age: number; lowerBound: number } | null): FaceFindings {
  if (step.report === 'none' || !found) return { spoof: false };
  const { age, lowerBound } = found;
  // Tenths of a year are finer than any of it is true. Rounded down, because up could cross the threshold.
  const estimate = Math.floor(clamp(age) * 10) / 10;
  const bound = Math.min(Math.floor(clamp(lowerBound) * 10) / 10, estimate);
  if (step.report === 'age') return { spoof: false, estimate, lowerBound: bound };
  const thresholdResult = compareAge(bound, step.ageThreshold);
  if (thresholdResult !== 'AGE_BELOW_THRESHOLD') return { spoof: false, thresholdResult };
  return { spoof: false, thresholdResult, estimateBelow: isBelow(estimate, step.ageThreshold) };
}

function clamp(years: number): number {
  return Math.min(Math.max(years, 0), MAX_YEARS);
}
