// What a kind of job is: its name, its patience, and the types of its payload and its result.
import type { Transaction } from '../database/database.ts';

export interface JobKind<Payload, Result = void> {
  readonly kind: string;
  /** Runs before the job counts as dead. */
  readonly maxAttempts: number;
  /** How long one run may be silent before another process may take the job over; renewed while it runs. */
  readonly leaseMs: number;
  /** How many of this kind one process runs at a time. */
  readonly concurrency: number;
  /** Wait before the next try, after `attempt` failures. */
  readonly backoffMs: (attempt: number) => number;
  /** The longest that anybody puts one off, by `backoffMs` or `runAt`: what is put off for longer was so by a clock that was ahead. */
  readonly longestWaitMs: number;
  /** A job that returns by itself this long after each run, whether the run succeeded or not. */
  readonly everyMs?: number;
  /** Whether the job waits while the clock is wrong, as everything that deletes or ends by the time does. */
  readonly needsRightClock: boolean;
  /** False for jobs whose payload must not outlive its last attempt: a dead one is deleted. */
  readonly keepDead: boolean;
  /** Only for the types. */
  readonly payload?: Payload;
  readonly result?: Result;
}

export interface JobRun {
  id: string;
  /** 1 for the first run. */
  attempt: number;
  /** Whether a caller waits for the result; not so once another process has taken the job over. */
  isAwaited: boolean;
  /** Aborted when the service wants to stop or the lease is lost; a run that ends by it is not counted. */
  signal: AbortSignal;
  /** Ends the job as part of the handler's own transaction, so that work and job are done together or not at all. */
  complete(trx: Transaction): Promise<void>;
}

export type JobHandler<Payload, Result = void> = (payload: Payload, run: JobRun) => Promise<Result>;

interface JobKindOptions {
  maxAttempts?: number;
  leaseMs?: number;
  concurrency?: number;
  backoffMs?: (attempt: number) => number;
  longestWaitMs?: number;
  keepDead?: boolean;
}

const LONGEST_BACKOFF_MS = 600_000;
/** How much longer or shorter a wait is by chance. */
const JITTER = 0.1;
const DEFAULTS = {
  maxAttempts: 8,
  leaseMs: 30_000,
  concurrency: 4,
  backoffMs: exponentialBackoff(1_000, LONGEST_BACKOFF_MS),
  longestWaitMs: LONGEST_BACKOFF_MS * (1 + JITTER),
  keepDead: true,
  needsRightClock: false,
};

export function defineJob<Payload, Result = void>(
  kind: string,
  options: JobKindOptions = {},
): JobKind<Payload, Result> {
  return { kind, ...DEFAULTS, ...options };
}

/** Work that all processes together do once per interval. */
export function defineRecurringJob(
  kind: string,
  everyMs: number,
  { needsRightClock = true }: { needsRightClock?: boolean } = {},
): JobKind<null> {
  return { kind, ...DEFAULTS, concurrency: 1, everyMs, longestWaitMs: everyMs, needsRightClock };
}

/** Doubles from `firstMs` to `mostMs`, each time with up to 20 % of jitter so that failures do not march in step. */
export function exponentialBackoff(firstMs: number, mostMs: number): (attempt: number) => number {
  return (attempt) => {
    const base = Math.min(firstMs * 2 ** (attempt - 1), mostMs);
    return Math.round(base * (1 - JITTER + Math.random() * 2 * JITTER));
  };
}

/** Thrown by a handler: trying again is pointless, the job is dead now. `reason` is stored and must not be personal. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp';
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

/** Told to whoever waited for a job: its last attempt failed, for the reason in `cause`. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
}

/** The run is no longer the one that may finish the job; whatever its transaction wrote must not stand. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
