// Finds lists that changed since the subjects were last screened, and what to do about each.
import type { ScreenedAgainst } from '@limen/contract';
import type { SearchedList } from '../../lists/catalogue/catalogue.ts';
import { chooseMembers, isCollection } from '../../lists/catalogue/collections.ts';
import type { DatasetInfo } from '../../lists/folder/folder.ts';
import type { SubjectRow } from '../contents.ts';
import { formatEngineVersion } from '../engine.ts';
import type { WorkedList } from '../worked-lists.ts';

export interface ListNews {
  /** Lists with known changes since the last time. */
  changed: DatasetInfo[];
  /** Lists that no subject was screened against before. */
  added: DatasetInfo[];
  /** Lists whose changes are unknown, or whose last full screening is long ago: all subjects are screened. */
  fresh: DatasetInfo[];
  /** Removed lists: subjects with hits are screened. */
  gone: string[];
  /** Missing lists that no one removed: hits on them stay. */
  lost: string[];
}

/** How long a process that was seen with a list, or with a newer version, is waited for. */
const SEEN_FOR_MS = 10 * 60 * 1000;

/** Content of a list before its first complete screening. */
export const NEVER_WORKED = '';
/** Begun version of a lost list. Any version that comes back differs from it. */
export const LOST = 'lost';

/** Names of all lists, loaded or not, and of removed ones. */
export interface ListNames {
  known: ReadonlySet<string>;
  removed: ReadonlySet<string>;
}

/** `since.everybody`: time after which the last screening of all subjects still counts for a changed list. */
export function findNews(
  worked: readonly WorkedList[],
  loaded: readonly DatasetInfo[],
  names: ListNames,
  since: { everybody: number; now: number },
): ListNews {
  const news: ListNews = { changed: [], added: [], fresh: [], gone: [], lost: [] };
  for (const info of loaded) {
    const before = worked.find(({ name }) => name === info.name);
    const content = requireContentSum(info);
    const isLongAgo = before !== undefined && before.everybody_at < Math.min(since.everybody, before.worked_at);
    if (before?.content === content && before.begun === '' && !isLongAgo) continue;
    if (before && isOutdated(info, before, since.now)) continue;
    // Some subjects may have been screened against a begun version, so only the same version continues.
    const isOther = before !== undefined && before.begun !== '' && before.begun !== content;
    const isAdded = before === undefined || before.content === NEVER_WORKED;
    const isNext = info.previous?.indexSum.sha256 === before?.content && !isLongAgo;
    news[isOther ? 'fresh' : isAdded ? 'added' : isNext ? 'changed' : 'fresh'].push(info);
  }
  for (const row of worked) {
    if (names.known.has(row.name)) continue;
    if (names.removed.has(row.name)) news.gone.push(row.name);
    else if (row.begun !== LOST && !isElsewhere(row, names, since.now)) news.lost.push(row.name);
  }
  return news;
}

/** Returns whether only this process lacks the list, because of a full disk for example. Its outcomes do not count. */
export function isElsewhere(row: WorkedList, { known, removed }: ListNames, now: number): boolean {
  return row.begun !== LOST && !known.has(row.name) && !removed.has(row.name) && isSeen(row, now);
}

/** Returns whether another process has a newer version. The clocks of the builders decide, so it must have been seen recently. */
export function isOutdated(info: SearchedList, row: WorkedList, now: number): boolean {
  const content = requireContentSum(info);
  if (row.content === content || row.begun === content) return false;
  return Date.parse(info.builtAt) < row.built_at && isSeen(row, now);
}

function isSeen({ seen_at }: WorkedList, now: number): boolean {
  return Math.abs(now - seen_at) < SEEN_FOR_MS;
}

/** Returns the same checksum for the same list on all machines. */
export function requireContentSum({ indexSum }: SearchedList): string {
  return indexSum.sha256;
}

/** A subject that a new version does not concern counts as compared when the version is worked through. */
export function describeScreening(
  { state, screened_at, engine }: Pick<SubjectRow, 'state' | 'screened_at' | 'engine'>,
  dataset: string,
  lists: readonly DatasetInfo[],
  worked: readonly WorkedList[],
): ScreenedAgainst {
  const candidates = lists.map((info) => ({ info }));
  const members = isCollection(dataset)
    ? chooseMembers(dataset, candidates)
    : candidates.filter(({ info }) => info.name === dataset);
  const behind = members.map(({ info: { name, version } }) => {
    const row = worked.find((list) => list.name === name);
    if (state !== 'screened' || screened_at === null || !row || row.content === NEVER_WORKED) return { name, version };
    const comparedAt = new Date(Math.max(screened_at, row.worked_at)).toISOString();
    return { name, version: row.version, comparedAt };
  });
  return {
    ...(screened_at !== null && { screenedAt: new Date(screened_at).toISOString() }),
    ...(Number(engine) > 0 && { engineVersion: formatEngineVersion(Number(engine)) }),
    lists: behind.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
