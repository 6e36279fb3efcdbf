// Screens single subjects and small batches, on the same threads and lists as files.
import type { EntityFilter, ListedEntity, Subject } from '@limen/screening';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import { inGroups } from '../../platform/base/batches.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { Edition, EntitySearch, SubjectOutcome } from '../engine/messages.ts';
import type { Lane, ScreeningPool } from '../engine/pool.ts';
import type { Catalogue, Selection } from '../lists/catalogue/catalogue.ts';
import { effectiveThreshold } from './threshold.ts';

interface MatchOrder {
  dataset: string;
  threshold: number;
  limit: number;
  subjects: readonly Subject[];
  /** Minimum score of the entities that are counted; by default the threshold. */
  countFrom?: number | undefined;
  without?: ReadonlySet<string> | undefined;
  filter?: EntityFilter | undefined;
  /** Keeps the entries of each list apart, instead of merging those of one entity. */
  byList?: boolean | undefined;
  /** Account of the pool that the work counts for; by default the service itself. */
  owner?: WorkOwner | undefined;
  signal: AbortSignal;
  /** Time after which the match is rejected. */
  withinMs?: number | undefined;
}

export interface MatchResults extends Pick<Selection, 'searched' | 'missing' | 'version' | 'warning'> {
  /** One per subject, in their order. */
  outcomes: SubjectOutcome[];
}

type SearchTarget = Pick<MatchOrder, 'dataset' | 'owner' | 'signal'>;

const RETRY_AFTER_SECONDS = 30;
/** Limits per task of a thread. Small tasks keep the wait of other callers short. */
const SUBJECTS_PER_TASK = 10;
const NAMES_PER_TASK = 20;
const IDS_PER_TASK = 200;

export class Matcher {
  readonly #catalogue: Catalogue;
  readonly #pool: ScreeningPool;
  subjectsScreened = 0;

  constructor({ catalogue, pool }: { catalogue: Catalogue; pool: ScreeningPool }) {
    this.#catalogue = catalogue;
    this.#pool = pool;
  }

  async match({ dataset, owner, signal, subjects, withinMs, threshold, ...wanted }: MatchOrder): Promise<MatchResults> {
    const late = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs);
    const place = { dataset, owner, signal: late ? AbortSignal.any([signal, late]) : signal };
    let workedMs = () => 0;
    try {
      return await this.#onLane(place, async (lane, { editions, lists, topic, ...selection }) => {
        workedMs = () => lane.workedMs;
        const search = { editions: editions.map(({ id }) => id), lists, topic };
        const plan = { ...search, ...wanted, threshold: effectiveThreshold(threshold) };
        const matchPart = async (part: readonly Subject[]) => {
          const outcomes: SubjectOutcome[] = [];
          while (outcomes.length < part.length) {
            const rest = part.slice(outcomes.length);
            outcomes.push(...(await lane.run(() => ({ kind: 'match' as const, subjects: rest, plan }))));
          }
          return outcomes;
        };
        const outcomes = (await Promise.all(inParts(subjects).map(matchPart))).flat();
        this.subjectsScreened += subjects.length;
        const { searched, missing, version, warning } = selection;
        return { searched, missing, version, warning, outcomes };
      });
    } catch (error) {
      if (withinMs === undefined || !late?.aborted || signal.aborted) throw error;
      if (workedMs() < withinMs / 2)
        throw new AppError(
          'unavailable',
          'Other requests use all of the service’s capacity at the moment. Try again later.',
          { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
        );
      throw new AppError(
        'payload_too_large',
        `Comparing these names takes more than ${Math.ceil(withinMs / 1_000)} seconds, and was given up. Send fewer subjects at once, or fewer names of each.`,
      );
    }
  }

  /** Returns one map per id: the entries of a dataset's lists under that id, by the name of the list. */
  entries({ ids, ...place }: SearchTarget & { ids: readonly string[] }) {
    return this.#onLane(place, async (lane, { editions, lists, searched }) => {
      const numbers = editions.map(({ id }) => id);
      const entries: ReadonlyMap<string, ListedEntity>[] = [];
      for (const group of inGroups(ids, IDS_PER_TASK)) {
        const found = await lane.run(() => ({ kind: 'entries' as const, ids: group, editions: numbers }));
        entries.push(...found.map((listed) => new Map(listed.map(({ place: at, entity }) => [lists[at]!, entity]))));
      }
      return { searched, entries };
    });
  }

  /** Searches entities by words. */
  search({ filter, text, fuzzy, limit, ...place }: SearchTarget & EntitySearch & Pick<MatchOrder, 'filter'>) {
    return this.#onLane(place, (lane, { editions, lists, topic }) => {
      const plan = { editions: editions.map(({ id }) => id), lists, topic, filter };
      return lane.run(() => ({ kind: 'search' as const, search: { text, fuzzy, limit }, plan }));
    });
  }

  /** Returns the entity that has this id, had it before or has it elsewhere; null if there is none. */
  find({ id, ...place }: SearchTarget & { id: string }) {
    return this.#onLane(place, (lane, { editions }) => {
      const numbers = editions.map((edition) => edition.id);
      return lane.run(() => ({ kind: 'find' as const, id, editions: numbers }));
    });
  }

  async #onLane<T>({ dataset, owner, signal }: SearchTarget, work: (lane: Lane, selection: Selection) => Promise<T>) {
    const selection = await this.#catalogue.select(dataset);
    try {
      return await runOnLane(this.#pool, selection.editions, owner, signal, (lane) => work(lane, selection));
    } finally {
      selection.release();
    }
  }
}

/** Splits subjects into tasks. A subject with many names gets a task of its own. */
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

/** Opens a lane for `work`, and closes it at its end or when `signal` aborts. */
export async function runOnLane<T>(
  pool: ScreeningPool,
  editions: readonly Edition[],
  owner: WorkOwner | undefined,
  signal: AbortSignal,
  work: (lane: Lane) => Promise<T>,
): Promise<T> {
  const lane = pool.openLane(editions, owner);
  signal.addEventListener('abort', lane.close, { once: true });
  try {
    signal.throwIfAborted();
    return await work(lane);
  } finally {
    signal.removeEventListener('abort', lane.close);
    lane.close();
  }
}
