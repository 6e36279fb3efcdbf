// Lets each target have a few calls at a time and a line of its own, and keeps places free for those that are quick.
//
// Calls that hang hold their place until their timeout, and there are only so many places. So who is not known to be
// quick shares a part of them, and takes no more than it leaves free: there is room for the next customer, and for a
// target that nobody knows yet.
import { Limiter } from '../platform/async/limiter.ts';

export interface LaneLimits {
  /** In calls and in lines, all targets together. */
  places: number;
  /** Calls to one target at a time. */
  perTarget: number;
  /** How many more may wait for them; a quick target's line is bounded by the places alone. */
  maxWaiting: number;
  /** Longest call, on average, of a target that is quick. */
  quickMs: number;
  /** How long one may wait, and how long a call may last before its target is taken for slow. */
  patienceMs: number;
}

/** `comeBackMs`: when, at the present pace, there should be room. */
type Turn<T> = { taken: true; value: T } | { taken: false; comeBackMs: number };

/** Who wants a turn, and where. */
export interface Caller {
  target: string;
  customer: string;
}

/** Targets whose pace is remembered while nothing goes to them. */
export const MAX_REMEMBERED = 10_000;
/** What a call is taken to last before the first has come back; one near by takes about this. */
const FIRST_GUESS_MS = 20;
/** How much the last call weighs in the average: a target that hung is quick again after some fifteen quick calls. */
const LAST_CALL_WEIGHT = 0.25;
/** Coming back costs two rows; sooner than this it would not be worth it. */
const SOONEST_MS = 500;
/** Nobody stays away for longer. Who comes back to a line that is still long is sent away again. */
const LATEST_MS = 600_000;
/** Of all places: for targets that are slow, and for these and unknown ones together. */
const SLOW_SHARE = 3 / 8;
const NOT_QUICK_SHARE = 1 / 2;

/** Times that were given to those turned away, one behind the other. */
interface Line {
  /** Moving average over the calls. */
  callMs: number;
  bookedTo: number;
}

interface Lane extends Line {
  limiter: Limiter;
  inside: number;
  /** Whether a call has come back, or was waited for in vain. */
  isKnown: boolean;
  /** When the calls under way began, oldest first. */
  calls: Set<{ began: number }>;
}

export function createLanes(limits: LaneLimits, now: () => number = () => performance.now()) {
  const { places, perTarget, maxWaiting, quickMs, patienceMs } = limits;
  const lanes = new Map<string, Lane>();
  const insiders = new Set<{ lane: Lane; customer: string }>();
  const shares = {
    slow: { places: Math.ceil(places * SLOW_SHARE), callMs: patienceMs, bookedTo: 0 },
    unknown: { places: Math.ceil(places * NOT_QUICK_SHARE), callMs: patienceMs, bookedTo: 0 },
  };

  function paceOf(lane: Lane): 'quick' | 'slow' | 'unknown' {
    const [oldest] = lane.calls;
    // A call that hangs says so only when it ends; that it has not ended says it now.
    if (lane.callMs > quickMs || (oldest && now() - oldest.began > patienceMs)) return 'slow';
    return lane.isKnown ? 'quick' : 'unknown';
  }

  /** Undefined when there is room; otherwise when to come back. */
  function refuse(lane: Lane, customer: string): { taken: false; comeBackMs: number } | undefined {
    const pace = paceOf(lane);
    if (pace === 'quick') return lane.inside < places - insiders.size ? undefined : turnAwayFrom(lane);
    if (lane.inside >= perTarget + maxWaiting) return turnAwayFrom(lane);
    const share = shares[pace];
    const rivals = [...insiders].filter((one) => {
      const theirs = paceOf(one.lane);
      return theirs === 'slow' || theirs === pace;
    });
    const own = rivals.filter((one) => one.customer === customer).length;
    return own < share.places - rivals.length ? undefined : turnAway(share, share.callMs / (share.places / 2), 0);
  }

  /** With half of the line still there, so that it never runs empty. */
  function turnAwayFrom(lane: Lane): { taken: false; comeBackMs: number } {
    const intervalMs = lane.callMs / perTarget;
    return turnAway(lane, intervalMs, (lane.inside / 2) * intervalMs);
  }

  /** Everybody who is turned away gets a time of their own, so that they do not all come back at once, or in vain. */
  function turnAway(line: Line, intervalMs: number, firstMs: number): { taken: false; comeBackMs: number } {
    const time = now();
    line.bookedTo = Math.min(Math.max(line.bookedTo, time + firstMs) + intervalMs, time + LATEST_MS);
    return { taken: false, comeBackMs: Math.max(line.bookedTo - time, SOONEST_MS) };
  }

  async function measure<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    const call = { began: now() };
    lane.calls.add(call);
    try {
      return await work();
    } finally {
      const lasted = now() - call.began;
      lane.calls.delete(call);
      lane.isKnown = true;
      lane.callMs += LAST_CALL_WEIGHT * (lasted - lane.callMs);
      if (paceOf(lane) === 'slow') shares.slow.callMs += LAST_CALL_WEIGHT * (lasted - shares.slow.callMs);
    }
  }

  function forgetOldest(): void {
    for (const [target, { inside }] of lanes) {
      if (lanes.size <= MAX_REMEMBERED) return;
      if (inside === 0) lanes.delete(target);
    }
  }

  return {
    /** Runs `work` in its target's turn; not taken, and nothing run, when there is no room or the line does not move. */
    async use<T>({ target, customer }: Caller, signal: AbortSignal, work: () => Promise<T>): Promise<Turn<T>> {
      const lane = lanes.get(target) ?? createLane(perTarget);
      const refusal = refuse(lane, customer);
      if (refusal) return refusal;
      // To the end of the map: at its beginning are those that were not called for longest.
      lanes.delete(target);
      lanes.set(target, lane);
      const insider = { lane, customer };
      insiders.add(insider);
      lane.inside += 1;
      forgetOldest();
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(), patienceMs);
      let begun = false;
      try {
        const call = () => {
          begun = true;
          clearTimeout(timer);
          return measure(lane, work);
        };
        const value = await lane.limiter.run(call, { signal: AbortSignal.any([signal, patience.signal]) });
        return { taken: true, value };
      } catch (error) {
        if (begun || signal.aborted) throw error;
        lane.isKnown = true;
        lane.callMs = Math.max(lane.callMs, patienceMs);
        return turnAwayFrom(lane);
      } finally {
        clearTimeout(timer);
        insiders.delete(insider);
        lane.inside -= 1;
      }
    },
  };
}

export type Lanes = ReturnType<typeof createLanes>;

function createLane(calls: number): Lane {
  const unmeasured = { callMs: FIRST_GUESS_MS, bookedTo: 0, isKnown: false };
  return { ...unmeasured, limiter: new Limiter({ maxRunning: calls }), inside: 0, calls: new Set() };
}
