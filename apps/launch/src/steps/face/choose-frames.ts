// Chooses frames to tie to the person: two at rest, up to two per movement, and those for the age.
import type { ChallengeEvent, ChallengePhase } from '../../face/index.ts';
import type { TiedPerson } from './tied-person.ts';

/** Matching frames required before the first movement. */
const REST_FRAMES = 2;
/** Measuring a face takes as long as watching two frames. */
const MAX_PER_MOVEMENT = 2;
/** Spreads the frames over time. */
const INTERVAL_MS = 150;
/** Interval under the screen's light, when frames also have to be analyzed for light. */
const LIT_INTERVAL_MS = 900;
/** Minimum number of frames for an age estimate. */
const MIN_KEPT = 3;

export interface WatchedMoment {
  phase: ChallengePhase;
  /** Events caused by the frame. */
  events: readonly ChallengeEvent[];
  people: number;
  /** Whether the face is well visible and looks ahead. */
  isGood: boolean;
  /** Whether the screen lights the face. The frame is then tied but not kept. */
  isLit: boolean;
  timeMs: number;
}

export type FrameChooser = ReturnType<typeof createFrameChooser>;

export function createFrameChooser(person: TiedPerson) {
  /** Time of the last kept or lit frame. */
  let lastMs = -Infinity;
  /** Frames tied for the current movement. */
  let spent = 0;
  let keptAfter = 0;

  function isChosen({ phase, events, isGood, isLit, timeMs }: WatchedMoment): boolean {
    if (person.isDoubted) return true;
    if (isLit) return timeMs - lastMs >= LIT_INTERVAL_MS;
    if (phase === 'resting') return isGood && person.kept < REST_FRAMES;
    // The movement itself.
    if (events.some(({ type }) => type === 'done')) return true;
    // Back at rest, when the next movement is shown. The first one follows a face that was just
    // tied.
    if (events.some((event) => event.type === 'shown' && event.index > 0)) return spent < MAX_PER_MOVEMENT;
    return phase === 'passed' && isGood && timeMs - lastMs >= INTERVAL_MS;
  }

  return {
    /** Whether the person is known, so that movements may start. */
    get isKnown(): boolean {
      return person.kept >= REST_FRAMES;
    },
    /** Whether there are enough frames, including some after the last movement. */
    get isEnough(): boolean {
      return keptAfter > 0 && person.kept >= MIN_KEPT && !person.isDoubted;
    },
    /** Ties the last watched frame if it is chosen. Returns false if it shows another person. */
    async consider(frame: WatchedMoment): Promise<boolean> {
      const { phase, events, people, isGood, isLit, timeMs } = frame;
      const isShown = events.some(({ type }) => type === 'shown');
      if (people !== 1 || !isChosen(frame)) {
        if (isShown) spent = 0;
        return true;
      }
      const isMoving = events.some(({ type }) => type === 'done');
      const { kept } = person;
      const sameness = await person.tie(isGood && !isMoving, isLit);
      if (person.kept > kept || isLit) lastMs = timeMs;
      spent = isShown || phase === 'resting' ? 0 : spent + 1;
      if (phase === 'passed') keptAfter += person.kept - kept;
      return sameness !== 'changed';
    },
    clear(): void {
      person.clear();
      lastMs = -Infinity;
      spent = 0;
      keptAfter = 0;
    },
  };
}
