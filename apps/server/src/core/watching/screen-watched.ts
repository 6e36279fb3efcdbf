// Screens watched subjects against their datasets and writes what came of it.
//
// A subject's row is read before its lists are chosen and held while its outcome is written: if it, or its hits, changed in between,
// the outcome is not written and the subject is screened again. So a run that was overtaken by a newer version of a list, by a
// change of the subject or by a run of another process leaves nothing behind.
import { MATCHES_PER_SUBJECT_MAX } from '@limen/contract';
import { INDEX_LAYOUT } from '@limen/screening';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { describeForLog } from '../../platform/errors.ts';
import type { WatchedSubjectId } from '../../platform/ids.ts';
import { VERSION } from '../../platform/version.ts';
import type { SubjectOutcome } from '../screening/pool/worker-messages.ts';
import type { Matched, Matcher } from '../screening/subjects/matcher.ts';
import { readSubject } from '../screening/subjects/read-subject.ts';
import { writeMatch } from '../screening/subjects/write-result.ts';
import { type Finding, type SubjectContent, type SubjectRow, subjectPlace } from './contents.ts';
import { diffHits } from './diff-hits.ts';
import { hashEntry } from './hash-entry.ts';
import type { WorkedList, WorkedLists } from './lists/worked-lists.ts';
import { openHits, type RecordTools, recordChange } from './record-outcome.ts';

/** What scored it: the engine is released with the service, and reads lists of this layout. */
const ENGINE_VERSION = `${VERSION}+${INDEX_LAYOUT}`;
/** Written in one transaction: others wait for it. */
const SUBJECTS_AT_ONCE = 25;

export interface ScreenWatchedOptions extends RecordTools {
  database: Database;
  matcher: Matcher;
  worked: Pick<WorkedLists, 'all'>;
  log: Pick<Logger, 'error' | 'warn'>;
}

interface ScreenOrder {
  signal: AbortSignal;
  /** Ids of the listed entities that something may be said about; all, if left out. */
  entities?: ReadonlySet<string> | undefined;
}

/** Returns those that could not be screened, or not against everything. Whoever is gone is not among them. */
export type ScreenWatched = (ids: readonly WatchedSubjectId[], order: ScreenOrder) => Promise<WatchedSubjectId[]>;

interface Opened {
  row: SubjectRow;
  content: SubjectContent;
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
      const opened = (await store.findMany(ids)).flatMap(openSubject);
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
    const { dataset, scoreThreshold } = part[0]!.content;
    const subjects = part.map(({ content }) => readSubject(content.subject, 'subject'));
    const asked = {
      dataset,
      threshold: scoreThreshold,
      limit: MATCHES_PER_SUBJECT_MAX,
      subjects,
      signal: order.signal,
    };
    let matched: Matched;
    try {
      matched = await matcher.match(asked);
    } catch (error) {
      order.signal.throwIfAborted();
      log.warn({ ...describeForLog(error), dataset }, 'watched subjects could not be screened and will be tried again');
      return part.map(({ row }) => row.id);
    }
    const isWhole = matched.missing.length === 0;
    const isWritten = await database.transact(async (trx) => {
      // Another process may have a newer list and have screened against it: what an older one says does not undo that.
      const isOld = isOlder(matched, await worked.all(trx));
      const written: boolean[] = [];
      for (const [at, one] of part.entries()) {
        const held = await store.hold(trx, one.row.id);
        const isStill = held?.revision === one.row.revision && !isOld;
        if (held && isStill) {
          const hits = openHits(sealer, held, await store.hitsOf(held.id, trx));
          const changes = diffHits(hits, findingsOf(matched.outcomes[at]!, matched), {
            concerns: (entityId) => order.entities?.has(entityId) ?? true,
            isSettled: (list) => isWhole || matched.searched.some(({ name }) => name === list),
          });
          for (const change of changes) await recordChange(trx, { ...one, row: held }, change, options);
          // What concerns some entities only says nothing about the others.
          const isScreened = isWhole && (order.entities === undefined || held.state === 'screened');
          await store.update(trx, held.id, {
            revision: held.revision + 1,
            state: isScreened ? 'screened' : 'due',
            screened_at: clock.now(),
          });
        }
        written.push(held === undefined || isStill);
      }
      return written;
    });
    return part.filter((_, at) => !isWhole || !isWritten[at]).map(({ row }) => row.id);
  }
}

function isOlder({ searched }: Matched, worked: readonly WorkedList[]): boolean {
  return searched.some(({ name, builtAt }) =>
    worked.some((one) => one.name === name && Date.parse(builtAt) < one.built_at),
  );
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

/** Those of a part share what they are screened against. */
function inParts(subjects: readonly Opened[]): Opened[][] {
  const groups = Map.groupBy(subjects, ({ content }) => JSON.stringify([content.dataset, content.scoreThreshold]));
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / SUBJECTS_AT_ONCE) }, (_, part) =>
      group.slice(part * SUBJECTS_AT_ONCE, (part + 1) * SUBJECTS_AT_ONCE),
    ),
  );
}
