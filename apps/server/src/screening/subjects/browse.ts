// Watched subjects as operators look through them: those of every customer, and what stands decided on their hits.
import type { HitDecision } from '@limen/contract';
import { sql } from 'kysely';
import type { Owner } from '../../platform/api-keys/owner.ts';
import { type CustomerId, isUuid, type WatchedSubjectId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { tables } from '../tables.ts';
import type { AlertRow, HitContent, HitRow, SubjectContent, SubjectRow } from './contents.ts';
import { type SubjectFilter, WatchStore } from './store.ts';
import { type AlertRecord, digestReference, openRecord, openSubject } from './subjects.ts';

export interface BrowsedSubject {
  row: SubjectRow;
  hitCount: number;
  /** Undefined where the row was edited in the database. */
  content: () => SubjectContent | undefined;
}

export interface BrowsedAlert {
  row: AlertRow;
  /** Undefined where the row was edited in the database. */
  record: AlertRecord | undefined;
}

/** A decision that holds. */
export interface StandingDecision {
  /** Of the record of it. */
  id: string;
  subject: SubjectRow;
  hitId: string;
  hit: HitContent;
  decision: HitDecision;
}

export interface WatchedBrowser {
  list(page: SubjectPage): Promise<BrowsedSubject[]>;
  look(id: string): Promise<BrowsedSubject | undefined>;
  lookAtAll(ids: readonly string[]): Promise<BrowsedSubject[]>;
  /** A customer's own name for a subject, sought among these customers. */
  findByReference(owners: readonly Owner[], reference: string): Promise<BrowsedSubject[]>;
  alerts(page: AlertPage): Promise<BrowsedAlert[]>;
  history(subject: SubjectRow, page: { before?: string | undefined; limit: number }): Promise<BrowsedAlert[]>;
  /**
   * Those that say that a subject is not the listed entity and still hold, the latest first. `next` continues where the search
   * ended, also when nothing was found on the way.
   */
  cleared(page: Whose & { before?: string | undefined; limit: number }): Promise<{
    decisions: StandingDecision[];
    next?: string;
  }>;
}

/** Decisions that are read to find those that still hold, in one call: most do. */
const MOST_READ = 500;

export function createWatchedBrowser(database: Database, sealer: Sealer): WatchedBrowser {
  const store = createBrowseStore(database);
  const watched = new WatchStore(database);

  async function describe(rows: readonly SubjectRow[]): Promise<BrowsedSubject[]> {
    const counts = await watched.countHits(rows.map(({ id }) => id));
    return rows.map((row) => ({
      row,
      hitCount: counts.get(row.id) ?? 0,
      content: () => orNothing(() => openSubject(sealer, row)),
    }));
  }

  const browsed = (row: AlertRow): BrowsedAlert => ({ row, record: orNothing(() => openRecord(sealer, row)) });

  /** Of decisions in their order, those that are what their hit says. */
  async function standing(rows: readonly AlertRow[]): Promise<StandingDecision[]> {
    const records = rows.flatMap((row) => browsed(row).record ?? []);
    const made = records.flatMap(({ row, content }) =>
      row.kind === 'decision' && 'decision' in content ? [{ row, content }] : [],
    );
    const [hits, subjects] = await Promise.all([
      store.hitsOf([...new Set(made.map(({ content }) => content.hitId))]),
      store.subjectsOf([...new Set(made.map(({ row }) => row.subject_id))]),
    ]);
    const subjectOf = new Map(subjects.map((row) => [row.id, row]));
    const hitOf = new Map(hits.map((row) => [row.id, row]));
    return made.flatMap(({ row, content: { hitId, decision } }) => {
      const [subject, hitRow] = [subjectOf.get(row.subject_id), hitOf.get(hitId)];
      if (!subject || !hitRow || decision.decision !== 'not_this_subject') return [];
      const hit = orNothing(
        () => sealer.openJson(hitRow.sealed, tables.watched_hits.places.sealed({ id: hitId }, subject)) as HitContent,
      );
      const holds = hit?.decided?.decision;
      const isThis = holds?.decidedAt === decision.decidedAt && holds.decision === decision.decision;
      return hit && isThis ? [{ id: row.id, subject, hitId, hit, decision }] : [];
    });
  }

  return {
    list: async (page) => describe(await store.subjects(page)),
    look: async (id) => (isUuid(id) ? (await describe(await store.subjectsOf([id])))[0] : undefined),
    lookAtAll: async (ids) => describe(await store.subjectsOf(ids.filter(isUuid))),
    findByReference: async (owners, reference) =>
      describe(await store.byReferences(owners.map((owner) => digestReference(sealer, owner, reference)))),
    alerts: async (page) => (await store.alerts(page)).map(browsed),
    history: async ({ id }, page) => (await store.historyOf(id, page)).map(browsed),

    async cleared({ customer, world, before, limit }) {
      const decisions: StandingDecision[] = [];
      let [after, read] = [before, 0];
      for (;;) {
        const rows = await store.alerts({ customer, world, kinds: ['decision'], before: after, limit });
        const known = new Set(decisions.map(({ hitId }) => hitId));
        decisions.push(...(await standing(rows)).filter(({ hitId }) => !known.has(hitId)));
        if (decisions.length > limit) {
          const shown = decisions.slice(0, limit);
          return { decisions: shown, next: shown.at(-1)!.id };
        }
        if (rows.length < limit) return { decisions };
        after = rows.at(-1)!.id;
        read += rows.length;
        if (read >= MOST_READ) return { decisions, next: after };
      }
    },
  };
}

function orNothing<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

interface Whose {
  customer?: CustomerId | undefined;
  world?: World | undefined;
}

interface BrowsePage {
  /** Only older ones than this. */
  before?: string | undefined;
  limit: number;
}

type SubjectPage = Whose & SubjectFilter & BrowsePage;

interface AlertPage extends Whose, BrowsePage {
  kinds: readonly AlertRow['kind'][];
}

interface BrowseStore {
  subjects(page: SubjectPage): Promise<SubjectRow[]>;
  subjectsOf(ids: readonly string[]): Promise<SubjectRow[]>;
  byReferences(digests: readonly Uint8Array[]): Promise<SubjectRow[]>;
  alerts(page: AlertPage): Promise<AlertRow[]>;
  historyOf(subject: WatchedSubjectId, page: BrowsePage): Promise<AlertRow[]>;
  hitsOf(ids: readonly string[]): Promise<HitRow[]>;
}

function createBrowseStore({ queries }: Pick<Database, 'queries'>): BrowseStore {
  return {
    subjects({ customer, world, state, hits, before, limit }) {
      let query = queries.selectFrom('watched_subjects').selectAll();
      if (customer !== undefined) query = query.where('customer', '=', customer);
      if (world !== undefined) query = query.where('world', '=', world);
      // Written out, because SQLite uses the index of those that are due only when it sees the word.
      if (state !== undefined) query = query.where('state', '=', sql.lit(state));
      if (hits !== undefined) query = query.where('hit_state', '=', hits);
      if (before !== undefined) query = query.where(sql.ref('id'), '<', before);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    subjectsOf: async (ids) =>
      ids.length === 0
        ? []
        : await queries
            .selectFrom('watched_subjects')
            .selectAll()
            .where(sql.ref('id'), 'in', [...ids])
            .execute(),

    byReferences: async (digests) =>
      digests.length === 0
        ? []
        : await queries
            .selectFrom('watched_subjects')
            .selectAll()
            .where('reference_digest', 'in', digests)
            .orderBy('id', 'desc')
            .execute(),

    alerts({ customer, world, kinds, before, limit }) {
      let query = queries.selectFrom('screening_alerts').selectAll().where('kind', 'in', kinds);
      if (customer !== undefined) query = query.where('customer', '=', customer);
      if (world !== undefined) query = query.where('world', '=', world);
      if (before !== undefined) query = query.where('id', '<', before);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    historyOf(subject, { before, limit }) {
      let query = queries.selectFrom('screening_alerts').selectAll().where('subject_id', '=', subject);
      if (before !== undefined) query = query.where('id', '<', before);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    hitsOf: async (ids) =>
      ids.length === 0 ? [] : await queries.selectFrom('watched_hits').selectAll().where('id', 'in', ids).execute(),
  };
}
