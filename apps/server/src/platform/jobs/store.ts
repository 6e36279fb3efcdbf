// The SQL of jobs: an outbox table with leases.
import { sql } from 'kysely';
import type { Database, InTransaction, Queries, Transaction } from '../database/database.ts';
import { prepareWrite } from '../database/prepare-query.ts';
import type { Schema } from '../database/schema.ts';

export type JobRow = Schema['jobs'];
export type NewJobRow = Pick<JobRow, 'id' | 'kind' | 'payload' | 'run_at' | 'unique_key' | 'created_at'>;
/** Of a run that begins with the job. */
interface FirstLease {
  token: string;
  until: number;
}
type LeasedJobRow = Pick<JobRow, 'id' | 'kind' | 'payload' | 'created_at'>;
export type Claim = Pick<JobRow, 'kind'> & {
  now: number;
  leaseUntil: number;
  leaseToken: string;
  limit: number;
  /** Whether to look for jobs whose lease ran out, too. */
  abandonedToo?: boolean;
};

/** By kind, whether there is something to take. */
export interface DueKind extends Pick<JobRow, 'kind'> {
  ready: boolean;
  abandoned: boolean;
}

/** Clocks of machines that share a database may differ by less than this, or one would undo what another has written. */
const CLOCKS_APART_MS = 600_000;
/** As the unique key of a job that comes again and again. */
export const RECURRING = 'recurring';

export interface JobStore {
  /** False when a living job of the same kind and unique key is already there. With `lease` it is running already. */
  insert(trx: Transaction, row: NewJobRow, lease?: FirstLease): Promise<boolean>;
  /** Adds a job that is already running under this lease, as its first attempt. */
  insertLeased(row: LeasedJobRow, leaseToken: string, leaseUntil: number): Promise<void>;
  /** Takes due jobs, and jobs whose lease ran out, for one run each. */
  claim(claim: Claim): Promise<JobRow[]>;
  /** What `claim` would find of these kinds; reads only, and its cost does not grow with the backlog. */
  listDue(kinds: readonly string[], now: number): Promise<DueKind[]>;
  /**
   * Makes jobs due that are put off for much longer than any of their kind is, and bounds leases: a clock that was ahead has written
   * them. Whoever still holds a job renews its lease meanwhile.
   */
  bringForward(longestWaits: ReadonlyMap<string, number>, now: number): Promise<void>;
  /** The next five change a job only while `leaseToken` still holds it, and say whether they did. */
  renew(id: string, leaseToken: string, leaseUntil: number): Promise<boolean>;
  countAttempt(id: string, leaseToken: string, attempts: number): Promise<boolean>;
  /** With `trx` as part of that transaction. */
  remove(id: string, leaseToken: string, trx?: Transaction): Promise<boolean>;
  reschedule(
    id: string,
    leaseToken: string,
    next: { runAt: number; attempts: number; lastError: string | null },
  ): Promise<boolean>;
  bury(id: string, leaseToken: string, lastError: string): Promise<boolean>;
  findById(id: string): Promise<JobRow | undefined>;
  /** Puts a dead job back in the queue; false also when a living job has taken its unique key. */
  revive(id: string, now: number, noted?: InTransaction): Promise<boolean>;
  listDead(limit: number): Promise<JobRow[]>;
  /** Deletes dead jobs, payload and all, that were created before this time. */
  purgeDead(createdBefore: number): Promise<void>;
  /** Those that could run now, by kind. */
  countDue(now: number): Promise<Map<string, number>>;
  countByState(): Promise<{ kind: string; state: JobRow['state']; count: number }[]>;
}

export function createJobStore({ queries, engine, transact, prepare }: Database): JobStore {
  const held = (id: string, leaseToken: string) =>
    queries.updateTable('jobs').where('id', '=', id).where('lease_token', '=', leaseToken);
  const take = (ids: ReturnType<typeof readyIds>, leaseToken: string, leaseUntil: number) =>
    queries
      .updateTable('jobs')
      .set((set) => ({
        state: 'running' as const,
        lease_token: leaseToken,
        lease_until: leaseUntil,
        attempts: set('attempts', '+', 1),
      }))
      .where('id', 'in', engine === 'postgres' ? ids.forUpdate().skipLocked() : ids)
      .returningAll();
  // Two statements, so that each walks its own index and the cost does not grow with the backlog.
  const takeReady = prepare((kind: string, now: number, limit: number, leaseToken: string, leaseUntil: number) =>
    take(readyIds(queries, kind, now).limit(limit), leaseToken, leaseUntil),
  );
  const takeAbandoned = prepare((kind: string, now: number, limit: number, leaseToken: string, leaseUntil: number) =>
    take(abandonedIds(queries, kind, now).limit(limit), leaseToken, leaseUntil),
  );

  const insert = prepareWrite((row: JobRow) =>
    queries
      .insertInto('jobs')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['kind', 'unique_key']).where(sql.ref('state'), '!=', sql.lit('dead')).doNothing(),
      ),
  );
  const deleteHeld = (id: string, leaseToken: string) =>
    queries.deleteFrom('jobs').where('id', '=', id).where('lease_token', '=', leaseToken);
  const removeIn = prepareWrite(({ id, leaseToken }: { id: string; leaseToken: string }) => deleteHeld(id, leaseToken));

  return {
    async insert(trx, row, lease) {
      const state = lease ? 'running' : 'ready';
      const first = { attempts: lease ? 1 : 0, lease_token: lease?.token ?? null, lease_until: lease?.until ?? null };
      return (await insert(trx, { ...row, ...first, state, last_error: null })).changed > 0;
    },

    async insertLeased(row, leaseToken, leaseUntil) {
      const running = { state: 'running' as const, attempts: 1, lease_token: leaseToken, lease_until: leaseUntil };
      await queries
        .insertInto('jobs')
        .values({ ...row, ...running, run_at: row.created_at, unique_key: null, last_error: null })
        .execute();
    },

    async claim({ kind, now, leaseUntil, leaseToken, limit, abandonedToo = true }) {
      const abandoned = abandonedToo ? await takeAbandoned(kind, now, limit, leaseToken, leaseUntil) : [];
      if (abandoned.length >= limit) return abandoned;
      try {
        return [...abandoned, ...(await takeReady(kind, now, limit - abandoned.length, leaseToken, leaseUntil))];
      } catch (error) {
        // What is taken is taken: left unrun, it would have to wait for the end of its lease once more.
        if (abandoned.length > 0) return abandoned;
        throw error;
      }
    },

    async listDue(kinds, now) {
      if (kinds.length === 0) return [];
      const row = await queries
        .selectNoFrom(({ exists }) =>
          kinds.flatMap((kind, nth) => [
            exists(readyIds(queries, kind, now)).as(`ready${nth}`),
            exists(abandonedIds(queries, kind, now)).as(`abandoned${nth}`),
          ]),
        )
        .executeTakeFirstOrThrow();
      const found = row as Readonly<Record<string, unknown>>;
      return kinds.map((kind, nth) => ({
        kind,
        ready: Boolean(found[`ready${nth}`]),
        abandoned: Boolean(found[`abandoned${nth}`]),
      }));
    },

    async bringForward(longestWaits, now) {
      const latest = now + CLOCKS_APART_MS;
      await queries
        .updateTable('jobs')
        .set({ lease_until: latest })
        .where('state', '=', 'running')
        .where('lease_until', '>', latest)
        .execute();
      if (longestWaits.size === 0) return;
      await queries
        .updateTable('jobs')
        .set({ run_at: now })
        .where('state', '=', 'ready')
        .where(({ eb, or, and }) =>
          or(
            [...longestWaits].map(([kind, waitMs]) => and([eb('kind', '=', kind), eb('run_at', '>', latest + waitMs)])),
          ),
        )
        .execute();
    },

    async renew(id, leaseToken, leaseUntil) {
      return changed(await held(id, leaseToken).set({ lease_until: leaseUntil }).executeTakeFirst());
    },

    async countAttempt(id, leaseToken, attempts) {
      return changed(await held(id, leaseToken).set({ attempts }).executeTakeFirst());
    },

    async remove(id, leaseToken, trx) {
      if (trx) return (await removeIn(trx, { id, leaseToken })).changed > 0;
      return (await deleteHeld(id, leaseToken).executeTakeFirst()).numDeletedRows > 0n;
    },

    async reschedule(id, leaseToken, { runAt, attempts, lastError }) {
      const next = { state: 'ready' as const, run_at: runAt, attempts, last_error: lastError };
      return changed(
        await held(id, leaseToken)
          .set({ ...next, lease_token: null, lease_until: null })
          .executeTakeFirst(),
      );
    },

    async bury(id, leaseToken, lastError) {
      return changed(
        await held(id, leaseToken)
          .set({ state: 'dead', last_error: lastError, lease_token: null, lease_until: null })
          .executeTakeFirst(),
      );
    },

    findById: (id) => queries.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst(),

    revive: (id, now, noted) =>
      transact(async (trx) => {
        const result = await trx
          .updateTable('jobs')
          .set({ state: 'ready', attempts: 0, run_at: now })
          .where('id', '=', id)
          .where('state', '=', 'dead')
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('jobs as living')
                  .select('living.id')
                  .whereRef('living.kind', '=', 'jobs.kind')
                  .whereRef('living.unique_key', '=', 'jobs.unique_key')
                  .where('living.state', '!=', 'dead'),
              ),
            ),
          )
          .executeTakeFirst();
        const isRevived = changed(result);
        if (isRevived) await noted?.(trx);
        return isRevived;
      }),

    listDead: (limit) =>
      queries.selectFrom('jobs').selectAll().where('state', '=', 'dead').orderBy('id', 'desc').limit(limit).execute(),

    async purgeDead(createdBefore) {
      await queries.deleteFrom('jobs').where('state', '=', 'dead').where('created_at', '<', createdBefore).execute();
    },

    async countDue(now) {
      const rows = await queries
        .selectFrom('jobs')
        .select(({ fn }) => ['kind', fn.countAll<number>().as('count')])
        .where('state', '=', 'ready')
        .where('run_at', '<=', now)
        .groupBy('kind')
        .execute();
      return new Map(rows.map(({ kind, count }) => [kind, Number(count)]));
    },

    countByState: () =>
      queries
        .selectFrom('jobs')
        .select(({ fn }) => ['kind', 'state', fn.countAll<number>().as('count')])
        .groupBy(['kind', 'state'])
        .execute(),
  };
}

/** Several processes share PostgreSQL: each passes over what another is just taking (`skip locked`, above). */
function readyIds(queries: Queries, kind: string, now: number) {
  return queries
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', kind)
    .where('state', '=', 'ready')
    .where('run_at', '<=', now)
    .orderBy('run_at');
}

/** Jobs whose process did not come back before its lease ran out. */
function abandonedIds(queries: Queries, kind: string, now: number) {
  return queries
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', kind)
    .where('state', '=', 'running')
    .where('lease_until', '<', now)
    .orderBy('lease_until');
}

function changed(result: { numUpdatedRows: bigint }): boolean {
  return result.numUpdatedRows > 0n;
}
