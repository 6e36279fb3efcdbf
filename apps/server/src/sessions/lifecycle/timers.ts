// The timers of sessions: those past their time are ended, those past their retention are deleted.
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { inBatches } from '../../platform/base/batches.ts';
import { describeForLog } from '../../platform/base/errors.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { SessionKind } from './kinds.ts';
import type { AnySession } from './session.ts';
import type { OverdueSession, Sessions } from './sessions.ts';

/** A reader of a session that is overdue ends it at once; this is only how late its webhook may be. */
const EXPIRY_EVERY_MS = 2_000;
const RETENTION_EVERY_MS = 60_000;
/** Overdue sessions that are read at once. */
const EXPIRY_BATCH = 200;
/**
 * Sessions that are ended side by side: enough to share a commit, few enough that a request in between soon has its
 * turn. `npm run bench:sessions` measures it.
 */
const EXPIRED_AT_ONCE = 8;
/** Sessions that are deleted in one transaction, with a dozen statements for all of them. */
const RETENTION_BATCH = 100;
/**
 * Turns of the event loop between two of those. Whoever has come in the meantime is read in the first one, and has its commit and its
 * reply within the others: with a single turn its commit would also wait for the next sessions. A turn in which nobody comes costs nothing.
 */
const TURNS_FOR_OTHERS = 4;
/** Sessions that cannot be ended and are remembered for it; the next ones have their turn when these are deleted. */
const MAX_FAILED = 1_000;

const expireSessions = defineRecurringJob('sessions.expire', EXPIRY_EVERY_MS);
const purgeSessions = defineRecurringJob('sessions.purge', RETENTION_EVERY_MS);

interface SessionTimersOptions {
  sessions: Sessions;
  /** Others are left to other processes. */
  kinds: readonly SessionKind[];
  /** How a session ends by itself. */
  expire(session: AnySession): Promise<void>;
  log: Logger;
}

export function createSessionTimers({ sessions, kinds, expire, log }: SessionTimersOptions) {
  /** What could not be ended in the last whole pass. */
  let failed: ReadonlySet<string> = new Set();

  return {
    /** Ends what is past its time, in batches, until nothing is left or the signal aborts. */
    async expireOverdue(signal: AbortSignal) {
      const failing = new Set<string>();
      const end = (overdue: OverdueSession) => expireOne(overdue, failing);
      let last: OverdueSession | undefined;
      let full = true;
      while (full && !signal.aborted) {
        // Goes on behind the last one, so that sessions that cannot be ended do not delay those after them.
        const batch = await sessions.listOverdue(kinds, last, EXPIRY_BATCH);
        await letOthersFinish();
        for (let from = 0; from < batch.length && !signal.aborted; from += EXPIRED_AT_ONCE) {
          await Promise.all(batch.slice(from, from + EXPIRED_AT_ONCE).map(end));
          await letOthersFinish();
        }
        last = batch.at(-1);
        full = batch.length === EXPIRY_BATCH;
      }
      if (!signal.aborted) failed = failing;
    },

    /** Deletes what is past its retention, in the same way. */
    purgeKept: (signal: AbortSignal) => inBatches(signal, RETENTION_BATCH, () => sessions.purge(RETENTION_BATCH)),
  };

  async function expireOne(overdue: OverdueSession, failing: Set<string>): Promise<void> {
    try {
      await expire(overdue.open());
    } catch (error) {
      await noteFailure(overdue, failing, error);
    }
  }

  /** One line when it begins and one when it ends; nothing every two seconds in between. */
  async function noteFailure(overdue: OverdueSession, failing: Set<string>, error: unknown): Promise<void> {
    const session = overdue.id;
    if (failing.size >= MAX_FAILED) return;
    failing.add(session);
    if (!failed.has(session)) {
      log.error({ ...describeForLog(error), session }, 'a session could not be expired; this will be retried');
      return;
    }
    // Not at the first failure: after a long standstill many are that old, and a second try may end them.
    const gone = await sessions.giveUp(overdue).catch(() => false); // else again in the next pass
    if (!gone) return;
    failing.delete(session);
    log.error({ ...describeForLog(error), session }, 'a session that could not be expired was deleted without an end');
  }
}

export type SessionTimers = ReturnType<typeof createSessionTimers>;

async function letOthersFinish(): Promise<void> {
  for (let turn = 0; turn < TURNS_FOR_OTHERS; turn += 1) await setImmediate();
}

export function registerSessionTimers(jobs: Jobs, timers: SessionTimers): void {
  jobs.handle(expireSessions, (_payload, { signal }) => timers.expireOverdue(signal));
  jobs.handle(purgeSessions, (_payload, { signal }) => timers.purgeKept(signal));
}
