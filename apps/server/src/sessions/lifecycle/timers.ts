// Timers of sessions: end those that expired, delete those past their retention.
import { setImmediate } from 'node:timers/promises';
import { inBatches, inGroups } from '../../platform/base/batches.ts';
import { describeForLog } from '../../platform/base/errors.ts';
import type { Context } from '../../platform/context.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { SessionKind } from './kinds.ts';
import type { AnySession } from './session.ts';
import type { Sessions, StoredSession } from './sessions.ts';

const EXPIRY_BATCH = 200;
/** Enough to share a commit, few enough to let requests in (`npm run bench:sessions`) */
const EXPIRED_AT_ONCE = 8;
const RETENTION_BATCH = 100;
/** A request is read in the first turn. Its commit and reply fit into the others. */
const TURNS_FOR_OTHERS = 4;
const MAX_FAILED = 1_000;

const expireSessions = defineRecurringJob('sessions.expire', 2_000);
const purgeSessions = defineRecurringJob('sessions.purge', 60_000);

/** Starts both timers. `expire` ends a session. Sessions of other kinds are left to other processes. */
export function startSessionTimers(
  { jobs, log }: Pick<Context, 'jobs' | 'log'>,
  sessions: Sessions,
  kinds: readonly SessionKind[],
  expire: (session: AnySession) => Promise<void>,
) {
  let failed: ReadonlySet<string> = new Set();

  async function expireOverdue(signal: AbortSignal): Promise<void> {
    const failing = new Set<string>();
    let batch: StoredSession[] = [];
    do {
      if (signal.aborted) return;
      // Continues after the last session, so that sessions that cannot be ended do not delay later ones.
      batch = await sessions.listOverdue(kinds, batch.at(-1), EXPIRY_BATCH);
      await letOthersFinish();
      for (const group of inGroups(batch, EXPIRED_AT_ONCE)) {
        if (signal.aborted) return;
        await Promise.all(group.map((overdue) => expireOne(overdue, failing)));
        await letOthersFinish();
      }
    } while (batch.length === EXPIRY_BATCH);
    if (!signal.aborted) failed = failing;
  }

  /** Logs the start and the end of a failure, not every attempt in between. */
  async function expireOne(overdue: StoredSession, failing: Set<string>): Promise<void> {
    try {
      await expire(overdue.open());
    } catch (error) {
      const session = overdue.id;
      if (failing.size >= MAX_FAILED) return;
      failing.add(session);
      if (!failed.has(session)) {
        log.error({ ...describeForLog(error), session }, 'a session could not be expired; this will be retried');
        return;
      }
      // Not at the first failure: after a long downtime many are that old, and a second try may end them.
      if (!(await sessions.giveUp(overdue).catch(() => false))) return;
      failing.delete(session);
      log.error(
        { ...describeForLog(error), session },
        'a session that could not be expired was deleted without an end',
      );
    }
  }

  const purgeKept = (signal: AbortSignal) => inBatches(signal, RETENTION_BATCH, () => sessions.purge(RETENTION_BATCH));
  jobs.handle(expireSessions, (_payload, { signal }) => expireOverdue(signal));
  jobs.handle(purgeSessions, (_payload, { signal }) => purgeKept(signal));
  return { expireOverdue, purgeKept };
}

async function letOthersFinish(): Promise<void> {
  for (let turn = 0; turn < TURNS_FOR_OTHERS; turn += 1) await setImmediate();
}
