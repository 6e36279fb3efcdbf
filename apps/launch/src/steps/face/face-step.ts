// The face step: guides a person into the picture, asks for the plan's movements, and finds the age.

import type { CaptureFacts } from '@limen/contract';
import { compareAge, type FacePlanStep, isBelow, type LogEntry, MAX_YEARS } from '@limen/plan';
import type { DeviceFindings } from '@limen/sdk/device';
import type { Screen } from '../../course/screens.ts';
import { type ChallengeEvent, createChallengeRun, type FrameReport, toObservation } from '../../face/index.ts';
import type { Examined, ExamineWish, Tie, TieWish } from '../../models/face-engine.ts';
import { StepProblem } from '../step-problem.ts';
import { createFrameChooser } from './choose-frames.ts';
import { createPatience, type Patience } from './guidance.ts';
import { createPresence } from './presence.ts';
import { createPrompter } from './prompts.ts';
import { createTiedPerson } from './tied-person.ts';

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
  examine(wanted: ExamineWish): Promise<Examined | null>;
  forget(): void;
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
  limits: FaceLimits;
  nextFrame(): Promise<TakenFrame>;
  /** What is known of the camera besides its pictures. */
  readCamera?(): CaptureFacts;
  record(event: LogEntry[0], index: number): void;
  show(screen: Screen): void;
  now(): number;
}

/** The service measures too, and a little later than the page. */
const MARGIN_MS = 250;
/** The passive score fails some people on some frames: they get a second chance. */
const MAX_LOOKS = 2;
/** Somebody else in the middle may have been a mistake; twice is none. */
const MAX_CHANGES = 1;
/** Nobody's fault, so that they cost no attempt; but each costs entries of the log, which has an end. */
const MAX_INTERRUPTIONS = 3;

/** Over all attempts and looks. */
interface Tally {
  changes: number;
  interruptions: number;
}

/** It records everything but the step's end, which comes with the answer: after it, a reload could not go on. */
export async function runFaceStep(options: FaceStepOptions): Promise<FaceOutcome> {
  const { step, index, begun, wantsEmbedding, wantsSelfie, eye, limits, record, show } = options;
  const wantsAge = step.report !== 'none';
  const tally: Tally = { changes: 0, interruptions: 0 };
  try {
    record(begun ? 'retried' : 'started', index);
    for (let look = 1; ; look += 1) {
      const light = await followChallenges(options, tally);
      if (light === false) return { face: { spoof: true }, embedding: null };
      show({ name: 'working', doing: wantsAge ? 'estimating' : 'looking', offline: false });
      const examined = await eye.examine({
        age: wantsAge,
        embedding: wantsEmbedding,
        ...(wantsSelfie && { selfie: true }),
      });
      if (!examined || (wantsAge && !examined.age) || (wantsEmbedding && !examined.embedding))
        throw new StepProblem('scan');
      const { age, embedding, selfie } = examined;
      if (examined.liveness >= limits.live)
        return {
          face: toFindings(step, age),
          embedding,
          ...(selfie && { selfie }),
          ...(wantsEmbedding && {
            capture: { ...options.readCamera?.(), light: Math.round(Math.min(Math.max(light, 0), 255)) },
          }),
        };
      embedding?.fill(0);
      selfie?.fill(0);
      if (look === MAX_LOOKS) return { face: { spoof: true }, embedding: null };
      record('retried', index);
      show({ name: 'capture', prompt: 'challenge.again', tone: 'fix', progress: null, paused: false });
    }
  } finally {
    eye.forget();
  }
}

/** How bright the face was at the end, 0 to 255; false when the movements were not those of one person. */
async function followChallenges(options: FaceStepOptions, tally: Tally): Promise<number | false> {
  const { step, index, eye, nextFrame, record, show, now } = options;
  const { eyesClosed, eyesOpen } = options.limits;
  const rules = { challengeMs: step.challengeMs - MARGIN_MS, eyesClosed, eyesOpen };
  const run = createChallengeRun(step.challenges, rules);
  let patience = createPatience(now());
  const frames = createFrameChooser(createTiedPerson(eye));
  const presence = createPresence();
  const prompter = createPrompter(step);

  /** Nothing that was begun counts any more. */
  function startOver(): void {
    if (run.phase !== 'resting') record('retried', index);
    run.startOver();
    frames.clear();
  }

  /** False when there are no more attempts. */
  function take(events: readonly ChallengeEvent[], time: number): boolean {
    for (const event of events) {
      if (event.type === 'failed') return false;
      if (event.type === 'retried') {
        record('retried', index);
        frames.clear();
      } else record(event.type, event.index);
      if (event.type === 'done' && event.index === step.cameraRequest?.after) record('asked', event.index);
      prompter.note(event.type, time);
      patience = createPatience(time);
    }
    return true;
  }

  /** At rest there is nothing to lose. False when there are no more attempts. */
  function interrupt(time: number): boolean {
    if (run.phase === 'resting') {
      startOver();
      return true;
    }
    tally.interruptions += 1;
    if (tally.interruptions > MAX_INTERRUPTIONS) return take(run.retry(), time);
    startOver();
    prompter.note('retried', time);
    patience = createPatience(time);
    return true;
  }

  /** Somebody else is there. Who sits down at rest may be anybody. False when it is no mistake any more. */
  function change(time: number): boolean {
    if (run.phase === 'resting') {
      startOver();
      return true;
    }
    tally.changes += 1;
    return tally.changes <= MAX_CHANGES && take(run.retry(), time);
  }

  for (;;) {
    const { image, afterPause } = await nextFrame();
    const size = { width: image.width, height: image.height };
    if (afterPause) {
      // Nobody's fault, so that it is no attempt either.
      startOver();
      presence.clear();
      patience = createPatience(now());
    }
    const report = await eye.watch(image);
    const time = now();
    const { people } = report;
    if (presence.isInterrupted(people, time) && !interrupt(time)) return false;
    const isGood = report.problems.length === 0;
    const atHand = { people, isGood, timeMs: time };
    const isResting = run.phase === 'resting';
    // At rest only good frames count: they are what every later one is compared with.
    const counts = !isResting || (isGood && !prompter.waitsForGlasses(report, time));
    let isSame = true;
    if (isResting && counts) isSame = await frames.consider({ ...atHand, phase: run.phase, events: [] });
    const events = counts && (!isResting || frames.isKnown) ? run.observe(toObservation(report), time) : [];
    if (!take(events, time)) return false;
    if (!isResting) isSame = await frames.consider({ ...atHand, phase: run.phase, events });
    if (!isSame && !change(time)) return false;
    if (run.phase === 'passed' && frames.isEnough) return report.face?.light ?? 0;
    if (run.phase === 'resting' || run.phase === 'passed') refuseWhenTired(patience, report, time);
    show(prompter.screen(run, report, size, time));
  }
}

function refuseWhenTired(patience: Patience, report: FrameReport, time: number): void {
  const problem = patience.note(report, time);
  if (problem) throw new StepProblem(problem);
}

/** As the plan wants it: where only the side of the threshold is asked for, no age leaves the device. */
export function toFindings(step: FacePlanStep, found: { age: number; lowerBound: number } | null): FaceFindings {
  // No light is shown yet.
  const light = step.light && { light: 'declined' as const };
  if (step.report === 'none' || !found) return { spoof: false, ...light };
  const { age, lowerBound } = found;
  // Tenths of a year are finer than any of it is true. Rounded down, because up could cross the threshold.
  const estimate = Math.floor(clamp(age) * 10) / 10;
  const bound = Math.min(Math.floor(clamp(lowerBound) * 10) / 10, estimate);
  if (step.report === 'age') return { spoof: false, estimate, lowerBound: bound, ...light };
  const thresholdResult = compareAge(bound, step.ageThreshold);
  if (thresholdResult !== 'AGE_BELOW_THRESHOLD') return { spoof: false, thresholdResult, ...light };
  return { spoof: false, thresholdResult, estimateBelow: isBelow(estimate, step.ageThreshold), ...light };
}

function clamp(years: number): number {
  return Math.min(Math.max(years, 0), MAX_YEARS);
}
