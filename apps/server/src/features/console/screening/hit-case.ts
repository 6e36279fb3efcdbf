// Describes the case of a hit, as its watched subject stands now.
import type { CaseRow } from '../../../core/review/case.ts';
import type { StoredHit } from '../../../core/watching/record-outcome.ts';
import type { Watched, WatchedSubjects } from '../../../core/watching/watched-subjects.ts';
import { ownerFrom } from '../../../platform/api-keys/owner.ts';
import { AppError } from '../../../platform/errors.ts';
import type { HitCases } from '../review-routes.ts';
import type { EntityView } from '../review-views.ts';

/** `watched`: undefined if this process watches nothing. */
export function createHitCases(watched: Pick<WatchedSubjects, 'find' | 'hits'> | undefined): HitCases {
  return {
    async describe({ row }) {
      const hit = (await findHit(row))?.hit;
      return { entity: hit ? entityOf(hit) : null };
    },
    async reveal(row) {
      const { subject, hit } = (await findHit(row)) ?? {};
      if (!subject || !hit) return undefined;
      const { reference, subject: known } = subject.content;
      return { reference, subject: known, explanation: hit.match.explanation };
    },
  };

  /** Returns what is left of the subject and its hit. */
  async function findHit(row: CaseRow): Promise<{ subject: Watched; hit: StoredHit | undefined } | undefined> {
    if (!watched) return undefined;
    try {
      const subject = await watched.find(ownerFrom(row), row.about);
      const hits = await watched.hits(subject);
      return { subject, hit: hits.find(({ row: { id } }) => id === row.hit_id) };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}

/** The explanation quotes the subject. */
function entityOf({ list, listVersion, entryHash, match: { explanation: _, ...match } }: StoredHit): EntityView {
  return { list, listVersion, entryHash, match };
}
