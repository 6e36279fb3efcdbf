// Screens single subjects and small batches, on the same threads and lists as files.
import type { EntityFilter, ListedEntity, Subject } from '@limen/screening';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { Edition, EntitySearch, SubjectOutcome } from '../engine/messages.ts';
import type { Lane, ScreeningPool } from '../engine/pool.ts';
import type { Catalogue, Selection } from '../lists/catalogue/catalogue.ts';
import { effectiveThreshold } from './threshold.ts';

export interface MatchOrder {
  dataset: string;
  threshold: number;
  limit: number;
  subjects: readonly Subject[];
  /** Minimum score of the entities that are counted; by default the threshold. */
  countFrom?: number | undefined;
  without?: ReadonlySet<string> | undefined;
  filter?: EntityFilter | undefined;
  /** Whether an entity is what its own list says, and one with another id another one; otherwise what all lists say. */
  byList?: boolean | undefined;
  /** Account of the pool that the work counts for; by default the service itself. */
  owner?: WorkOwner | undefined;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
  /** Maximum time for the match. A match that takes longer is refused. */
  withinMs?: number | undefined;
}

export interface Matched extends Pick<Selection, 'searched' | 'missing' | 'version' | 'warning'> {
  /** One per subject, in their order. */
  outcomes: SubjectOutcome[];
}

/** A dataset, the account of the pool that the work counts for, and the end of the wait. */
type SearchPlace = Pick<MatchOrder, 'dataset' | 'owner' | 'signal'>;

const RETRY_AFTER_SECONDS = 30;
/** Limits per task of a thread. Small tasks keep the wait of other callers short. */
const SUBJECTS_PER_TASK = 10;
const NAMES_PER_TASK = 20;
/** Looked up in one go by a thread. */
const IDS_PER_TASK = 200;

export class Matcher {
  readonly #options: { catalogue: Catalogue; pool: ScreeningPool };
  #subjectsScreened = 0;

  constructor(options: { catalogue: Catalogue; pool: ScreeningPool }) {
    this.#options = options;
  }

  get subjectsScreened(): number {
    return this.#subjectsScreened;
  }

  match({ withinMs, ...order }: MatchOrder): Promise<Matched> {
    return withinMs === undefined ? this.#match(order) : this.#matchWithin(withinMs, order);
  }

  /** Returns the entries that the lists of a dataset have under these ids, by the name of their list: one map per id. */
  entries({ ids, ...place }: SearchPlace & { ids: readonly string[] }) {
    return withLane(this.#options, place, async (lane, { editions, lists, searched }) => {
      const numbers = editions.map(({ id }) => id);
      const entries: ReadonlyMap<string, ListedEntity>[] = [];
      for (let at = 0; at < ids.length; at += IDS_PER_TASK) {
        const some = ids.slice(at, at + IDS_PER_TASK);
        const found = await lane.run(() => ({ kind: 'entries' as const, ids: some, editions: numbers }));
        entries.push(...found.map((listed) => new Map(listed.map(({ place: at, entity }) => [lists[at]!, entity]))));
      }
      return { searched, entries };
    });
  }

  /** Calls `watch` with the order's lane. */
  #match(order: Omit<MatchOrder, 'withinMs'>, watch: (lane: Lane) => void = () => {}): Promise<Matched> {
    const { dataset, threshold, limit, subjects, countFrom, without, filter, byList, owner, signal } = order;
    return withLane(this.#options, { dataset, owner, signal }, async (lane, selection) => {
      watch(lane);
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
      this.#subjectsScreened += subjects.length;
      return { searched, missing, version, warning, outcomes: found.flat() };
    });
  }

  async #matchWithin(ms: number, order: MatchOrder): Promise<Matched> {
    const late = AbortSignal.timeout(ms);
    let lane: Lane | undefined;
    try {
      return await this.#match({ ...order, signal: AbortSignal.any([order.signal, late]) }, (its) => {
        lane = its;
      });
    } catch (error) {
      if (!late.aborted || order.signal.aborted) throw error;
      // Most of that time it waited for others, and is not to blame.
      if ((lane?.workedMs ?? 0) < ms / 2) throw busyWithOthers();
      throw new AppError(
        'payload_too_large',
        `Comparing these names takes more than ${Math.ceil(ms / 1_000)} seconds, and was given up. Send fewer subjects at once, or fewer names of each.`,
      );
    }
  }
}

function busyWithOthers(): AppError {
  return new AppError(
    'unavailable',
    'The names of others take all of the service at the moment. Try again in a while.',
    { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  );
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

export type EntityFinder = ReturnType<typeof createEntityFinder>;

export function createEntityFinder(parts: { catalogue: Catalogue; pool: ScreeningPool }) {
  return {
    search: ({ filter, text, fuzzy, limit, ...place }: SearchPlace & EntitySearch & Pick<MatchOrder, 'filter'>) =>
      withLane(parts, place, (lane, { editions, lists, topic }) => {
        const plan = { editions: editions.map(({ id }) => id), lists, topic, filter };
        return lane.run(() => ({ kind: 'search' as const, search: { text, fuzzy, limit }, plan }));
      }),

    /** Returns the entity that has this id, had it before or has it elsewhere; null if there is none. */
    find: ({ id, ...place }: SearchPlace & { id: string }) =>
      withLane(parts, place, (lane, { editions }) =>
        lane.run(() => ({ kind: 'find' as const, id, editions: editions.map((edition) => edition.id) })),
      ),
  };
}

async function withLane<T>(
  { catalogue, pool }: { catalogue: Catalogue; pool: ScreeningPool },
  { dataset, owner, signal }: SearchPlace,
  work: (lane: Lane, selection: Selection) => Promise<T>,
): Promise<T> {
  const selection = await catalogue.select(dataset);
  try {
    return await runOnLane(pool, selection.editions, owner, signal, (lane) => work(lane, selection));
  } finally {
    selection.release();
  }
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
