// Review queue in the database: both waiting states in one order, paged, with bounded counts.
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds, named, type OperatorId } from '../platform/base/ids.ts';
import type { Database } from '../platform/database/database.ts';
import { openStorage } from '../platform/storage.ts';
import type { CaseRow } from './case.ts';
import { createReviewStore, type ReviewStore } from './store.ts';

const RITA = named<OperatorId>('rita');

let store: ReviewStore;
let database: Database;

/** Consecutive deadlines; every third case is proposed, and the last three are decided. */
const ROWS: readonly CaseRow[] = Array.from({ length: 15 }, (_, nth) => ({
  id: `00000000-0000-7000-8000-0000000000${String(nth).padStart(2, '0')}`,
  kind: nth % 2 === 0 ? 'session' : 'hit',
  customer: named('c'),
  world: nth % 4 === 0 ? 'live' : 'test',
  ...{ api_key_id: `key ${nth % 5}`, about: named(`about ${nth}`), hit_id: null, person_id: null },
  state: nth >= 12 ? 'decided' : nth % 3 === 0 ? 'proposed' : 'open',
  assignee_id: nth % 6 === 0 ? RITA : null,
  // Two cases share each deadline, so the id breaks the tie.
  ...{ created_at: 0, due_at: 100 + (nth >> 1), decided_at: null, purge_at: null, sealed: new Uint8Array([1]) },
}));
const WAITING = ROWS.slice(0, 12);

beforeEach(async () => {
  const clock = createManualClock();
  const place = await createTestDatabase();
  const { dataDir, url } = place;
  ({ database } = await openStorage({ url, dataDir, masterKey: undefined, clock, ids: createIds(clock) }));
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  store = createReviewStore(database);
  await database.transact(async (trx) => {
    for (const row of ROWS.toReversed()) await trx.insertInto('review_cases').values(row).execute();
  });
});

async function list(filter: Partial<Parameters<ReviewStore['list']>[0]> = {}): Promise<string[]> {
  return (await store.list({ limit: 100, ...filter })).map(({ id }) => id);
}
const idsOf = (rows: readonly CaseRow[]) => rows.map(({ id }) => id);

describe('the inbox', () => {
  it('lists both waiting states by deadline across pages', async () => {
    expect(await list()).toEqual(idsOf(WAITING));
    const pages: string[] = [];
    for (let after: CaseRow | undefined; ; ) {
      const page = await store.list({ limit: 5, ...(after && { after }) });
      if (page.length === 0) break;
      pages.push(...page.map(({ id }) => id));
      after = page.at(-1);
    }
    expect(pages).toEqual(idsOf(WAITING));
  });

  it.each<[string, Partial<Parameters<ReviewStore['list']>[0]>, (row: CaseRow) => boolean]>([
    ['a kind', { kind: 'hit' }, ({ kind }) => kind === 'hit'],
    ['a world', { world: 'live' }, ({ world }) => world === 'live'],
    ['a key', { apiKeyId: 'key 2' }, ({ api_key_id }) => api_key_id === 'key 2'],
    ['a reviewer', { assigneeId: RITA }, ({ assignee_id }) => assignee_id === RITA],
    ['nobody', { assigneeId: null }, ({ assignee_id }) => assignee_id === null],
    ['what is late', { dueBefore: 103 }, ({ due_at }) => due_at < 103],
    ['a state', { state: 'proposed' }, ({ state }) => state === 'proposed'],
  ])('filters by %s', async (_, filter, isWanted) => {
    const wanted = WAITING.filter(isWanted);
    expect(wanted).not.toEqual([]);
    expect(await list(filter)).toEqual(idsOf(wanted));
  });

  it('has an index for each kind, so that an empty kind needs no scan of the waiting cases', async () => {
    const isPostgres = database.engine === 'postgres';
    const plan = await database.transact(async (trx) => {
      // The planner prefers to read and sort a small table as a whole.
      if (isPostgres) await sql`set local enable_seqscan = off`.execute(trx);
      if (isPostgres) await sql`set local enable_sort = off`.execute(trx);
      const explain = sql.raw(isPostgres ? 'explain' : 'explain query plan');
      const query = sql`select * from review_cases where state = 'open' and kind = 'hit' order by due_at, id limit 10`;
      return (await sql`${explain} ${query}`.execute(trx)).rows;
    });
    expect(JSON.stringify(plan)).toContain('review_cases_kind');
  });

  it('lists decided cases newest first', async () => {
    expect(await list({ state: 'decided' })).toEqual(idsOf(ROWS.slice(12).toReversed()));
  });

  it('counts all cases, or up to a bound', async () => {
    expect(await store.count(103)).toEqual({ open: 8, proposed: 4, overdue: 6 });
    expect(await store.count(103, 5)).toEqual({ open: 5, proposed: 4, overdue: 5 });
    expect(await store.count(0, 8)).toEqual({ open: 8, proposed: 4, overdue: 0 });
  });
});
