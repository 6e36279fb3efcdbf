// Screens single subjects and small batches, on the same threads and lists as files.
import type { Subject } from '@limen/screening';
import type { Catalogue } from '../lists/catalogue.ts';
import type { ScreeningPool } from '../pool/screening-pool.ts';
import type { SubjectOutcome } from '../pool/worker-messages.ts';
import { effectiveThreshold } from '../rules.ts';

export interface MatchOrder {
  dataset: string;
  threshold: number;
  limit: number;
  subjects: readonly Subject[];
  without?: ReadonlySet<string> | undefined;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
}

export interface Matched {
  version: string;
  warning: string | undefined;
  /** One per subject, in their order. */
  outcomes: SubjectOutcome[];
}

export interface Matcher {
  match(order: MatchOrder): Promise<Matched>;
  readonly subjectsScreened: number;
}

/** Screened in one go by a thread: small enough that nobody else waits long for it. */
const SUBJECTS_PER_TASK = 10;

export function createMatcher({ catalogue, pool }: { catalogue: Catalogue; pool: ScreeningPool }): Matcher {
  let subjectsScreened = 0;
  return {
    get subjectsScreened() {
      return subjectsScreened;
    },
    async match({ dataset, threshold, limit, subjects, without, signal }) {
      const { editions, topic, version, warning, release } = await catalogue.select(dataset);
      const lane = pool.openLane(editions);
      signal.addEventListener('abort', lane.close, { once: true });
      try {
        signal.throwIfAborted();
        const ids = editions.map(({ id }) => id);
        const plan = { editions: ids, topic, threshold: effectiveThreshold(threshold), limit, without };
        const parts = inParts(subjects);
        const found = await Promise.all(
          parts.map((part) => lane.run(() => ({ kind: 'match' as const, subjects: part, plan }))),
        );
        subjectsScreened += subjects.length;
        return { version, warning, outcomes: found.flat() };
      } finally {
        signal.removeEventListener('abort', lane.close);
        lane.close();
        release();
      }
    },
  };
}

function inParts(subjects: readonly Subject[]): (readonly Subject[])[] {
  const count = Math.ceil(subjects.length / SUBJECTS_PER_TASK);
  return Array.from({ length: count }, (_, part) =>
    subjects.slice(part * SUBJECTS_PER_TASK, (part + 1) * SUBJECTS_PER_TASK),
  );
}
