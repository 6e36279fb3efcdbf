// Follows one person from the first good frame to the last: at rest, through the movements, and
// under the screen's light.
import type { CaptureFacts } from '@limen/contract';
import type { FacePlanStep, LogEntry } from '@limen/plan';
import type { Screen } from '../../course/screens.ts';
import { type ChallengeEvent, createChallengeRun, type FrameReport, toObservation } from '../../face/index.ts';
import { StepProblem } from '../step-problem.ts';
import { createFrameChooser, type FrameChooser } from './choose-frames.ts';
import { createPatience, type Patience } from './guidance.ts';
import type { KnownColors, LightRun, StepClock } from './light-run.ts';
import { createPresence } from './presence.ts';
import { createPrompter, type Prompter } from './prompts.ts';
import type { Tally } from './tally.ts';
import { createTiedPerson, type FaceEye } from './tied-person.ts';

export interface TakenFrame {
  image: ImageBitmap;
  /** Whether the page was hidden or covered since the last frame, which voids current work. */
  afterPause: boolean;
}

export interface FaceStepOptions {
  step: FacePlanStep;
  course: FaceCourse;
  wants: {
    /** Whether a later step compares the face. */
    embedding: boolean;
    /** Whether the host requested a selfie. */
    selfie: boolean;
  };
  eye: FaceEye;
  camera: {
    nextFrame(): Promise<TakenFrame>;
    /** Returns the known facts about the camera. */
    readFacts?(): CaptureFacts;
  };
  light: KnownColors;
  show(screen: Screen): void;
  clock: StepClock;
}

interface FaceCourse {
  index: number;
  /** Whether the step is in the log, because the page was reloaded. */
  begun: boolean;
  tally: Tally;
  record(event: LogEntry[0], index: number): void;
}

/** The service measures too, slightly later than the page. */
const MARGIN_MS = 250;
/** One change of person may be a false alarm; two are not. */
const MAX_CHANGES = 1;
/** Interruptions cost no attempt, but each needs log entries, which are limited. */
const MAX_INTERRUPTIONS = 3;

/** Resolves to the final brightness of the face; false if the person changed or failed. */
export function followPerson(options: FaceStepOptions, light: LightRun | undefined): Promise<number | false> {
  return new PersonFollower(options, light).follow();
}

class PersonFollower {
  readonly #options: FaceStepOptions;
  readonly #light: LightRun | undefined;
  readonly #run: ReturnType<typeof createChallengeRun>;
  readonly #frames: FrameChooser;
  readonly #presence = createPresence();
  readonly #prompter: Prompter;
  #patience: Patience;
  #epoch: number;

  constructor(options: FaceStepOptions, light: LightRun | undefined) {
    const { step, eye, clock } = options;
    const { eyesClosed, eyesOpen } = eye.limits;
    const rules = { challengeMs: step.challengeMs - MARGIN_MS, eyesClosed, eyesOpen };
    this.#options = options;
    this.#light = light;
    this.#run = createChallengeRun(step.challenges, rules);
    this.#frames = createFrameChooser(createTiedPerson(eye));
    this.#prompter = createPrompter(step);
    this.#patience = createPatience(clock.now());
    this.#epoch = eye.epoch();
    light?.clear();
  }

  async follow(): Promise<number | false> {
    const { eye, camera, show, clock } = this.#options;
    const [run, light, frames] = [this.#run, this.#light, this.#frames];
    for (;;) {
      const { image, afterPause } = await camera.nextFrame();
      const takenAt = clock.now();
      const size = { width: image.width, height: image.height };
      if (afterPause) {
        // Not the person's fault, so it is no attempt.
        this.#startOver();
        this.#presence.clear();
        this.#patience = createPatience(clock.now());
      }
      const report = await eye.watch(image);
      const time = clock.now();
      const { people } = report;
      if (this.#isInterrupted(people, time) && !this.#interrupt(time)) return false;
      const isGood = report.problems.length === 0;
      const isLit = light !== undefined && light.colour !== null;
      const atHand = { people, isGood, isLit, timeMs: time };
      if (isLit && people === 1) await eye.measureLight(takenAt);
      const isResting = run.phase === 'resting';
      // At rest only good frames count, because later frames are compared with them.
      const canTie = eye.canTie();
      // Loading time is not the person's fault.
      if (!canTie) this.#patience = createPatience(time);
      const counts = !isResting || (isGood && canTie && !this.#prompter.waitsForGlasses(report, time));
      let isSame = true;
      if (isResting && counts) isSame = await frames.consider({ ...atHand, phase: run.phase, events: [] });
      const events = counts && (!isResting || frames.isKnown) ? run.observe(toObservation(report), time) : [];
      if (!this.#take(events, time)) return false;
      if (!isResting) isSame = await frames.consider({ ...atHand, phase: run.phase, events });
      if (!isSame && !this.#change(time)) return false;
      // The attempt does not pass if the person leaves or is joined at the very end.
      if (run.phase === 'passed' && frames.isEnough && people === 1 && eye.epoch() === this.#epoch) {
        if (!light || light.isOver) return report.face?.light ?? 0;
        if (!light.hasBegun) light.begin();
      }
      if (run.phase === 'resting' || run.phase === 'passed') refuseWhenTired(this.#patience, report, time);
      const screen = this.#prompter.screen(run, report, size, time);
      show(light ? light.tint(screen) : screen);
    }
  }

  #isInterrupted(people: number, time: number): boolean {
    // The reference is lost, and the next face would replace it.
    const isUnknown = this.#options.eye.epoch() !== this.#epoch;
    this.#epoch = this.#options.eye.epoch();
    // The new worker's startup time is not the person's fault.
    if (isUnknown) this.#patience = createPatience(time);
    return this.#presence.isInterrupted(people, time) || this.#light?.isLapsed === true || isUnknown;
  }

  /** Voids the work in progress. */
  #startOver(): void {
    const { index, record } = this.#options.course;
    if (this.#run.phase !== 'resting') record('retried', index);
    this.#run.startOver();
    this.#forget();
  }

  #forget(): void {
    this.#frames.clear();
    this.#light?.clear();
  }

  /** Returns false if no attempts are left. */
  #take(events: readonly ChallengeEvent[], time: number): boolean {
    const { step, course } = this.#options;
    for (const event of events) {
      if (event.type === 'failed') return false;
      if (event.type === 'retried') {
        course.record('retried', course.index);
        this.#forget();
      } else course.record(event.type, event.index);
      if (event.type === 'done' && event.index === step.cameraRequest?.after) course.record('asked', event.index);
      this.#prompter.note(event.type, time);
      this.#patience = createPatience(time);
    }
    return true;
  }

  /** Handles an interruption. Returns false if no attempts are left. */
  #interrupt(time: number): boolean {
    const { tally } = this.#options.course;
    const isResting = this.#run.phase === 'resting';
    if (!isResting) tally.interruptions += 1;
    if (!isResting && tally.interruptions > MAX_INTERRUPTIONS) return this.#take(this.#run.retry(), time);
    this.#startOver();
    if (isResting) return true;
    this.#prompter.note('retried', time);
    this.#patience = createPatience(time);
    return true;
  }

  /** Handles a change of person, which is allowed at rest. Returns false after too many. */
  #change(time: number): boolean {
    const { tally } = this.#options.course;
    if (this.#run.phase === 'resting') {
      this.#startOver();
      return true;
    }
    tally.changes += 1;
    if (tally.changes > MAX_CHANGES || !this.#take(this.#run.retry(), time)) return false;
    this.#prompter.note('changed', time);
    return true;
  }
}

function refuseWhenTired(patience: Patience, report: FrameReport, time: number): void {
  const problem = patience.note(report, time);
  if (problem) throw new StepProblem(problem);
}
