// Watched subjects of all customers, and the decisions on their hits, for operators.
import type { HitDecision } from '@limen/contract';
import type { Owner } from '../../platform/api-keys/owner.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { AlertRecord, AlertRow, HitContent, SubjectContent, SubjectRow } from './contents.ts';
import { digestReference, openHit, openRecord, openSubject } from './contents.ts';
import { type AlertFilter, type RowPage, type SubjectFilter, WatchStore } from './store.ts';

export interface BrowsedSubject {
  row: SubjectRow;
  hitCount: number;
  /** Returns undefined if the row was edited in the database. */
  content: () => SubjectContent | undefined;
}

export type BrowsedAlert = { row: AlertRow; record: AlertRecord | undefined };

export interface StandingDecision {
  id: string;
  subject: SubjectRow;
  hitId: string;
  hit: HitContent;
  decision: HitDecision;
}

/** Decisions that one call reads to find those in force. */
const MAX_DECISIONS_READ = 500;

export function createWatchedBrowser(database: Database, sealer: Sealer) {
  const store = new WatchStore(database);

  async function describe(rows: readonly SubjectRow[]): Promise<BrowsedSubject[]> {
    const counts = await store.countHits(rows.map(({ id }) => id));
    return rows.map((row) => ({
      row,
      hitCount: counts.get(row.id) ?? 0,
      content: () => undefinedIfUnreadable(() => openSubject(sealer, row)),
    }));
  }

  async function alerts(page: RowPage & AlertFilter): Promise<BrowsedAlert[]> {
    const rows = await store.listAlerts(page);
    return rows.map((row) => ({ row, record: undefinedIfUnreadable(() => openRecord(sealer, row)) }));
  }

  /** Returns the decisions in force, in the same order. */
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
      const hit = undefinedIfUnreadable(() => openHit(sealer, subject, hitRow));
      const current = hit?.decided?.decision;
      const isCurrent = current?.decidedAt === decision.decidedAt && current.decision === decision.decision;
      return hit && isCurrent ? [{ id: row.id, subject, hitId, hit, decision }] : [];
    });
  }

  return {
    alerts,
    list: async (page: RowPage & SubjectFilter) => describe(await store.list(page)),
    lookAtAll: async (ids: readonly string[]) => describe(await store.findMany(ids.filter(isUuid))),
    findByReference: async (owners: readonly Owner[], reference: string) =>
      describe(await store.findByReferences(owners.map((owner) => digestReference(sealer, owner, reference)))),

    /** Returns decisions in force that a subject is not the listed entity, newest first. The page may be empty and have a `next`. */
    async cleared({ before, limit, ...whose }: RowPage): Promise<{ decisions: StandingDecision[]; next?: string }> {
      const decisions: StandingDecision[] = [];
      let [after, read] = [before, 0];
      for (;;) {
        const made = await alerts({ ...whose, kinds: ['decision'], before: after, limit });
        const known = new Set(decisions.map(({ hitId }) => hitId));
        decisions.push(...(await standing(made)).filter(({ hitId }) => !known.has(hitId)));
        if (decisions.length > limit) {
          return { decisions: decisions.slice(0, limit), next: decisions[limit - 1]!.id };
        }
        if (made.length < limit) return { decisions };
        after = made.at(-1)!.row.id;
        read += made.length;
        if (read >= MAX_DECISIONS_READ) return { decisions, next: after };
      }
    },
  };
}

export type WatchedBrowser = ReturnType<typeof createWatchedBrowser>;

function undefinedIfUnreadable<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
