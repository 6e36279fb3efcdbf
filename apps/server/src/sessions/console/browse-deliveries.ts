// The SQL of deliveries for operators: of all customers, by stage.
import { sql } from 'kysely';
import { firstIdAt } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Database, Queries } from '../../platform/database/database.ts';
import { type DeliveryRecord, type DeliveryRow, RECORD_COLUMNS } from '../../webhooks/store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** `waiting`: not tried yet in this round. `retrying`: at least one attempt of this round failed. */
export const DELIVERY_STAGES = ['waiting', 'retrying', 'dead', 'delivered'] as const;
export type DeliveryStage = (typeof DELIVERY_STAGES)[number];
const FAILING = ['retrying', 'dead'] as const;

interface DeliveryFilter {
  world?: World | undefined;
  apiKeyId?: string | undefined;
  createdFrom?: number | undefined;
}

/** Without `stage`: `retrying` and `dead`. `before`: only older deliveries. */
interface DeliveryPage extends DeliveryFilter {
  stage?: DeliveryStage | undefined;
  before?: string | undefined;
  limit: number;
}

export type DeliveryBrowser = ReturnType<typeof createDeliveryBrowser>;
export type BrowsedDelivery = Awaited<ReturnType<DeliveryBrowser['list']>>[number];

export function createDeliveryBrowser({ queries }: Pick<Database, 'queries'>) {
  return {
    async list({ stage, before, limit, ...filter }: DeliveryPage) {
      const hasBody = sql<boolean | number>`${sql.ref('sealed')} is not null`.as('hasBody');
      const part = (name: DeliveryStage) => {
        let query = selectStage(queries, name, filter).select([...RECORD_COLUMNS, hasBody]);
        if (before !== undefined) query = query.where('id', '<', before);
        return queries.selectFrom(query.orderBy('id', 'desc').limit(limit).as(name)).selectAll();
      };
      const parts = (stage === undefined ? FAILING : [stage]).map(part);
      const all = queries.selectFrom(parts.reduce((a, b) => a.unionAll(b)).as('found')).selectAll();
      const rows = await all.orderBy('id', 'desc').limit(limit).execute();
      return addPlaces(rows.map((row) => ({ ...row, hasBody: Boolean(row.hasBody) })));
    },

    /** Counts deliveries that have not arrived, at most `upTo` of each stage. */
    async count(filter: DeliveryFilter, upTo: number) {
      const counted = (stage: DeliveryStage) => {
        const rows = selectStage(queries, stage, filter).select('id').limit(upTo);
        return queries
          .selectFrom(rows.as('counted'))
          .select(({ fn, eb }) => [eb.val(stage).as('stage'), fn.countAll<number | bigint>().as('count')]);
      };
      const rows = await counted('waiting').unionAll(counted('retrying')).unionAll(counted('dead')).execute();
      const of = (stage: DeliveryStage) => Number(rows.find((row) => row.stage === stage)!.count);
      return { waiting: of('waiting'), retrying: of('retrying'), dead: of('dead') };
    },

    /** Dead deliveries by the day of their creation: `[days since 1970, count]`. */
    async countDeadByDay(filter: DeliveryFilter): Promise<[day: number, count: number][]> {
      const day = sql<number | bigint>`created_at / ${sql.lit(DAY_MS)}`;
      const rows = await selectStage(queries, 'dead', filter)
        .select(({ fn }) => [day.as('day'), fn.countAll<number | bigint>().as('count')])
        .groupBy(day)
        .execute();
      return rows.map((row) => [Number(row.day), Number(row.count)]);
    },
  };

  async function addPlaces(rows: DeliveryRecord[]) {
    const ids = rows.map(({ session_id }) => session_id as never);
    if (ids.length === 0) return [];
    const [sessions, subjects, cases] = await Promise.all([
      queries.selectFrom('sessions').select('id').where('id', 'in', ids).execute(),
      queries.selectFrom('watched_subjects').select('id').where('id', 'in', ids).execute(),
      queries
        .selectFrom('review_cases')
        .select(['id', 'about'])
        .where('about', 'in', ids)
        .where('kind', '=', 'session')
        .execute(),
    ]);
    const sessionIds = new Set<string>(sessions.map(({ id }) => id));
    const subjectIds = new Set<string>(subjects.map(({ id }) => id));
    const caseIds = new Map<string, string>(cases.map(({ id, about }) => [about, id]));
    return rows.map((row) => ({
      ...row,
      hasSession: sessionIds.has(row.session_id),
      caseId: caseIds.get(row.session_id) ?? null,
      hasSubject: subjectIds.has(row.session_id),
    }));
  }
}

/** Defines each stage. All lists and numbers of the console derive from it. */
function selectStage(queries: Queries, stage: DeliveryStage, { world, apiKeyId, createdFrom }: DeliveryFilter) {
  const state: DeliveryRow['state'] = stage === 'waiting' || stage === 'retrying' ? 'pending' : stage;
  // A literal, because SQLite uses a partial index only if it sees the word.
  let query = queries.selectFrom('webhook_deliveries').where('state', '=', sql.lit(state));
  if (stage === 'waiting') query = query.whereRef('attempts', '=', 'attempts_before');
  if (stage === 'retrying') query = query.whereRef('attempts', '>', 'attempts_before');
  if (world !== undefined) query = query.where('world', '=', world);
  if (apiKeyId !== undefined) query = query.where('api_key_id', '=', apiKeyId);
  if (createdFrom !== undefined) {
    query = query.where('id', '>=', firstIdAt(createdFrom)).where('created_at', '>=', createdFrom);
  }
  return query;
}
