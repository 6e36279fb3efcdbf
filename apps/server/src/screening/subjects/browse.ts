// Watched subjects as operators look through them: those of every customer, and what stands decided on their hits.
import type { HitDecision } from '@limen/contract';
import type { Owner } from '../../platform/api-keys/owner.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import {
  type AlertRecord,
  type AlertRow,
  digestReference,
  type HitContent,
  openHit,
  openRecord,
  openSubject,
  type SubjectContent,
  type SubjectRow,
} from './contents.ts';
import { type AlertFilter, type RowPage, type SubjectFilter, WatchStore } from './store.ts';

export interface BrowsedSubject {
  row: SubjectRow;
  hitCount: number;
  /** Returns undefined if the row was edited in the database. */
  content: () => SubjectContent | undefined;
}

export interface BrowsedAlert {
  row: AlertRow;
  /** Undefined if the row was edited in the database. */
  record: AlertRecord | undefined;
}

/** A decision that holds. */
export interface StandingDecision {
  /** Id of its record. */
  id: string;
  subject: SubjectRow;
  hitId: string;
  hit: HitContent;
  decision: HitDecision;
}

/** Decisions that are read to find those that still hold, in one call: most do. */
const MOST_READ = 500;

export function createWatchedBrowser(database: Database, sealer: Sealer) {
  const store = new WatchStore(database);

  async function describe(rows: readonly SubjectRow[]): Promise<BrowsedSubject[]> {
    const counts = await store.countHits(rows.map(({ id }) => id));
    return rows.map((row) => ({
      row,
      hitCount: counts.get(row.id) ?? 0,
      content: () => orNothing(() => openSubject(sealer, row)),
    }));
  }

  async function alerts(page: RowPage & AlertFilter): Promise<BrowsedAlert[]> {
    const rows = await store.listAlerts(page);
    return rows.map((row) => ({ row, record: orNothing(() => openRecord(sealer, row)) }));
  }

  /** Returns those of the decisions that their hit still says, in the same order. */
  async function standing(decisions: readonly BrowsedAlert[]): Promise<StandingDecision[]> {
    const made = decisions.flatMap(({ row, record }) =>
      record && 'decision' in record.content ? [{ row, content: record.content }] : [],
    );
    const [hits, subjects] = await Promise.all([
      store.findHits([...new Set(made.map(({ content }) => content.hitId))]),
      store.findMany([...new Set(made.map(({ row }) => row.subject_id))]),
    ]);
    const subjectOf = new Map(subjects.map((row) => [row.id, row]));
    const hitOf = new Map(hits.map((row) => [row.id, row]));
    return made.flatMap(({ row, content: { hitId, decision } }) => {
      const [subject, hitRow] = [subjectOf.get(row.subject_id), hitOf.get(hitId)];
      if (!subject || !hitRow || decision.decision !== 'not_this_subject') return [];
      const hit = orNothing(() => openHit(sealer, subject, hitRow));
      const holds = hit?.decided?.decision;
      const isThis = holds?.decidedAt === decision.decidedAt && holds.decision === decision.decision;
      return hit && isThis ? [{ id: row.id, subject, hitId, hit, decision }] : [];
    });
  }

  return {
    alerts,
    list: async (page: RowPage & SubjectFilter) => describe(await store.list(page)),
    lookAtAll: async (ids: readonly string[]) => describe(await store.findMany(ids.filter(isUuid))),
    /** Finds subjects by a customer's own name for them, among these customers. */
    findByReference: async (owners: readonly Owner[], reference: string) =>
      describe(await store.findByReferences(owners.map((owner) => digestReference(sealer, owner, reference)))),

    /**
     * Returns decisions that a subject is not the listed entity and that still hold, the latest first. `next` continues where the
     * search ended, also if nothing was found on the way.
     */
    async cleared({ before, limit, ...whose }: RowPage): Promise<{ decisions: StandingDecision[]; next?: string }> {
      const decisions: StandingDecision[] = [];
      let [after, read] = [before, 0];
      for (;;) {
        const made = await alerts({ ...whose, kinds: ['decision'], before: after, limit });
        const known = new Set(decisions.map(({ hitId }) => hitId));
        decisions.push(...(await standing(made)).filter(({ hitId }) => !known.has(hitId)));
        if (decisions.length > limit) {
          const shown = decisions.slice(0, limit);
          return { decisions: shown, next: shown.at(-1)!.id };
        }
        if (made.length < limit) return { decisions };
        after = made.at(-1)!.row.id;
        read += made.length;
        if (read >= MOST_READ) return { decisions, next: after };
      }
    },
  };
}

export type WatchedBrowser = ReturnType<typeof createWatchedBrowser>;

function orNothing<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
