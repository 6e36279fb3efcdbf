// Screens watched subjects against their datasets and writes what came of it.
//
// A subject's row is read before its lists are chosen and held while its outcome is written: if it, or its hits, changed in between,
// the outcome is not written and the subject is screened again. So a run that was overtaken by a newer version of a list, by a
// change of the subject or by a run of another process leaves nothing behind.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MATCHES_PER_SUBJECT_MAX } from '@limen/contract';
import { INDEX_LAYOUT } from '@limen/screening';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { AppError, describeForLog } from '../../platform/errors.ts';
import type { WatchedSubjectId } from '../../platform/ids.ts';
import { VERSION } from '../../platform/version.ts';
import { isCollection } from '../screening/lists/collections.ts';
import type { SubjectOutcome } from '../screening/pool/worker-messages.ts';
import type { Matched, Matcher } from '../screening/subjects/matcher.ts';
import { readSubject } from '../screening/subjects/read-subject.ts';
import { writeMatch } from '../screening/subjects/write-result.ts';
import { type Finding, type SubjectContent, type SubjectRow, subjectPlace } from './contents.ts';
import { diffHits } from './diff-hits.ts';
import { hashEntry } from './hash-entry.ts';
import { isOutdated } from './lists/find-news.ts';
import type { WorkedList, WorkedLists } from './lists/worked-lists.ts';
import { openHits, type RecordTools, recordChange } from './record-outcome.ts';

/** What scored it: the engine is released with the service, and reads lists of this layout. */
const ENGINE_VERSION = `${VERSION}+${INDEX_LAYOUT}`;
/** Screened and read together. */
const SUBJECTS_AT_ONCE = 100;
/** What was found of them, at most, that is written together. */
const MATCHES_AT_ONCE = 100;

export interface ScreenWatchedOptions extends RecordTools {
  database: Database;
  matcher: Matcher;
  worked: Pick<WorkedLists, 'hold'>;
  log: Pick<Logger, 'error' | 'warn'>;
}

interface ScreenOrder {
  signal: AbortSignal;
  /** Leaves alone whoever is not in this state: those who are due have a job of their own. */
  only?: SubjectRow['state'] | undefined;
  /** Where a list changed: of others nothing is said, and who is not watched against it is left alone. */
  changes?: { list: string; ids: ReadonlySet<string> } | undefined;
}

/** Returns those that could not be screened, or not against everything. Whoever is gone is not among them. */
export type ScreenWatched = (ids: readonly WatchedSubjectId[], order: ScreenOrder) => Promise<WatchedSubjectId[]>;

interface Opened {
  row: SubjectRow;
  content: SubjectContent;
}

interface Screened extends Opened {
  outcome: SubjectOutcome;
}

/** One that does not open is left alone: it was edited, and says nothing that could be screened. */
export type OpenSubject = (row: SubjectRow) => Opened[];

export function createScreenWatched(options: ScreenWatchedOptions): {
  screen: ScreenWatched;
  openSubject: OpenSubject;
} {
  const { database, store, sealer, matcher, worked, clock, log } = options;

  return {
    async screen(ids, order) {
      const { changes, only } = order;
      const opened = (await store.findMany(ids))
        .filter(({ state }) => only === undefined || state === only)
        .flatMap(openSubject)
        .filter(({ content }) => changes === undefined || isWatchedAgainst(content, changes.list));
      const left: WatchedSubjectId[] = [];
      for (const part of inParts(opened)) left.push(...(await screenPart(part, order)));
      return left;
    },
    openSubject,
  };

  function openSubject(row: SubjectRow): Opened[] {
    try {
      return [{ row, content: sealer.openJson(row.sealed, subjectPlace(row)) as SubjectContent }];
    } catch (error) {
      log.error({ ...describeForLog(error), subject: row.id }, 'a watched subject does not open and is not screened');
      return [];
    }
  }

  async function screenPart(part: readonly Opened[], order: ScreenOrder): Promise<WatchedSubjectId[]> {
    const ids = part.map(({ row }) => row.id);
    const { dataset, scoreThreshold } = part[0]!.content;
    const subjects = part.map(({ content }) => readSubject(content.subject, 'subject'));
    const asked = {
      dataset,
      threshold: scoreThreshold,
      limit: MATCHES_PER_SUBJECT_MAX,
      subjects,
      // Lists change one by one: a hit is told by what its own list says.
      byList: true,
      signal: order.signal,
    };
    let matched: Matched;
    try {
      matched = await matcher.match(asked);
    } catch (error) {
      order.signal.throwIfAborted();
      // The list is gone, and with it all that it said; it may come back.
      if (error instanceof AppError && error.code === 'not_found') matched = nothingSearched(part.length);
      else {
        log.warn(
          { ...describeForLog(error), dataset },
          'watched subjects could not be screened and will be tried again',
        );
        return ids;
      }
    }
    const left: WatchedSubjectId[] = [];
    for (const slice of inSlices(part, matched)) {
      left.push(...(await write(slice, matched, order)));
      await nextTurn();
    }
    return left;
  }

  async function write(part: readonly Screened[], matched: Matched, order: ScreenOrder): Promise<WatchedSubjectId[]> {
    const ids = part.map(({ row }) => row.id);
    const isWhole = matched.missing.length === 0;
    return database.transact(async (trx) => {
      // Another process may have a newer list and have screened against it: what an older one says does not undo that.
      if (isOlder(matched, await worked.hold(trx), clock.now())) return ids;
      const held = new Map((await store.holdAll(trx, ids)).map((row) => [row.id, row]));
      const hits = Map.groupBy(await store.hitsOf(ids, trx), ({ subject_id }) => subject_id);
      const written: Record<SubjectRow['state'], WatchedSubjectId[]> = { screened: [], due: [] };
      const left: WatchedSubjectId[] = [];
      for (const one of part) {
        const row = held.get(one.row.id);
        if (row?.revision !== one.row.revision) {
          if (row) left.push(row.id);
          continue;
        }
        const known = openHits(sealer, row, hits.get(row.id) ?? []);
        const changes = diffHits(known, findingsOf(one.outcome, matched), {
          concerns: (entityId) => order.changes?.ids.has(entityId) ?? true,
          // Where more were found than are kept, one that is not among them may still be listed.
          isSettled: (list) => !isCut(one.outcome) && (isWhole || matched.searched.some(({ name }) => name === list)),
        });
        for (const change of changes) {
          const list = change.change === 'removed' ? change.stored.list : undefined;
          const version = matched.searched.find(({ name }) => name === list)?.version;
          await recordChange(trx, { ...one, row }, change, { ...options, removedIn: version });
        }
        // What concerns some entities only says nothing about the others.
        const isScreened = isWhole && (order.changes === undefined || row.state === 'screened');
        written[isScreened ? 'screened' : 'due'].push(row.id);
        if (!isWhole) left.push(row.id);
      }
      for (const state of ['screened', 'due'] as const)
        await store.noteScreened(trx, written[state], { state, screened_at: clock.now() });
      return left;
    });
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

function isCut({ found, matches }: SubjectOutcome): boolean {
  return found > matches.length;
}

function findingsOf({ matches }: SubjectOutcome, { searched }: Matched): Finding[] {
  return matches.map((match) => {
    const { name, version } = searched[match.place]!;
    return {
      list: name,
      listVersion: version,
      entryHash: hashEntry(match.entity),
      engineVersion: ENGINE_VERSION,
      match: writeMatch(match),
    };
  });
}

/** As much as is written in one transaction: others wait for it. */
function inSlices(part: readonly Opened[], { outcomes }: Matched): Screened[][] {
  const slices: Screened[][] = [];
  let matches = Number.POSITIVE_INFINITY;
  for (const [at, one] of part.entries()) {
    const outcome = outcomes[at]!;
    matches += outcome.matches.length;
    if (matches > MATCHES_AT_ONCE) {
      slices.push([]);
      matches = outcome.matches.length;
    }
    slices.at(-1)!.push({ ...one, outcome });
  }
  return slices;
}

/** Those of a part share what they are screened against. */
function inParts(subjects: readonly Opened[]): Opened[][] {
  const groups = Map.groupBy(subjects, ({ content }) => JSON.stringify([content.dataset, content.scoreThreshold]));
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / SUBJECTS_AT_ONCE) }, (_, part) =>
      group.slice(part * SUBJECTS_AT_ONCE, (part + 1) * SUBJECTS_AT_ONCE),
    ),
  );
}
