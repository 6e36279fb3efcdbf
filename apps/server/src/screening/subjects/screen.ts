// Screens watched subjects against their datasets and writes what came of it.
//
// A subject's row is read before its lists are chosen and held while its outcome is written: if it, or its hits, changed in between,
// the outcome is not written and the subject is screened again. So a run that was overtaken by a newer version of a list, by a
// change of the subject or by a run of another process leaves nothing behind.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { MATCHES_PER_SUBJECT_MAX, WATCHED_HITS_MAX } from '@limen/contract';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import { inGroups } from '../../platform/base/batches.ts';
import { AppError, describeForLog } from '../../platform/base/errors.ts';
import type { WatchedSubjectId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import { READY } from '../../platform/watch/readiness.ts';
import type { SubjectOutcome } from '../engine/messages.ts';
import { SERVICE } from '../engine/pool.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import { isCollection, isListBehind } from '../lists/catalogue/collections.ts';
import type { DatasetFolder } from '../lists/folder/folder.ts';
import type { Matched, Matcher } from '../match/matcher.ts';
import { readSubject } from '../match/read-subject.ts';
import type { HitContent, OpenedSubject, SubjectContent, SubjectRow } from './contents.ts';
import { openHit, openSubject } from './contents.ts';
import { diffHits } from './diff-hits.ts';
import { ENGINE, type ScreeningEngine } from './engine.ts';
import { findingsOf, hashSubject, hasMore } from './findings.ts';
import { contentOf, isElsewhere, isOutdated, type ListNames } from './lists/find-news.ts';
import { type RecordTools, recordChange } from './record-outcome.ts';
import { explainRemoval, type ListedNow } from './removal-causes.ts';
import type { ScreenedNote } from './store.ts';
import type { WorkedList, WorkedLists } from './worked-lists.ts';

/** Screened and read together. */
const SUBJECTS_AT_ONCE = 100;
/** Account of the pool for subjects of test keys. */
const TEST_WORLD: WorkOwner = { id: 'service, test world', isStranger: false };
/** Of those that match so much that they are asked for by themselves: with all that was found, they take a few megabytes. */
const CROWDED_AT_ONCE = 10;
/** What was found of them, and what is written of it, at most, in one transaction: others wait for it. */
const MATCHES_AT_ONCE = 100;
const CHANGES_AT_ONCE = 100;

interface ScreenWatchedOptions extends RecordTools, Pick<Context, 'database' | 'log'> {
  matcher: Matcher;
  worked: Pick<WorkedLists, 'hold'>;
  catalogue: Pick<Catalogue, 'describe' | 'progress'>;
  folder: Pick<DatasetFolder, 'removed'>;
  engine?: ScreeningEngine | undefined;
}

export interface ScreenOrder {
  signal: AbortSignal;
  /** Leaves alone whoever is due, or whoever is not: those who are due have a job of their own. */
  only?: 'due' | 'settled' | undefined;
  /**
   * Where a list changed: of other entities nothing is said, only of `news` that one is a hit which was none before, and who is
   * not watched against the list is left alone.
   */
  changes?: { list: string; ids: ReadonlySet<string>; news: ReadonlySet<string> } | undefined;
}

interface ScreenedSubject extends OpenedSubject {
  outcome: SubjectOutcome;
  /** What the lists say under the ids of hits that are gone; absent until one was gone. */
  listed?: ReadonlyMap<string, ListedNow> | undefined;
}

/** Of whom hits are gone that may still be listed. */
interface Doubtful {
  one: ScreenedSubject;
  ids: string[];
}

export class WatchedScreener {
  readonly #options: ScreenWatchedOptions;
  readonly #engine: ScreeningEngine;
  /** Returns nothing for a row that was edited: it says nothing that could be screened. */
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

  /** Returns those that could not be screened, or not against everything. Deleted subjects are not among them. */
  async screen(ids: readonly WatchedSubjectId[], order: ScreenOrder): Promise<WatchedSubjectId[]> {
    const { store, catalogue } = this.#options;
    const { changes, only } = order;
    const opened = (await store.findMany(ids))
      .filter(({ state }) => only === undefined || (state === 'due') === (only === 'due'))
      .flatMap(this.openSubject)
      .filter(({ content }) => changes === undefined || isWatchedAgainst(content, changes.list));
    // While lists are still being loaded or brought from other machines, some would seem not to be there.
    if (catalogue.progress() !== READY) return opened.map(({ row }) => row.id);
    const left: WatchedSubjectId[] = [];
    for (const part of inParts(opened)) left.push(...(await this.#screenPart(part, order)));
    return left;
  }

  async #screenPart(part: readonly OpenedSubject[], order: ScreenOrder): Promise<WatchedSubjectId[]> {
    const first = await this.#screenWithin(MATCHES_PER_SUBJECT_MAX, part, order);
    const left = [...first.left];
    for (const few of inGroups(first.crowded, CROWDED_AT_ONCE))
      left.push(...(await this.#screenWithin(WATCHED_HITS_MAX, few, order)).left);
    return left;
  }

  /** Writes what was found; those of whom more may match are left as they are, as long as more are kept. */
  async #screenWithin(
    limit: number,
    part: readonly OpenedSubject[],
    order: ScreenOrder,
  ): Promise<{ left: WatchedSubjectId[]; crowded: OpenedSubject[] }> {
    const matched = await this.#match(limit, part, order);
    if (!matched) return { left: part.map(({ row }) => row.id), crowded: [] };
    const names = await this.#listNames();
    const screened = part.map((one, at) => ({ ...one, outcome: matched.outcomes[at]! }));
    const isCrowded = ({ outcome }: ScreenedSubject) => limit < WATCHED_HITS_MAX && hasMore(outcome);
    const left: WatchedSubjectId[] = [];
    for (const slice of inSlices(screened.filter((one) => !isCrowded(one)))) {
      for (let rest: ScreenedSubject[] = slice; rest.length > 0; ) {
        const written = await this.#write(rest, { ...matched, names }, order);
        const looked = await this.#lookUp(written.doubtful, matched, order);
        left.push(...written.left, ...looked.left);
        rest = [...written.rest, ...looked.found];
        await nextTurn();
      }
    }
    return { left, crowded: screened.filter(isCrowded) };
  }

  /** Undefined where they could not be screened now. */
  async #match(limit: number, part: readonly OpenedSubject[], { signal }: ScreenOrder): Promise<Matched | undefined> {
    const { matcher, log } = this.#options;
    const { row, content } = part[0]!;
    const { dataset, scoreThreshold: threshold } = content;
    const owner = row.world === 'live' ? SERVICE : TEST_WORLD;
    const subjects = part.map(({ content }) => readSubject(content.subject, 'subject'));
    try {
      // Lists change one by one: a hit is told by what its own list says.
      return await matcher.match({ dataset, threshold, limit, subjects, byList: true, owner, signal });
    } catch (error) {
      signal.throwIfAborted();
      // The list is gone, and with it all that it said; it may come back.
      if (error instanceof AppError && error.code === 'not_found') return nothingSearched(part.length);
      log.warn({ ...describeForLog(error), dataset }, 'watched subjects could not be screened and will be tried again');
      return undefined;
    }
  }

  /** Whether hits that are gone are still listed, which an alert says. It is seldom asked, and never within a transaction. */
  async #lookUp(
    doubtful: readonly Doubtful[],
    { searched }: Matched,
    { signal }: ScreenOrder,
  ): Promise<{ left: WatchedSubjectId[]; found: ScreenedSubject[] }> {
    const { matcher, log } = this.#options;
    const [first] = doubtful;
    if (!first) return { left: [], found: [] };
    const { dataset } = first.one.content;
    const ids = [...new Set(doubtful.flatMap((one) => one.ids))];
    try {
      const now = await matcher.entries({ dataset, ids, signal });
      if (isDeepStrictEqual(now.searched.map(contentOf), searched.map(contentOf))) {
        const listed = new Map(ids.map((id, at) => [id, now.entries[at]!]));
        return { left: [], found: doubtful.map(({ one }) => ({ ...one, listed })) };
      }
      // A list was switched in between: they are screened again, against the new one.
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ ...describeForLog(error), dataset }, 'what became of hits could not be told and will be tried again');
    }
    return { left: doubtful.map(({ one }) => one.row.id), found: [] };
  }

  /** Asked for after a search: a list says that it was removed before it is gone. */
  async #listNames(): Promise<ListNames> {
    const { catalogue, folder } = this.#options;
    return { known: new Set(catalogue.describe().map(({ name }) => name)), removed: await folder.removed() };
  }

  /** As much as fits into one transaction; the rest is written by the next. */
  async #write(
    part: readonly ScreenedSubject[],
    matched: Matched & { names: ListNames },
    order: ScreenOrder,
  ): Promise<{ left: WatchedSubjectId[]; rest: ScreenedSubject[]; doubtful: Doubtful[] }> {
    const { database, worked, clock, store, sealer } = this.#options;
    const ids = part.map(({ row }) => row.id);
    const isWhole = matched.missing.length === 0;
    const isSearched = (list: string) => matched.searched.some(({ name }) => name === list);
    const isThereOrRemoved = (list: string) => matched.names.known.has(list) || matched.names.removed.has(list);
    return database.transact(async (trx) => {
      // Another process may have a newer list and have screened against it: what an older one says does not undo that.
      const lists = await worked.hold(trx);
      if (isOlder(matched, lists, clock.now())) return { left: ids, rest: [], doubtful: [] };
      // Or one that is missing here, and only here.
      const elsewhere = lists.filter((row) => isElsewhere(row, matched.names, clock.now()));
      const held = new Map((await store.holdAll(trx, ids)).map((row) => [row.id, row]));
      const hits = Map.groupBy(await store.hitsOf(ids, trx), ({ subject_id }) => subject_id);
      const left: WatchedSubjectId[] = [];
      const rest: ScreenedSubject[] = [];
      const doubtful: Doubtful[] = [];
      const notes: [WatchedSubjectId, ScreenedNote][] = [];
      let room = CHANGES_AT_ONCE;
      for (const one of part) {
        const row = held.get(one.row.id);
        const isLacking = elsewhere.some(({ name }) => isWatchedAgainst(one.content, name));
        if (row?.revision !== one.row.revision || isLacking) {
          if (row) left.push(row.id);
          continue;
        }
        if (room === 0) {
          rest.push(one);
          continue;
        }
        const moreHits = hasMore(one.outcome);
        const known = (hits.get(row.id) ?? []).map((hit) => openHit(sealer, row, hit));
        const changes = diffHits(known, findingsOf(one.content, one.outcome, matched, this.#engine.version), {
          concerns: (entityId, isKnown) => order.changes?.[isKnown ? 'ids' : 'news'].has(entityId) ?? true,
          // Where more match than are kept, one that is not among them may still be listed.
          // A list that is missing without having been removed may come back, and nothing can be told of its hits until then.
          isSettled: (list) =>
            !moreHits &&
            (isWhole || isSearched(list)) &&
            (isThereOrRemoved(list) || !isWatchedAgainst(one.content, list)),
        });
        const gone = changes.flatMap((change) => (change.change === 'removed' ? [change.stored] : []));
        if (one.listed === undefined && gone.some(({ list }) => isSearched(list))) {
          doubtful.push({ one, ids: gone.map(({ match: { id } }) => id) });
          continue;
        }
        for (const change of changes.slice(0, room)) {
          const removal = change.change === 'removed' ? this.#removalOf(change.stored, one, matched) : undefined;
          await recordChange(trx, { ...one, row }, change, this.#options, { removal, moreHits });
        }
        if (changes.length > room) {
          // It is not screened before all of it is written: whoever begins anew finds the rest.
          const revision = row.revision + 1;
          await store.update(trx, row.id, { revision });
          rest.push({ ...one, row: { ...row, revision } });
        } else {
          const isAll = isWhole && order.changes === undefined;
          const state = isListBehind(one.content.dataset, matched.searched) ? 'screened' : 'no_list';
          notes.push([
            row.id,
            {
              state: isAll ? state : isWhole ? row.state : 'due',
              screened_at: clock.now(),
              engine: isAll ? this.#engine.number : this.#engineBefore(row),
              more_hits: moreHits ? 1 : 0,
            },
          ]);
          if (!isWhole) left.push(row.id);
        }
        room = Math.max(0, room - changes.length);
      }
      for (const [note, subjects] of Map.groupBy(notes, ([, values]) => JSON.stringify(values)))
        await store.noteScreened(
          trx,
          subjects.map(([id]) => id),
          JSON.parse(note) as ScreenedNote,
        );
      return { left, rest, doubtful };
    });
  }

  #removalOf(stored: HitContent, { content, listed }: ScreenedSubject, { searched }: Matched) {
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

  /** Screening some entities only says nothing about the others. If a later engine was before, it is not the later one any more. */
  #engineBefore({ engine }: SubjectRow): number {
    return engine > this.#engine.number ? 0 : engine;
  }
}

function isWatchedAgainst({ dataset }: SubjectContent, list: string): boolean {
  return dataset === list || isCollection(dataset);
}

function isOlder({ searched }: Matched, worked: readonly WorkedList[], now: number): boolean {
  return searched.some((info) => worked.some((row) => row.name === info.name && isOutdated(info, row, now)));
}

function nothingSearched(subjects: number): Matched {
  const outcome: SubjectOutcome = { best: 0, found: 0, complete: true, matches: [], warnings: [] };
  const outcomes = Array.from({ length: subjects }, () => outcome);
  return { version: '', warning: undefined, searched: [], missing: [], outcomes };
}

/** As much as is looked at in one transaction. */
function inSlices(screened: readonly ScreenedSubject[]): ScreenedSubject[][] {
  const slices: ScreenedSubject[][] = [];
  let matches = Number.POSITIVE_INFINITY;
  for (const one of screened) {
    const found = one.outcome.matches.length;
    matches += found;
    if (matches > MATCHES_AT_ONCE) {
      slices.push([]);
      matches = found;
    }
    slices.at(-1)!.push(one);
  }
  return slices;
}

/** Those of a part share what they are screened against. */
function inParts(subjects: readonly OpenedSubject[]): OpenedSubject[][] {
  const groups = Map.groupBy(subjects, ({ content }) => JSON.stringify([content.dataset, content.scoreThreshold]));
  return [...groups.values()].flatMap((group) => inGroups(group, SUBJECTS_AT_ONCE));
}
