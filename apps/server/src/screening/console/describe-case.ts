// Describes the case of a hit, as its watched subject stands now.
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { CaseRow } from '../../review/case.ts';
import type { HitCases } from '../../review/console/routes.ts';
import type { StoredHit, WatchedEntry } from '../subjects/contents.ts';
import type { WatchedSubjects } from '../subjects/subjects.ts';

/** `watched`: undefined if this process watches nothing. */
export function createHitCases(watched: Pick<WatchedSubjects, 'find' | 'hits'> | undefined): HitCases {
  return {
    async describe({ row }) {
      const hit = (await findHit(row))?.hit;
      if (!hit) return { entity: null };
      // The explanation quotes the subject.
      const { list, listVersion, entryHash } = hit;
      const { explanation: _, ...match } = hit.match;
      return { entity: { list, listVersion, entryHash, match } };
    },
    async reveal(row) {
      const { subject, hit } = (await findHit(row)) ?? {};
      if (!subject || !hit) return undefined;
      const { reference, subject: known } = subject.content;
      return { reference, subject: known, explanation: hit.match.explanation };
    },
  };

  /** Returns undefined if the subject was deleted. */
  async function findHit(row: CaseRow): Promise<{ subject: WatchedEntry; hit: StoredHit | undefined } | undefined> {
    if (!watched) return undefined;
    try {
      const subject = await watched.find(ownerFrom(row), row.about);
      const hits = await watched.hits.list(subject.row);
      return { subject, hit: hits.find(({ row: { id } }) => id === row.hit_id) };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}
