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
export interface NextRun {
  runAt: number;
  attempts: number;
  lastError: string | null;
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
const NO_LEASE = { lease_token: null, lease_until: null };

export interface JobCounts {
  kind: string;
  ready: number;
  running: number;
  dead: number;
}

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
      this.#deleteHeld(id, leaseToken),
    );
    // Two statements, so that each walks its own index and the cost does not grow with the backlog.
    this.#takeReady = prepare((kind: string, now: number, limit: number, leaseToken: string, leaseUntil: number) =>
      this.#take(readyIds(queries, kind, now).limit(limit), leaseToken, leaseUntil),
    );
    this.#takeAbandoned = prepare((kind: string, now: number, limit: number, leaseToken: string, leaseUntil: number) =>
      this.#take(abandonedIds(queries, kind, now).limit(limit), leaseToken, leaseUntil),
    );
  }

  /** Returns false if a living job of the same kind and unique key is there. With `lease` the job is running already. */
  async insert(trx: Transaction, row: NewJobRow, lease?: FirstLease): Promise<boolean> {
    const state = lease ? 'running' : 'ready';
    const first = { attempts: lease ? 1 : 0, lease_token: lease?.token ?? null, lease_until: lease?.until ?? null };
    return (await this.#insert(trx, { ...row, ...first, state, last_error: null })).changed > 0;
  }

  /** Adds a job that is already running under this lease, as its first attempt. */
  async insertLeased(row: LeasedJobRow, leaseToken: string, leaseUntil: number): Promise<void> {
    const running = { state: 'running' as const, attempts: 1, lease_token: leaseToken, lease_until: leaseUntil };
    await this.#database.queries
      .insertInto('jobs')
      .values({ ...row, ...running, run_at: row.created_at, unique_key: null, last_error: null })
      .execute();
  }

  /** Takes due jobs, and jobs whose lease ran out, for one run each. */
  async claim({ kind, now, leaseUntil, leaseToken, limit, abandonedToo = true }: Claim): Promise<JobRow[]> {
    const abandoned = abandonedToo ? await this.#takeAbandoned(kind, now, limit, leaseToken, leaseUntil) : [];
    if (abandoned.length >= limit) return abandoned;
    try {
      return [...abandoned, ...(await this.#takeReady(kind, now, limit - abandoned.length, leaseToken, leaseUntil))];
    } catch (error) {
      // These are taken: left unrun, they would have to wait for the end of their lease once more.
      if (abandoned.length > 0) return abandoned;
      throw error;
    }
  }

  /** Returns by kind whether `claim` would find something. The cost does not grow with the backlog. */
  async listDue(kinds: readonly string[], now: number): Promise<DueKind[]> {
    if (kinds.length === 0) return [];
    const { queries } = this.#database;
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
  }

  /**
   * Makes jobs due that are put off for much longer than any of their kind is, and bounds leases: a clock that was ahead has written
   * them. A process that still holds a job renews its lease.
   */
  async bringForward(longestWaits: ReadonlyMap<string, number>, now: number): Promise<void> {
    const latest = now + CLOCKS_APART_MS;
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

  /** Changes a job while `leaseToken` still holds it, and returns whether it did. */
  async change(id: string, leaseToken: string, columns: Partial<JobRow>): Promise<boolean> {
    const result = await this.#database.queries
      .updateTable('jobs')
      .set(columns)
      .where('id', '=', id)
      .where('lease_token', '=', leaseToken)
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  }

  /** Like `change`; with `trx` as part of that transaction. */
  async remove(id: string, leaseToken: string, trx?: Transaction): Promise<boolean> {
    if (trx) return (await this.#removeIn(trx, { id, leaseToken })).changed > 0;
    return (await this.#deleteHeld(id, leaseToken).executeTakeFirst()).numDeletedRows > 0n;
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

  /** Puts a dead job back in the queue. Returns false also if a living job has taken its unique key. */
  revive(id: string, now: number, noted?: InTransaction): Promise<boolean> {
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
      if (isRevived) await noted?.(trx);
      return isRevived;
    });
  }

  listDead(limit: number): Promise<JobRow[]> {
    const { queries } = this.#database;
    return queries
      .selectFrom('jobs')
      .selectAll()
      .where('state', '=', 'dead')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  /** Deletes dead jobs, payload and all, that were created before this time. */
  async purgeDead(createdBefore: number): Promise<void> {
    const { queries } = this.#database;
    await queries.deleteFrom('jobs').where('state', '=', 'dead').where('created_at', '<', createdBefore).execute();
  }

  /** Counts by kind the jobs that could run now. */
  async countDue(now: number): Promise<Map<string, number>> {
    const rows = await this.#database.queries
      .selectFrom('jobs')
      .select(({ fn }) => ['kind', fn.countAll<number>().as('count')])
      .where('state', '=', 'ready')
      .where('run_at', '<=', now)
      .groupBy('kind')
      .execute();
    return new Map(rows.map(({ kind, count }) => [kind, Number(count)]));
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

  #deleteHeld(id: string, leaseToken: string) {
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
