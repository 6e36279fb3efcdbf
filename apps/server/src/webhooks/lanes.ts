// Gives each target a few concurrent calls and a queue of its own. Targets that are not known to be quick share a part of the places,
// of which each customer leaves some to others, because a call that hangs holds its place until its timeout.
import { Limiter } from '../platform/async/limiter.ts';

export interface LaneLimits {
  places: number;
  perTarget: number;
  maxWaiting: number;
  quickMs: number;
  /** Maximum wait in the queue, and the duration of a call from which its target counts as slow. */
  patienceMs: number;
}

type LaneTurn<T> = { taken: true; value: T } | { taken: false; comeBackMs: number };

export interface Caller {
  target: string;
  customer: string;
}

/** Targets whose pace is remembered without calls. */
export const MAX_REMEMBERED = 10_000;
const FIRST_GUESS_MS = 20;
/** Weight of the last call in the average: a target that hung is quick again after some fifteen quick calls. */
const LAST_CALL_WEIGHT = 0.25;
/** Lower bound for a return, which costs two rows. */
const MIN_DEFERRAL_MS = 500;
/** Upper bound for a return. If the queue is still long then, the caller is turned away again. */
const MAX_DEFERRAL_MS = 600_000;
/** Shares of all places: for slow targets, and for slow and unknown ones together. */
const SLOW_SHARE = 3 / 8;
const SLOW_OR_UNKNOWN_SHARE = 1 / 2;

class TargetLane {
  /** Moving average over the calls. */
  callMs = FIRST_GUESS_MS;
  bookedTo = 0;
  inside = 0;
  isKnown = false;
  readonly calls = new Set<{ began: number }>();
  readonly limiter: Limiter;

  constructor(maxRunning: number) {
    this.limiter = new Limiter({ maxRunning });
  }
}

/** Return times of callers who were turned away. */
type Bookings = Pick<TargetLane, 'callMs' | 'bookedTo'>;

export class Lanes {
  readonly #limits: LaneLimits;
  readonly #now: () => number;
  readonly #lanes = new Map<string, TargetLane>();
  readonly #insiders = new Set<{ lane: TargetLane; customer: string }>();
  readonly #shares: Record<'slow' | 'unknown', Bookings & { places: number }>;

  constructor(limits: LaneLimits, now: () => number = () => performance.now()) {
    const { places, patienceMs: callMs } = limits;
    this.#limits = limits;
    this.#now = now;
    this.#shares = {
      slow: { places: Math.ceil(places * SLOW_SHARE), callMs, bookedTo: 0 },
      unknown: { places: Math.ceil(places * SLOW_OR_UNKNOWN_SHARE), callMs, bookedTo: 0 },
    };
  }

  /** Runs `work` in its target's turn, unless there is no room or the queue does not move. */
  async use<T>({ target, customer }: Caller, signal: AbortSignal, work: () => Promise<T>): Promise<LaneTurn<T>> {
    const { perTarget, patienceMs } = this.#limits;
    const lane = this.#lanes.get(target) ?? new TargetLane(perTarget);
    const refusal = this.#refuse(lane, customer);
    if (refusal) return refusal;
    this.#lanes.delete(target);
    this.#lanes.set(target, lane);
    const insider = { lane, customer };
    this.#insiders.add(insider);
    lane.inside += 1;
    this.#forgetOldest();
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), patienceMs);
    let hasBegun = false;
    try {
      const call = () => {
        hasBegun = true;
        clearTimeout(timer);
        return this.#measure(lane, work);
      };
      const value = await lane.limiter.run(call, { signal: AbortSignal.any([signal, patience.signal]) });
      return { taken: true, value };
    } catch (error) {
      if (hasBegun || signal.aborted) throw error;
      lane.isKnown = true;
      lane.callMs = Math.max(lane.callMs, patienceMs);
      return this.#turnAwayFrom(lane);
    } finally {
      clearTimeout(timer);
      this.#insiders.delete(insider);
      lane.inside -= 1;
    }
  }

  #paceOf(lane: TargetLane): 'quick' | 'slow' | 'unknown' {
    const { quickMs, patienceMs } = this.#limits;
    const [oldest] = lane.calls;
    // A call that hangs counts before it ends.
    if (lane.callMs > quickMs || (oldest && this.#now() - oldest.began > patienceMs)) return 'slow';
    return lane.isKnown ? 'quick' : 'unknown';
  }

  #refuse(lane: TargetLane, customer: string) {
    const { places, perTarget, maxWaiting } = this.#limits;
    const pace = this.#paceOf(lane);
    if (pace === 'quick') return lane.inside < places - this.#insiders.size ? undefined : this.#turnAwayFrom(lane);
    if (lane.inside >= perTarget + maxWaiting) return this.#turnAwayFrom(lane);
    const share = this.#shares[pace];
    const rivals = [...this.#insiders].filter((insider) => ['slow', pace].includes(this.#paceOf(insider.lane)));
    const own = rivals.filter((insider) => insider.customer === customer).length;
    return own < share.places - rivals.length ? undefined : this.#turnAway(share, share.callMs / (share.places / 2), 0);
  }

  /** Books a return when half of the queue should be left, so that it never runs empty. */
  #turnAwayFrom(lane: TargetLane) {
    const intervalMs = lane.callMs / this.#limits.perTarget;
    return this.#turnAway(lane, intervalMs, (lane.inside / 2) * intervalMs);
  }

  #turnAway(bookings: Bookings, intervalMs: number, firstMs: number): { taken: false; comeBackMs: number } {
    const time = this.#now();
    bookings.bookedTo = Math.min(Math.max(bookings.bookedTo, time + firstMs) + intervalMs, time + MAX_DEFERRAL_MS);
    return { taken: false, comeBackMs: Math.max(bookings.bookedTo - time, MIN_DEFERRAL_MS) };
  }

  async #measure<T>(lane: TargetLane, work: () => Promise<T>): Promise<T> {
    const call = { began: this.#now() };
    lane.calls.add(call);
    try {
      return await work();
    } finally {
      const lasted = this.#now() - call.began;
      lane.calls.delete(call);
      lane.isKnown = true;
      lane.callMs += LAST_CALL_WEIGHT * (lasted - lane.callMs);
      const { slow } = this.#shares;
      if (this.#paceOf(lane) === 'slow') slow.callMs += LAST_CALL_WEIGHT * (lasted - slow.callMs);
    }
  }

  #forgetOldest(): void {
    for (const [target, { inside }] of this.#lanes) {
      if (this.#lanes.size <= MAX_REMEMBERED) return;
      if (inside === 0) this.#lanes.delete(target);
    }
  }
}
