// The SQL of jobs: an outbox table with leases.
import { sql } from 'kysely';
import type { Database, InTransaction, Queries, Transaction } from '../database/database.ts';
import { prepareWrite } from '../database/prepare-query.ts';
import type { Schema } from '../database/schema.ts';

export type JobRow = Schema['jobs'];
export type NewJobRow = Pick<JobRow, 'id' | 'kind' | 'payload' | 'run_at' | 'unique_key' | 'created_at'>;

export interface NextRun {
  runAt: number;
  attempts: number;
  lastError: string | null;
}

interface Claim extends Pick<JobRow, 'kind'> {
  now: number;
  leaseUntil: number;
  leaseToken: string;
  limit: number;
}

export interface JobCounts {
  kind: string;
  ready: number;
  running: number;
  dead: number;
}

/** Tolerated difference between the clocks of machines on one database. Otherwise one would undo the writes of another. */
const MAX_CLOCK_SKEW_MS = 600_000;
/** Unique key of recurring jobs. */
export const RECURRING = 'recurring';
const NO_LEASE = { lease_token: null, lease_until: null };

export class JobStore {
  readonly #database: Database;
  readonly #insert;
  readonly #removeIn;
  readonly #takeReady;
  readonly #takeAbandoned;

  constructor(database: Database) {
    const { queries, prepare } = database;
    this.#database = database;
    this.#insert = prepareWrite((row: JobRow) =>
      queries
        .insertInto('jobs')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['kind', 'unique_key']).where(sql.ref('state'), '!=', sql.lit('dead')).doNothing(),
        ),
    );
    this.#removeIn = prepareWrite(({ id, leaseToken }: { id: string; leaseToken: string }) =>
      this.#deleteLeased(id, leaseToken),
    );
    const prepareTake = (listIds: typeof readyIds) =>
      prepare((kind: string, now: number, limit: number, leaseToken: string, leaseUntil: number) =>
        this.#take(listIds(queries, kind, now).limit(limit), leaseToken, leaseUntil),
      );
    // Two statements, so that each walks its own index and the cost does not grow with the backlog.
    this.#takeReady = prepareTake(readyIds);
    this.#takeAbandoned = prepareTake(abandonedIds);
  }

  /** Returns false if a job of the same kind and unique key is not dead. With `lease`, the job is running already. */
  async insert(trx: Transaction, row: NewJobRow, lease?: { token: string; until: number }): Promise<boolean> {
    const state = lease ? 'running' : 'ready';
    const first = { attempts: lease ? 1 : 0, lease_token: lease?.token ?? null, lease_until: lease?.until ?? null };
    return (await this.#insert(trx, { ...row, ...first, state, last_error: null })).changed > 0;
  }

  /** Adds a job whose first attempt runs under this lease. */
  async insertLeased(
    row: Pick<JobRow, 'id' | 'kind' | 'payload' | 'created_at'>,
    leaseToken: string,
    leaseUntil: number,
  ): Promise<void> {
    const running = { state: 'running' as const, attempts: 1, lease_token: leaseToken, lease_until: leaseUntil };
    await this.#database.queries
      .insertInto('jobs')
      .values({ ...row, ...running, run_at: row.created_at, unique_key: null, last_error: null })
      .execute();
  }

  /** Takes due jobs, and jobs whose lease ran out, for one run each. */
  async claim({ kind, now, leaseUntil, leaseToken, limit }: Claim): Promise<JobRow[]> {
    const abandoned = await this.#takeAbandoned(kind, now, limit, leaseToken, leaseUntil);
    if (abandoned.length >= limit) return abandoned;
    try {
      return [...abandoned, ...(await this.#takeReady(kind, now, limit - abandoned.length, leaseToken, leaseUntil))];
    } catch (error) {
      // The abandoned jobs are taken. Without a run, they would wait for the end of another lease.
      if (abandoned.length > 0) return abandoned;
      throw error;
    }
  }

  /** Returns the kinds of which `claim` would take a job. The cost does not grow with the backlog. */
  async listDue(kinds: readonly string[], now: number): Promise<string[]> {
    if (kinds.length === 0) return [];
    const { queries } = this.#database;
    const row = await queries
      .selectNoFrom(({ exists, or }) =>
        kinds.map((kind, nth) =>
          or([exists(readyIds(queries, kind, now)), exists(abandonedIds(queries, kind, now))]).as(`kind${nth}`),
        ),
      )
      .executeTakeFirstOrThrow();
    return kinds.filter((_kind, nth) => (row as Record<string, unknown>)[`kind${nth}`]);
  }

  /** Makes jobs due that are deferred beyond the longest wait, and shortens such leases, which a fast clock wrote. */
  async bringForward(longestWaits: ReadonlyMap<string, number>, now: number): Promise<void> {
    const latest = now + MAX_CLOCK_SKEW_MS;
    const { queries } = this.#database;
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
        or([...longestWaits].map(([kind, waitMs]) => and([eb('kind', '=', kind), eb('run_at', '>', latest + waitMs)]))),
      )
      .execute();
  }

  /** Changes a job if `leaseToken` still holds it. Returns whether it did. */
  async change(id: string, leaseToken: string, columns: Partial<JobRow>): Promise<boolean> {
    const result = await this.#database.queries
      .updateTable('jobs')
      .set(columns)
      .where('id', '=', id)
      .where('lease_token', '=', leaseToken)
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  }

  /** Removes a job if `leaseToken` still holds it, within `trx` if given. Returns whether it did. */
  async remove(id: string, leaseToken: string, trx?: Transaction): Promise<boolean> {
    if (trx) return (await this.#removeIn(trx, { id, leaseToken })).changed > 0;
    return (await this.#deleteLeased(id, leaseToken).executeTakeFirst()).numDeletedRows > 0n;
  }

  renew(id: string, leaseToken: string, leaseUntil: number): Promise<boolean> {
    return this.change(id, leaseToken, { lease_until: leaseUntil });
  }

  reschedule(id: string, leaseToken: string, { runAt, attempts, lastError }: NextRun): Promise<boolean> {
    const next = { state: 'ready', run_at: runAt, attempts, last_error: lastError } as const;
    return this.change(id, leaseToken, { ...next, ...NO_LEASE });
  }

  bury(id: string, leaseToken: string, lastError: string): Promise<boolean> {
    return this.change(id, leaseToken, { state: 'dead', last_error: lastError, ...NO_LEASE });
  }

  findById(id: string): Promise<JobRow | undefined> {
    return this.#database.queries.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Puts a dead job back in the queue. Returns false also if another job has its unique key. */
  revive(id: string, now: number, writeAudit?: InTransaction): Promise<boolean> {
    return this.#database.transact(async (trx) => {
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
      const isRevived = result.numUpdatedRows > 0n;
      if (isRevived) await writeAudit?.(trx);
      return isRevived;
    });
  }

  listDead(limit: number): Promise<JobRow[]> {
    const dead = this.#database.queries.selectFrom('jobs').selectAll().where('state', '=', 'dead');
    return dead.orderBy('id', 'desc').limit(limit).execute();
  }

  async purgeDead(createdBefore: number): Promise<void> {
    const { queries } = this.#database;
    await queries.deleteFrom('jobs').where('state', '=', 'dead').where('created_at', '<', createdBefore).execute();
  }

  async countDue(now: number): Promise<Map<string, number>> {
    const rows = await this.#database.queries
      .selectFrom('jobs')
      .select(({ fn }) => ['kind', fn.countAll<number>().as('count')])
      .where('state', '=', 'ready')
      .where('run_at', '<=', now)
      .groupBy('kind')
      .execute();
    return new Map(rows.map(({ kind, count }) => [kind, count]));
  }

  countByState(): Promise<{ kind: string; state: JobRow['state']; count: number }[]> {
    return this.#database.queries
      .selectFrom('jobs')
      .select(({ fn }) => ['kind', 'state', fn.countAll<number>().as('count')])
      .groupBy(['kind', 'state'])
      .execute();
  }

  async countByKind(): Promise<JobCounts[]> {
    const byKind = new Map<string, JobCounts>();
    for (const { kind, state, count } of await this.countByState()) {
      const counts = byKind.get(kind) ?? { kind, ready: 0, running: 0, dead: 0 };
      counts[state] += count;
      byKind.set(kind, counts);
    }
    return [...byKind.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  }

  #deleteLeased(id: string, leaseToken: string) {
    return this.#database.queries.deleteFrom('jobs').where('id', '=', id).where('lease_token', '=', leaseToken);
  }

  #take(ids: ReturnType<typeof readyIds>, leaseToken: string, leaseUntil: number) {
    const { queries, engine } = this.#database;
    return queries
      .updateTable('jobs')
      .set((set) => ({
        state: 'running' as const,
        lease_token: leaseToken,
        lease_until: leaseUntil,
        attempts: set('attempts', '+', 1),
      }))
      .where('id', 'in', engine === 'postgres' ? ids.forUpdate().skipLocked() : ids)
      .returningAll();
  }
}

function readyIds(queries: Queries, kind: string, now: number) {
  const jobs = queries.selectFrom('jobs').select('id').where('kind', '=', kind);
  return jobs.where('state', '=', 'ready').where('run_at', '<=', now).orderBy('run_at');
}

/** Selects jobs whose process did not come back before its lease ran out. */
function abandonedIds(queries: Queries, kind: string, now: number) {
  const jobs = queries.selectFrom('jobs').select('id').where('kind', '=', kind);
  return jobs.where('state', '=', 'running').where('lease_until', '<', now).orderBy('lease_until');
}
