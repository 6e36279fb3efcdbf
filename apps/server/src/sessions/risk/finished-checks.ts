// Compares a finished check with earlier ones: bursts, repeated step logs, missing browser data.
import type { Indicators } from '@limen/contract';
import { sql } from 'kysely';
import { formatOwner } from '../../platform/api-keys/owner.ts';
import { inBatches } from '../../platform/base/batches.ts';
import type { Context } from '../../platform/context.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { executeIn, prepareQuery, prepareWrite } from '../../platform/database/prepare-query.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { AnySession } from '../lifecycle/session.ts';
import type { Finding } from './table.ts';

export interface FinishedCheck {
  /** IPv4 address or IPv6 /64 of the client; undefined if it may be a proxy's */
  client: string | undefined;
  /** Milliseconds between the entries of the step log that people time; empty without a face step */
  rhythm: readonly number[];
}

const MINUTE_MS = 60_000;
/** Together with the purge interval, less than a day */
const LOGS_KEPT_MS = 23 * 60 * MINUTE_MS;

/** A coarser step would match more altered copies, and more honest people (honest-rhythms.test.ts). */
const RHYTHM_STEP_MS = 2;
/** Three movements: fewer times agree by chance between two people. */
const MIN_RHYTHM = 6;

type CheckContext = Pick<Context, 'database' | 'sealer' | 'clock'> & { apiKeys: Pick<Context['apiKeys'], 'traitsOf'> };

export function createFinishedChecks({ database, sealer, apiKeys, clock }: CheckContext, burstPerMinute: number) {
  const store = createCheckStore(database);

  return {
    /** `remember` runs first in the ending transaction, so that concurrent checks have an order. */
    async examine(
      { owner, apiKeyId }: Pick<AnySession, 'owner' | 'apiKeyId'>,
      { client, rhythm }: FinishedCheck,
      indicators: Indicators | null,
    ) {
      const { nativeApp, kiosk } = await apiKeys.traitsOf(apiKeyId);
      const isCounted = client !== undefined && burstPerMinute > 0 && owner.world === 'live' && !kiosk;
      const ofClient = isCounted && sealer.digest('recent_checks/digest', `${apiKeyId}\n${client}`);
      const steps = roundRhythm(rhythm);
      const ofLog = steps && sealer.digest('recent_logs/digest', `${formatOwner(owner)}\n${steps}`);
      const findings: Finding[] = indicators === null && !nativeApp ? ['browserDataMissing'] : [];
      async function remember(trx: Transaction): Promise<Finding[]> {
        const now = clock.now();
        const isBurst = ofClient && !(await store.addCheck(trx, ofClient, now, burstPerMinute));
        const isRepeated = ofLog && !(await store.addLog(trx, ofLog, now));
        return [...(isBurst ? (['addressBurst'] as const) : []), ...(isRepeated ? (['logRepeated'] as const) : [])];
      }
      return { findings, remember };
    },

    async purge(limit: number): Promise<number> {
      const now = clock.now();
      const checks = await store.purge('recent_checks', now - MINUTE_MS, limit);
      return Math.max(checks, await store.purge('recent_logs', now - LOGS_KEPT_MS, limit));
    },
  };
}

export type FinishedChecks = ReturnType<typeof createFinishedChecks>;

/** Returns one text for all logs that count as equal, or undefined for logs too short to compare. */
export function roundRhythm(rhythm: readonly number[]): string | undefined {
  if (rhythm.length < MIN_RHYTHM) return undefined;
  return rhythm.map((ms) => Math.round(ms / RHYTHM_STEP_MS)).join();
}

function createCheckStore({ queries, engine }: Pick<Database, 'queries' | 'engine'>) {
  const insertLog = prepareWrite((row: { digest: Buffer; seen_at: number }) =>
    queries
      .insertInto('recent_logs')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  );
  const insertCheck = prepareWrite((row: { digest: Buffer; seen_at: number }) =>
    queries
      .insertInto('recent_checks')
      .values({ ...row, checks: 1 })
      .onConflict((conflict) =>
        conflict.columns(['digest', 'seen_at']).doUpdateSet({ checks: sql`recent_checks.checks + 1` }),
      ),
  );

  const compileCount = prepareQuery(
    async (query) => query,
    (digest: Buffer, since: number) =>
      queries
        .selectFrom('recent_checks')
        .select(({ fn }) => fn.sum<number | string | null>('checks').as('counted'))
        .where('digest', '=', digest)
        .where('seen_at', '>', since),
  );

  return {
    /** Returns false if the digest is known. A concurrent transaction with the same digest waits. */
    addLog: async (trx: Transaction, digest: Buffer, seen_at: number) =>
      (await insertLog(trx, { digest, seen_at })).changed > 0,

    /** Returns false over `limit`. Equal digests take turns, so that several processes count exactly. */
    async addCheck(trx: Transaction, digest: Buffer, now: number, limit: number) {
      if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${digest.readBigInt64BE()})`.execute(trx);
      const { rows } = await executeIn(trx, await compileCount(digest, now - MINUTE_MS));
      if (Number(rows[0]?.counted ?? 0) >= limit) return false;
      await insertCheck(trx, { digest, seen_at: now });
      return true;
    },

    async purge(table: 'recent_logs' | 'recent_checks', olderThan: number, limit: number) {
      const last = await queries
        .selectFrom(table)
        .select('seen_at')
        .where('seen_at', '<=', olderThan)
        .orderBy('seen_at')
        .offset(limit - 1)
        .limit(1)
        .executeTakeFirst();
      await queries
        .deleteFrom(table)
        .where('seen_at', '<=', last?.seen_at ?? olderThan)
        .execute();
      return last ? limit : 0;
    },
  };
}

const BATCH = 1_000;
const purgeChecks = defineRecurringJob('finished_checks.purge', 30 * 60_000);

export function openFinishedChecks(context: Context, burstPerMinute: number): FinishedChecks {
  const checks = createFinishedChecks(context, burstPerMinute);
  context.jobs.handle(purgeChecks, (_payload, { signal }) => inBatches(signal, BATCH, () => checks.purge(BATCH)));
  return checks;
}
