// Screens single subjects and small batches, on the same threads and lists as files.
import type { EntityFilter, Subject } from '@limen/screening';
import type { Catalogue, Selection } from '../lists/catalogue.ts';
import type { ScreeningPool } from '../pool/screening-pool.ts';
import { withLane } from '../pool/with-lane.ts';
import type { SubjectOutcome } from '../pool/worker-messages.ts';
import { effectiveThreshold } from '../rules.ts';

export interface MatchOrder {
  dataset: string;
  threshold: number;
  limit: number;
  subjects: readonly Subject[];
  /** From which score on those found are counted; the threshold unless told. */
  countFrom?: number | undefined;
  without?: ReadonlySet<string> | undefined;
  filter?: EntityFilter | undefined;
  /** Whether an entity is what its own list says, and one with another id another one; otherwise what all lists say. */
  byList?: boolean | undefined;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
}

export interface Matched extends Pick<Selection, 'searched' | 'missing'> {
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
    match: ({ dataset, threshold, limit, subjects, countFrom, without, filter, byList, signal }) =>
      withLane({ catalogue, pool }, dataset, signal, async (lane, selection) => {
        const { editions, lists, searched, missing, topic, version, warning } = selection;
        const ids = editions.map(({ id }) => id);
        const wanted = { threshold: effectiveThreshold(threshold), limit, countFrom, without, filter, byList };
        const plan = { editions: ids, lists, topic, ...wanted };
        const parts = inParts(subjects);
        const found = await Promise.all(
          parts.map((part) => lane.run(() => ({ kind: 'match' as const, subjects: part, plan }))),
        );
        subjectsScreened += subjects.length;
        return { searched, missing, version, warning, outcomes: found.flat() };
      }),
  };
}

function inParts(subjects: readonly Subject[]): (readonly Subject[])[] {
  const count = Math.ceil(subjects.length / SUBJECTS_PER_TASK);
  return Array.from({ length: count }, (_, part) =>
    subjects.slice(part * SUBJECTS_PER_TASK, (part + 1) * SUBJECTS_PER_TASK),
  );
}
