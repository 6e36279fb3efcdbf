// Lets each target have a few calls at a time and a line of its own, so that a slow receiver holds up only itself.
import { createSlots, type Slots } from '../../platform/outbound/slots.ts';

export interface LaneLimits {
  /** Calls to one target at a time. */
  perTarget: number;
  /** How many more may wait for them. */
  maxWaiting: number;
  /** How many may wait while the target is quick: their turn comes soon, and coming back later costs more. */
  maxWaitingQuick: number;
  /** Longest call, on average, of a target that is quick. */
  quickMs: number;
  /** How long one may wait. */
  patienceMs: number;
}

/** `comeBackMs`: when, at the target's present pace, there should be room in its line. */
export type Turn<T> = { taken: true; value: T } | { taken: false; comeBackMs: number };

export interface Lanes {
  /** Runs `work` in its target's turn; not taken, and nothing run, when the line is long or does not move. */
  use<T>(target: string, signal: AbortSignal, work: () => Promise<T>): Promise<Turn<T>>;
}

/** Slow targets that are remembered while nothing goes to them. */
const MAX_REMEMBERED = 10_000;
/** What a call is taken to last before the first has come back; one near by takes about this. */
const FIRST_GUESS_MS = 20;
/** How much the last call weighs in the average: a target that hung is quick again after some fifteen quick calls. */
const LAST_CALL_WEIGHT = 0.25;
/** Coming back costs two rows; sooner than this it would not be worth it. */
const SOONEST_MS = 500;
/** 100,000 webhooks to a receiver that hangs cost the rest 170 such returns per second; all are sent within this, too. */
const LATEST_MS = 600_000;

interface Lane {
  slots: Slots;
  inside: number;
  /** Moving average over the calls. */
  callMs: number;
  /** Those who were turned away have been given the times until then. */
  bookedTo: number;
}

export function createLanes(limits: LaneLimits, now: () => number = () => performance.now()): Lanes {
  const { perTarget, maxWaiting, maxWaitingQuick, quickMs, patienceMs } = limits;
  const lanes = new Map<string, Lane>();
  const isQuick = ({ callMs }: Lane) => callMs <= quickMs;

  async function measure<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    const began = now();
    try {
      return await work();
    } finally {
      lane.callMs += LAST_CALL_WEIGHT * (now() - began - lane.callMs);
    }
  }

  /** Everybody who is turned away gets a time of their own, so that they do not all come back at once, or in vain. */
  function turnAway(lane: Lane): { taken: false; comeBackMs: number } {
    const time = now();
    const paceMs = lane.callMs / perTarget;
    // With half of the line still there, so that it never runs empty.
    const wanted = Math.max(lane.bookedTo, time + (lane.inside / 2) * paceMs) + paceMs;
    lane.bookedTo = Math.min(wanted, time + LATEST_MS);
    return { taken: false, comeBackMs: Math.max(lane.bookedTo - time, SOONEST_MS) };
  }

  return {
    async use(target, signal, work) {
      const fresh = () => ({ slots: createSlots(perTarget), inside: 0, callMs: FIRST_GUESS_MS, bookedTo: 0 });
      const lane = lanes.get(target) ?? fresh();
      if (lane.inside >= perTarget + (isQuick(lane) ? maxWaitingQuick : maxWaiting)) return turnAway(lane);
      lanes.set(target, lane);
      lane.inside += 1;
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(), patienceMs);
      let begun = false;
      try {
        const value = await lane.slots.use(AbortSignal.any([signal, patience.signal]), () => {
          begun = true;
          clearTimeout(timer);
          return measure(lane, work);
        });
        return { taken: true, value };
      } catch (error) {
        if (begun || signal.aborted) throw error;
        // Calls that hang say so only when they end; that nobody's turn comes says it now.
        lane.callMs = Math.max(lane.callMs, patienceMs);
        return turnAway(lane);
      } finally {
        clearTimeout(timer);
        lane.inside -= 1;
        // A slow one is remembered, so that its next burst does not get a quick one's line.
        if (lane.inside === 0 && (isQuick(lane) || lanes.size > MAX_REMEMBERED)) lanes.delete(target);
      }
    },
  };
}
