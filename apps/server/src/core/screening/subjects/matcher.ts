// Screens single subjects and small batches, on the same threads and lists as files.
import type { EntityFilter, ListedEntity, Subject } from '@limen/screening';
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

export interface Entries extends Pick<Selection, 'searched'> {
  /** What each list says for itself, by its name, one per id. */
  entries: ReadonlyMap<string, ListedEntity>[];
}

export interface Matcher {
  match(order: MatchOrder): Promise<Matched>;
  /** What the lists of a dataset have under these ids. */
  entries(order: { dataset: string; ids: readonly string[]; signal: AbortSignal }): Promise<Entries>;
  readonly subjectsScreened: number;
}

/** Screened in one go by a thread: small enough that nobody else waits long for it, however many names a subject has. */
const SUBJECTS_PER_TASK = 10;
const NAMES_PER_TASK = 20;
/** Looked up in one go by a thread. */
const IDS_PER_TASK = 200;

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
        const matchPart = async (part: readonly Subject[]) => {
          const outcomes: SubjectOutcome[] = [];
          while (outcomes.length < part.length) {
            const rest = part.slice(outcomes.length);
            outcomes.push(...(await lane.run(() => ({ kind: 'match' as const, subjects: rest, plan }))));
          }
          return outcomes;
        };
        const found = await Promise.all(parts.map(matchPart));
        subjectsScreened += subjects.length;
        return { searched, missing, version, warning, outcomes: found.flat() };
      }),

    entries: ({ dataset, ids, signal }) =>
      withLane({ catalogue, pool }, dataset, signal, async (lane, { editions, lists, searched }) => {
        const numbers = editions.map(({ id }) => id);
        const entries: Entries['entries'] = [];
        for (let at = 0; at < ids.length; at += IDS_PER_TASK) {
          const some = ids.slice(at, at + IDS_PER_TASK);
          const found = await lane.run(() => ({ kind: 'entries' as const, ids: some, editions: numbers }));
          entries.push(...found.map((one) => new Map(one.map(({ place, entity }) => [lists[place]!, entity]))));
        }
        return { searched, entries };
      }),
  };
}

/** A subject with more names than a task should have is one of its own. */
export function inParts(subjects: readonly Subject[]): Subject[][] {
  const parts: Subject[][] = [];
  let names = 0;
  for (const subject of subjects) {
    const part = parts.at(-1);
    const searches = subject.names.length * (1 + (subject.otherBirthDates?.length ?? 0));
    names += searches;
    if (part && part.length < SUBJECTS_PER_TASK && names <= NAMES_PER_TASK) {
      part.push(subject);
      continue;
    }
    parts.push([subject]);
    names = searches;
  }
  return parts;
}
