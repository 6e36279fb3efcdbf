// Declares kinds of jobs: name, retries and the types of payload and result.
import type { Transaction } from '../database/database.ts';

export interface JobKind<Payload, Result = void> {
  readonly kind: string;
  readonly maxAttempts: number;
  /** Time after which another process may take over a silent run. A run renews its lease. */
  readonly leaseMs: number;
  /** Maximum number of running jobs in one process. */
  readonly concurrency: number;
  readonly backoffMs: (attempt: number) => number;
  /** Longest wait by `backoffMs` or `runAt`. Only a fast clock can have written a longer one. */
  readonly longestWaitMs: number;
  /** Interval of a recurring job, from the end of a run, whether or not it succeeded. */
  readonly everyMs?: number;
  /** Whether the job waits while the clock is wrong, as everything that deletes or ends by the time does. */
  readonly needsRightClock: boolean;
  /** False if the payload must not outlive its last attempt. A dead job is then deleted. */
  readonly keepDead: boolean;
  /** Never set; carries the type, as `result` does. */
  readonly payload?: Payload;
  readonly result?: Result;
}

export interface JobRun {
  id: string;
  attempt: number;
  /** Whether a caller waits for the result. False after another process has taken the job over. */
  isAwaited: boolean;
  /** Aborted when the service stops or the lease is lost. A run that ends because of it is not counted. */
  signal: AbortSignal;
  /** Ends the job in the handler's own transaction, so that work and job are done together or not at all. */
  complete(trx: Transaction): Promise<void>;
}

export type JobHandler<Payload, Result = void> = (payload: Payload, run: JobRun) => Promise<Result>;

type JobOption = 'maxAttempts' | 'leaseMs' | 'concurrency' | 'backoffMs' | 'longestWaitMs' | 'keepDead';

const LONGEST_BACKOFF_MS = 600_000;
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
  options: Partial<Pick<JobKind<Payload>, JobOption>> = {},
): JobKind<Payload, Result> {
  return { kind, ...DEFAULTS, ...options };
}

/** Declares work that all processes together do once per interval. */
export function defineRecurringJob(
  kind: string,
  everyMs: number,
  { needsRightClock = true }: { needsRightClock?: boolean } = {},
): JobKind<null> {
  return { kind, ...DEFAULTS, concurrency: 1, everyMs, longestWaitMs: everyMs, needsRightClock };
}

export function exponentialBackoff(firstMs: number, mostMs: number): (attempt: number) => number {
  return (attempt) => {
    const base = Math.min(firstMs * 2 ** (attempt - 1), mostMs);
    return Math.round(base * (1 - JITTER + Math.random() * 2 * JITTER));
  };
}

/** Thrown by a handler if another try is pointless. The message is stored as the reason and must not be personal. */
export class JobAbandonedError extends Error {
  override readonly name = 'JobAbandonedError';

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
  }
}

/** Thrown to a waiting caller after the last attempt. `cause` is its error. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
}

/** The run may no longer finish the job, and its transaction must roll back. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}
