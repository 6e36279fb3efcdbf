// Screens watched subjects against their datasets and writes the outcomes.
//
// A subject's row is read before its lists are chosen, and locked while its outcome is written. If the row or its hits changed in
// between, the outcome is dropped and the subject is screened again.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { MATCHES_PER_SUBJECT_MAX, type ScreeningSubject, WATCHED_HITS_MAX } from '@limen/contract';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import { inGroups } from '../../platform/base/batches.ts';
import { AppError, describeForLog } from '../../platform/base/errors.ts';
import type { WatchedSubjectId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import { READY } from '../../platform/watch/readiness.ts';
import { hashEntry, hashFields } from '../engine/hash-entry.ts';
import type { SubjectOutcome } from '../engine/messages.ts';
import { SERVICE } from '../engine/pool.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import { isCollection, isListBehind } from '../lists/catalogue/collections.ts';
import type { DatasetFolder } from '../lists/folder/folder.ts';
import type { Matcher, MatchResults } from '../match/matcher.ts';
import { readSubject } from '../match/read-subject.ts';
import { writeEntry, writeMatch } from '../match/write-result.ts';
import type { HitContent, HitFinding, OpenedSubject, SubjectContent, SubjectRow } from './contents.ts';
import { openHit, openSubject } from './contents.ts';
import { collectHashes, diffHits } from './diff-hits.ts';
import { ENGINE, type ScreeningEngine } from './engine.ts';
import { isElsewhere, isOutdated, type ListNames, requireContentSum } from './lists/find-news.ts';
import { type RecordTools, recordChange } from './record-outcome.ts';
import { explainRemoval, type ListedEntities } from './removal-causes.ts';
import type { ScreenedNote } from './store.ts';
import type { WorkedLists } from './worked-lists.ts';

const SUBJECTS_AT_ONCE = 100;
/** Account of the pool for subjects of test keys. */
const TEST_WORLD: WorkOwner = { id: 'service, test world', isStranger: false };
/** Subjects with many matches that are screened together: their outcomes take a few megabytes. */
const CROWDED_AT_ONCE = 10;
/** Limits of one transaction, for which other writers wait. */
const MATCHES_AT_ONCE = 100;
const CHANGES_AT_ONCE = 100;

interface ScreenWatchedOptions extends RecordTools, Pick<Context, 'database' | 'log'> {
  matcher: Matcher;
  worked: WorkedLists;
  catalogue: Catalogue;
  folder: DatasetFolder;
  engine?: ScreeningEngine | undefined;
}

export interface ScreenOrder {
  signal: AbortSignal;
  /** Screens only subjects that are due, or only those that are not: due ones have a job of their own. */
  only?: 'due' | 'settled' | undefined;
  /** Limits the screening to changed entities of a list. Only those in `news` can become hits. */
  changes?: { list: string; ids: ReadonlySet<string>; news: ReadonlySet<string> } | undefined;
}

interface ScreenedSubject extends OpenedSubject {
  outcome: SubjectOutcome;
  /** Current entries by the ids of removed hits; undefined before a lookup. */
  listed?: ReadonlyMap<string, ListedEntities> | undefined;
}

/** A subject with removed hits, whose entities may still be listed. */
type DoubtfulSubject = { subject: ScreenedSubject; ids: string[] };

export class WatchedScreener {
  readonly #options: ScreenWatchedOptions;
  readonly #engine: ScreeningEngine;
  /** Returns nothing for a row that was edited in the database. */
  readonly openSubject = (row: SubjectRow): OpenedSubject[] => {
    const { sealer, log } = this.#options;
    try {
      return [{ row, content: openSubject(sealer, row) }];
    } catch (error) {
      log.error({ ...describeForLog(error), subject: row.id }, 'a watched subject does not open and is not screened');
      return [];
    }
  };

  constructor(options: ScreenWatchedOptions) {
    this.#options = options;
    this.#engine = options.engine ?? ENGINE;
  }

  /** Returns subjects that could not be screened, or not against everything. */
  async screen(ids: readonly WatchedSubjectId[], order: ScreenOrder): Promise<WatchedSubjectId[]> {
    const { store, catalogue } = this.#options;
    const { changes, only } = order;
    const opened = (await store.findMany(ids))
      .filter(({ state }) => only === undefined || (state === 'due') === (only === 'due'))
      .flatMap(this.openSubject)
      .filter(({ content }) => changes === undefined || isWatchedAgainst(content, changes.list));
    // While lists are being loaded or copied from other machines, some seem to be missing.
    if (catalogue.progress() !== READY) return opened.map(({ row }) => row.id);
    const left: WatchedSubjectId[] = [];
    const groups = Map.groupBy(opened, ({ content }) => JSON.stringify([content.dataset, content.scoreThreshold]));
    for (const part of groups.values().flatMap((group) => inGroups(group, SUBJECTS_AT_ONCE))) {
      const first = await this.#screenWithin(MATCHES_PER_SUBJECT_MAX, part, order);
      left.push(...first.left);
      for (const crowded of inGroups(first.crowded, CROWDED_AT_ONCE))
        left.push(...(await this.#screenWithin(WATCHED_HITS_MAX, crowded, order)).left);
    }
    return left;
  }

  /** Writes the outcomes, except of subjects with more matches than `limit`, if more are kept. */
  async #screenWithin(limit: number, part: readonly OpenedSubject[], order: ScreenOrder) {
    const matched = await this.#match(limit, part, order);
    if (!matched) return { left: part.map(({ row }) => row.id), crowded: [] };
    // Read after the search, and the catalogue first: a removed list is named as removed before it is gone.
    const { catalogue, folder } = this.#options;
    const known = new Set(catalogue.describe().map(({ name }) => name));
    const names = { known, removed: await folder.removed() };
    const screened = part.map((subject, at) => ({ ...subject, outcome: matched.outcomes[at]! }));
    const isCrowded = ({ outcome }: ScreenedSubject) => limit < WATCHED_HITS_MAX && hasMore(outcome);
    const left: WatchedSubjectId[] = [];
    for (const slice of inSlices(screened.filter((subject) => !isCrowded(subject)))) {
      for (let rest: ScreenedSubject[] = slice; rest.length > 0; ) {
        const written = await this.#write(rest, { ...matched, names }, order);
        const found = await this.#lookUp(written.doubtful, matched, order);
        left.push(...written.left);
        if (!found) left.push(...written.doubtful.map(({ subject }) => subject.row.id));
        rest = [...written.rest, ...(found ?? [])];
        await nextTurn();
      }
    }
    return { left, crowded: screened.filter(isCrowded) };
  }

  /** Returns undefined if the subjects could not be screened now. */
  async #match(
    limit: number,
    part: readonly OpenedSubject[],
    { signal }: ScreenOrder,
  ): Promise<MatchResults | undefined> {
    const { matcher, log } = this.#options;
    const { row, content } = part[0]!;
    const { dataset, scoreThreshold: threshold } = content;
    const owner = row.world === 'live' ? SERVICE : TEST_WORLD;
    const subjects = part.map(({ content }) => readSubject(content.subject, 'subject'));
    try {
      // By list, because lists change one by one.
      return await matcher.match({ dataset, threshold, limit, subjects, byList: true, owner, signal });
    } catch (error) {
      signal.throwIfAborted();
      // The list is gone with all its entries, and may come back.
      if (error instanceof AppError && error.code === 'not_found') {
        const outcome: SubjectOutcome = { best: 0, found: 0, complete: true, matches: [], warnings: [] };
        return { version: '', warning: undefined, searched: [], missing: [], outcomes: part.map(() => outcome) };
      }
      log.warn({ ...describeForLog(error), dataset }, 'watched subjects could not be screened and will be retried');
      return undefined;
    }
  }

  /** Looks removed hits up, which may still be listed, outside of a transaction. Returns undefined if that failed. */
  async #lookUp(doubtful: readonly DoubtfulSubject[], { searched }: MatchResults, { signal }: ScreenOrder) {
    const { matcher, log } = this.#options;
    const [first] = doubtful;
    if (!first) return [];
    const { dataset } = first.subject.content;
    const ids = [...new Set(doubtful.flatMap((subject) => subject.ids))];
    try {
      const now = await matcher.entries({ dataset, ids, signal });
      // After a switch of a list the subjects are screened again.
      if (!isDeepStrictEqual(now.searched.map(requireContentSum), searched.map(requireContentSum))) return undefined;
      const listed = new Map(ids.map((id, at) => [id, now.entries[at]!]));
      return doubtful.map(({ subject }) => ({ ...subject, listed }));
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ ...describeForLog(error), dataset }, 'removed hits could not be looked up and will be retried');
      return undefined;
    }
  }

  /** Writes what fits into one transaction. `rest` is written by the next one. */
  async #write(part: readonly ScreenedSubject[], matched: MatchResults & { names: ListNames }, order: ScreenOrder) {
    const { database, worked, clock, store, sealer } = this.#options;
    const { searched, names } = matched;
    const ids = part.map(({ row }) => row.id);
    const isWhole = matched.missing.length === 0;
    const isSearched = (list: string) => searched.some(({ name }) => name === list);
    const isPresentOrRemoved = (list: string) => names.known.has(list) || names.removed.has(list);
    return database.transact(async (trx) => {
      const lists = await worked.hold(trx);
      const now = clock.now();
      // Another process may have a newer list, which an older one must not undo.
      if (searched.some((info) => lists.some((row) => row.name === info.name && isOutdated(info, row, now))))
        return { left: ids, rest: [], doubtful: [] };
      // Another process may also have a list that is missing here.
      const elsewhere = lists.filter((row) => isElsewhere(row, names, now));
      const held = new Map((await store.holdAll(trx, ids)).map((row) => [row.id, row]));
      const hits = Map.groupBy(await store.hitsOf(ids, trx), ({ subject_id }) => subject_id);
      const left: WatchedSubjectId[] = [];
      const rest: ScreenedSubject[] = [];
      const doubtful: DoubtfulSubject[] = [];
      const notes: [WatchedSubjectId, ScreenedNote][] = [];
      let room = CHANGES_AT_ONCE;
      for (const subject of part) {
        const { content, outcome } = subject;
        const row = held.get(subject.row.id);
        const isLacking = elsewhere.some(({ name }) => isWatchedAgainst(content, name));
        if (row?.revision !== subject.row.revision || isLacking) {
          if (row) left.push(row.id);
          continue;
        }
        if (room === 0) {
          rest.push(subject);
          continue;
        }
        const moreHits = hasMore(outcome);
        const known = (hits.get(row.id) ?? []).map((hit) => openHit(sealer, row, hit));
        const changes = diffHits(known, collectFindings(content, outcome, matched, this.#engine.version), {
          concerns: (entityId, isKnown) => order.changes?.[isKnown ? 'ids' : 'news'].has(entityId) ?? true,
          // With more matches than are kept, an entity that is not among them may still be listed.
          // A list that is missing without having been removed may come back.
          isSettled: (list) =>
            !moreHits &&
            (isWhole || isSearched(list)) &&
            (isPresentOrRemoved(list) || !isWatchedAgainst(content, list)),
        });
        const gone = changes.flatMap((change) => (change.change === 'removed' ? [change.stored] : []));
        if (!subject.listed && gone.some(({ list }) => isSearched(list))) {
          doubtful.push({ subject, ids: gone.map(({ match: { id } }) => id) });
          continue;
        }
        for (const change of changes.slice(0, room)) {
          const removal = change.change === 'removed' ? this.#removalOf(change.stored, subject, matched) : undefined;
          await recordChange(trx, { ...subject, row }, change, this.#options, { removal, moreHits });
        }
        if (changes.length > room) {
          // Counts as screened only after all changes are written: a new run finds the rest.
          const revision = row.revision + 1;
          await store.update(trx, row.id, { revision });
          rest.push({ ...subject, row: { ...row, revision } });
        } else {
          const isAll = isWhole && order.changes === undefined;
          const state = isListBehind(content.dataset, searched) ? 'screened' : 'no_list';
          // Entities that are not screened keep their engine. After a later engine, that one is unknown.
          const engineBefore = row.engine > this.#engine.number ? 0 : row.engine;
          const note: ScreenedNote = {
            state: isAll ? state : isWhole ? row.state : 'due',
            screened_at: now,
            engine: isAll ? this.#engine.number : engineBefore,
            more_hits: moreHits ? 1 : 0,
          };
          notes.push([row.id, note]);
          if (!isWhole) left.push(row.id);
        }
        room = Math.max(0, room - changes.length);
      }
      for (const group of Map.groupBy(notes, ([, note]) => JSON.stringify(note)).values()) {
        const [, note] = group[0]!;
        const noted = group.map(([id]) => id);
        await store.noteScreened(trx, noted, note);
      }
      return { left, rest, doubtful };
    });
  }

  #removalOf(stored: HitContent, { content, listed }: ScreenedSubject, { searched }: MatchResults) {
    const removal = explainRemoval(stored, {
      subjectHash: hashSubject(content.subject),
      dataset: content.dataset,
      scoreThreshold: content.scoreThreshold,
      engineVersion: this.#engine.version,
      isSearched: (list) => searched.some(({ name }) => name === list),
      listed: listed?.get(stored.match.id) ?? new Map(),
    });
    return { ...removal, version: searched.find(({ name }) => name === stored.list)?.version };
  }
}

function isWatchedAgainst({ dataset }: SubjectContent, list: string): boolean {
  return dataset === list || isCollection(dataset);
}

/** Cuts subjects into slices with few matches. */
function inSlices(screened: readonly ScreenedSubject[]): ScreenedSubject[][] {
  const slices: ScreenedSubject[][] = [];
  let matches = Number.POSITIVE_INFINITY;
  for (const subject of screened) {
    const count = subject.outcome.matches.length;
    matches += count;
    if (matches > MATCHES_AT_ONCE) {
      slices.push([]);
      matches = count;
    }
    slices.at(-1)!.push(subject);
  }
  return slices;
}

function hasMore({ found, complete, matches }: SubjectOutcome): boolean {
  return !complete || found > matches.length;
}

function collectFindings(
  content: SubjectContent,
  { matches }: SubjectOutcome,
  { searched }: MatchResults,
  engineVersion: string,
) {
  const { subject, dataset } = content;
  const subjectHash = hashSubject(subject);
  const ids = new Set<string>();
  return matches.map((match): HitFinding => {
    const isStranger = ids.has(match.entity.id);
    ids.add(match.entity.id);
    const listOf = (place: number) => ({ list: searched[place]!.name, listVersion: searched[place]!.version });
    const { list, listVersion } = listOf(match.place);
    const elsewhere = match.elsewhere ?? [];
    const others = elsewhere.map(({ place, entryHash, entity }) => {
      return { ...listOf(place), entryHash, entry: writeEntry(entity) };
    });
    const datasets = new Set([...match.entity.datasets, ...elsewhere.flatMap(({ entity }) => entity.datasets)]);
    return {
      list,
      listVersion,
      ...collectHashes(list, hashEntry(match.entity), others),
      engineVersion,
      subjectHash,
      dataset,
      ...(isStranger && { stranger: true as const }),
      others,
      match: writeMatch({ ...match, entity: { ...match.entity, datasets: [...datasets] } }),
    };
  });
}

/** Hashes only the fields that are compared with lists, without callback, dataset and threshold. */
function hashSubject(subject: Omit<ScreeningSubject, 'id'>): string {
  return hashFields(readSubject(subject, 'subject'));
}
