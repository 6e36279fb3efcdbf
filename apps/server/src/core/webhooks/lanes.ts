// Lets each target have a few calls at a time and a short line, so that a slow receiver holds up only itself.
import { createSlots, type Slots } from '../../platform/outbound/slots.ts';

export interface LaneLimits {
  /** Calls to one target at a time. */
  perTarget: number;
  /** How many more may wait for them. */
  maxWaiting: number;
  /** How many may wait unless the last call was slow: their turn comes soon, and coming back later costs more. */
  maxWaitingQuick: number;
  /** Longest call that is quick. */
  quickMs: number;
  /** How long one may wait. */
  patienceMs: number;
}

/** Slow targets that are remembered while nothing goes to them. */
const MAX_REMEMBERED = 10_000;

export const BUSY = Symbol('the target is busy');

export interface Lanes {
  /** Runs `work` in its target's turn; BUSY, and nothing run, when the line is long or does not move. */
  use<T>(target: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | typeof BUSY>;
}

interface Lane {
  slots: Slots;
  inside: number;
  isQuick: boolean;
}

export function createLanes(limits: LaneLimits): Lanes {
  const { perTarget, maxWaiting, maxWaitingQuick, quickMs, patienceMs } = limits;
  const lanes = new Map<string, Lane>();

  async function time<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      lane.isQuick = performance.now() - began <= quickMs;
    }
  }

  return {
    async use(target, signal, work) {
      const lane = lanes.get(target) ?? { slots: createSlots(perTarget), inside: 0, isQuick: true };
      if (lane.inside >= perTarget + (lane.isQuick ? maxWaitingQuick : maxWaiting)) return BUSY;
      lanes.set(target, lane);
      lane.inside += 1;
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(), patienceMs);
      let begun = false;
      try {
        return await lane.slots.use(AbortSignal.any([signal, patience.signal]), () => {
          begun = true;
          clearTimeout(timer);
          return time(lane, work);
        });
      } catch (error) {
        if (!begun && !signal.aborted) return BUSY;
        throw error;
      } finally {
        clearTimeout(timer);
        lane.inside -= 1;
        // A slow one is remembered, so that its next burst does not get a quick one's line.
        if (lane.inside === 0 && (lane.isQuick || lanes.size > MAX_REMEMBERED)) lanes.delete(target);
      }
    },
  };
}
