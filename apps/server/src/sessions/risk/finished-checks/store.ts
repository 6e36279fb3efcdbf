// The SQL of what is remembered of finished checks: digests and times, without a way to a session or a person.
import { sql } from 'kysely';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { executeIn } from '../../../platform/database/execute-in.ts';
import { prepareQuery, prepareWrite } from '../../../platform/database/prepare-query.ts';

export function createCheckStore({ queries, engine }: Pick<Database, 'queries' | 'engine'>) {
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
    /** False if the digest is known already. A concurrent transaction with the same digest waits for this one. */
    addLog: async (trx: Transaction, digest: Buffer, seen_at: number) =>
      (await insertLog(trx, { digest, seen_at })).changed > 0,

    /**
     * False if `limit` checks were counted since `since`; then this one is not counted. Transactions with the same digest
     * take turns, so that several processes count exactly.
     */
    async addCheck(
      trx: Transaction,
      digest: Buffer,
      { now, since, limit }: { now: number; since: number; limit: number },
    ) {
      // SQLite has one writer at a time.
      if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${digest.readBigInt64BE()})`.execute(trx);
      const { rows } = await executeIn(trx, await compileCount(digest, since));
      if (Number(rows[0]?.counted ?? 0) >= limit) return false;
      await insertCheck(trx, { digest, seen_at: now });
      return true;
    },

    /** Deletes about `limit` rows that are older than this; returns `limit` if there may be more. */
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

export type CheckStore = ReturnType<typeof createCheckStore>;
