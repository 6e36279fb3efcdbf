// Follows one person from the first good frame to the last: at rest, through the movements, and in the light of the screen.
import type { CaptureFacts } from '@limen/contract';
import type { FacePlanStep, LogEntry } from '@limen/plan';
import type { Screen } from '../../course/screens.ts';
import { type ChallengeEvent, createChallengeRun, type FrameReport, toObservation } from '../../face/index.ts';
import { StepProblem } from '../step-problem.ts';
import { createFrameChooser } from './choose-frames.ts';
import { createPatience, type Patience } from './guidance.ts';
import type { KnownColours, LightRun, StepClock } from './light-run.ts';
import { createPresence } from './presence.ts';
import { createPrompter } from './prompts.ts';
import type { Tally } from './tally.ts';
import { createTiedPerson, type FaceEye } from './tied-person.ts';

export interface TakenFrame {
  image: ImageBitmap;
  /** The page was out of sight, or covered, since the frame before: what was begun does not count. */
  afterPause: boolean;
}

export interface FaceStepOptions {
  step: FacePlanStep;
  course: FaceCourse;
  wants: {
    /** Whether a later step compares the face. */
    embedding: boolean;
    /** Whether a photo is sent to who asks. */
    selfie: boolean;
  };
  eye: FaceEye;
  camera: {
    nextFrame(): Promise<TakenFrame>;
    /** Returns the known facts about the camera, apart from its pictures. */
    readFacts?(): CaptureFacts;
  };
  light: KnownColours;
  show(screen: Screen): void;
  clock: StepClock;
}

interface FaceCourse {
  /** The step's position in the plan. */
  index: number;
  /** The log has it already: the page was loaded again. */
  begun: boolean;
  tally: Tally;
  record(event: LogEntry[0], index: number): void;
}

/** The service measures too, and a little later than the page. */
const MARGIN_MS = 250;
/** Somebody else in the middle may have been a mistake; twice is none. */
const MAX_CHANGES = 1;
/** Nobody's fault, so that they cost no attempt; but each costs entries of the log, which has an end. */
const MAX_INTERRUPTIONS = 3;

/** How bright the face was at the end, 0 to 255; false when what was done was not done by one person. */
export async function followPerson(options: FaceStepOptions, light: LightRun | undefined): Promise<number | false> {
  const { step, eye, camera, show } = options;
  const { index, tally, record } = options.course;
  const { now } = options.clock;
  const { eyesClosed, eyesOpen } = eye.limits;
  const rules = { challengeMs: step.challengeMs - MARGIN_MS, eyesClosed, eyesOpen };
  const run = createChallengeRun(step.challenges, rules);
  let patience = createPatience(now());
  const frames = createFrameChooser(createTiedPerson(eye));
  const presence = createPresence();
  const prompter = createPrompter(step);
  let epoch = eye.epoch();
  light?.clear();

  /** Nothing that was begun counts any more. */
  function startOver(): void {
    if (run.phase !== 'resting') record('retried', index);
    run.startOver();
    frames.clear();
    light?.clear();
  }

  /** False when there are no more attempts. */
  function take(events: readonly ChallengeEvent[], time: number): boolean {
    for (const event of events) {
      if (event.type === 'failed') return false;
      if (event.type === 'retried') {
        record('retried', index);
        frames.clear();
        light?.clear();
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
    if (tally.changes > MAX_CHANGES || !take(run.retry(), time)) return false;
    prompter.note('changed', time);
    return true;
  }

  for (;;) {
    const { image, afterPause } = await camera.nextFrame();
    const takenAt = now();
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
    // Whoever was known is known no more: the next face would be taken for the first one.
    const isUnknown = eye.epoch() !== epoch;
    epoch = eye.epoch();
    // That another worker took its time is not the person's fault.
    if (isUnknown) patience = createPatience(time);
    if ((presence.isInterrupted(people, time) || light?.isLapsed || isUnknown) && !interrupt(time)) return false;
    const isGood = report.problems.length === 0;
    const isLit = light !== undefined && light.colour !== null;
    const atHand = { people, isGood, isLit, timeMs: time };
    if (isLit && people === 1) await eye.measureLight(takenAt);
    const isResting = run.phase === 'resting';
    // At rest only good frames count: they are what every later one is compared with.
    const canTie = eye.canTie();
    // That it takes its time is not the person's fault.
    if (!canTie) patience = createPatience(time);
    const counts = !isResting || (isGood && canTie && !prompter.waitsForGlasses(report, time));
    let isSame = true;
    if (isResting && counts) isSame = await frames.consider({ ...atHand, phase: run.phase, events: [] });
    const events = counts && (!isResting || frames.isKnown) ? run.observe(toObservation(report), time) : [];
    if (!take(events, time)) return false;
    if (!isResting) isSame = await frames.consider({ ...atHand, phase: run.phase, events });
    if (!isSame && !change(time)) return false;
    // Nobody is taken at their word who leaves, or is joined, at the very end.
    if (run.phase === 'passed' && frames.isEnough && people === 1 && eye.epoch() === epoch) {
      if (!light || light.isOver) return report.face?.light ?? 0;
      if (!light.hasBegun) light.begin();
    }
    if (run.phase === 'resting' || run.phase === 'passed') refuseWhenTired(patience, report, time);
    const screen = prompter.screen(run, report, size, time);
    show(light ? light.tint(screen) : screen);
  }
}

function refuseWhenTired(patience: Patience, report: FrameReport, time: number): void {
  const problem = patience.note(report, time);
  if (problem) throw new StepProblem(problem);
}
