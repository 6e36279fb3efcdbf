// Chooses the frames that are tied to the person: two at rest, no more than two for each movement, and those of the age.
import type { ChallengeEvent, ChallengePhase } from '../../face/index.ts';
import type { TiedPerson } from './tied-person.ts';

/** As many have to be alike before anything is asked. */
const AT_REST = 2;
/** To measure a face takes as long as to watch two frames. */
const PER_MOVEMENT = 2;
/** Apart, so that they are not all the same. */
const EVERY_MS = 150;
/** In the light of the screen, where frames are looked at for that too. */
const EVERY_LIT_MS = 900;
/** Frames that an age is estimated from at least. */
const MIN_KEPT = 3;

export interface FrameAtHand {
  phase: ChallengePhase;
  /** What it brought about. */
  events: readonly ChallengeEvent[];
  people: number;
  /** Nothing is wrong with it: the face is well seen and looks ahead. */
  isGood: boolean;
  /** By the colours of the screen: it is tied, and not kept. */
  isLit: boolean;
  timeMs: number;
}

export type FrameChooser = ReturnType<typeof createFrameChooser>;

export function createFrameChooser(person: TiedPerson) {
  /** When one was kept, or tied in the light of the screen. */
  let lastMs = -Infinity;
  /** For the movement that was shown last. */
  let spent = 0;
  let keptAfter = 0;

  function isChosen({ phase, events, isGood, isLit, timeMs }: FrameAtHand): boolean {
    if (person.isDoubted) return true;
    if (isLit) return timeMs - lastMs >= EVERY_LIT_MS;
    if (phase === 'resting') return isGood && person.kept < AT_REST;
    // The movement itself, while it is held.
    if (events.some(({ type }) => type === 'done')) return true;
    // Back at rest, which is when the next one is shown. The first one is shown to a face that was just tied.
    if (events.some((event) => event.type === 'shown' && event.index > 0)) return spent < PER_MOVEMENT;
    return phase === 'passed' && isGood && timeMs - lastMs >= EVERY_MS;
  }

  return {
    /** Who sits there is known: movements may be asked for. */
    get isKnown(): boolean {
      return person.kept >= AT_REST;
    },
    /** There are frames enough, also from after the last movement. */
    get isEnough(): boolean {
      return keptAfter > 0 && person.kept >= MIN_KEPT && !person.isDoubted;
    },
    /** Ties the frame that was watched last, if it is one to be tied. False when somebody else is there. */
    async consider(frame: FrameAtHand): Promise<boolean> {
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
