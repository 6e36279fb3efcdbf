// Which lists are other ones than the subjects were last screened against, and what has to be done about each.

import type { ScreenedAgainst } from '@limen/contract';
import type { SearchedList } from '../../lists/catalogue/catalogue.ts';
import { chooseMembers, isCollection } from '../../lists/catalogue/collections.ts';
import type { DatasetInfo } from '../../lists/folder/folder.ts';
import type { SubjectRow } from '../contents.ts';
import { versionOf } from '../engine.ts';
import type { WorkedList } from '../worked-lists.ts';

export interface ListNews {
  /** Whose changes since the last time can be told: only those are looked at. */
  changed: DatasetInfo[];
  /** That nobody was screened against before: there is nothing in them that is not new. */
  added: DatasetInfo[];
  /** Changed more than once since, or long ago: everybody is screened. */
  fresh: DatasetInfo[];
  /** Removed: whoever has a hit is screened. */
  gone: string[];
  /** No longer there, although nobody removed them: hits on them stay, and whom no other list can find says so. */
  lost: string[];
}

interface Since {
  /** Everybody is screened again where the last time was before, if the list has changed since. */
  everybody: number;
  now: number;
}

/** Another process that has a list, or a newer version, is waited for this long after it was last seen to have it. */
const SEEN_FOR_MS = 10 * 60 * 1000;

/** As the content of a list that nobody was screened against to the end. */
export const NEVER_WORKED = '';
/** As the version that was begun: everybody who loses by it says so. Whatever version comes back is another one. */
export const LOST = 'lost';

/** The lists that there are, loaded or not, and those that were removed. */
export interface ListNames {
  known: ReadonlySet<string>;
  removed: ReadonlySet<string>;
}

/** A list that could not be loaded is not gone. */
export function findNews(
  worked: readonly WorkedList[],
  loaded: readonly DatasetInfo[],
  names: ListNames,
  since: Since,
): ListNews {
  const news: ListNews = { changed: [], added: [], fresh: [], gone: [], lost: [] };
  for (const info of loaded) {
    const before = worked.find(({ name }) => name === info.name);
    const content = contentOf(info);
    const isLongAgo = before !== undefined && before.everybody_at < Math.min(since.everybody, before.worked_at);
    if (before?.content === content && before.begun === '' && !isLongAgo) continue;
    if (before && isOutdated(info, before, since.now)) continue;
    // What was begun and not ended may have been told to some already: only the same version can be gone on with.
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

/**
 * Whether only this process lacks the list, which another was just seen to have: a full disk, a folder that cannot be read. What it
 * finds without that list is no news of anybody.
 */
export function isElsewhere(row: WorkedList, { known, removed }: ListNames, now: number): boolean {
  return row.begun !== LOST && !known.has(row.name) && !removed.has(row.name) && isSeen(row, now);
}

/**
 * Whether another process has a newer version. Which one is newer is said by the clocks of those who built them: so it holds
 * only as long as that process is there.
 */
export function isOutdated(info: SearchedList, row: WorkedList, now: number): boolean {
  const content = contentOf(info);
  if (row.content === content || row.begun === content) return false;
  return Date.parse(info.builtAt) < row.built_at && isSeen(row, now);
}

function isSeen({ seen_at }: WorkedList, now: number): boolean {
  return Math.abs(now - seen_at) < SEEN_FOR_MS;
}

/** The same for the same list, on whatever machine it was built. */
export function contentOf({ indexSum }: SearchedList): string {
  return indexSum.sha256;
}

/**
 * `lists` are all that there are, and `worked` says up to which version everybody has been screened. A new version of a list makes only
 * those be screened whom it may concern: for all others, too, it is compared from the moment at which it counts as worked through.
 */
export function describeScreening(
  { state, screened_at, engine }: Pick<SubjectRow, 'state' | 'screened_at' | 'engine'>,
  dataset: string,
  lists: readonly DatasetInfo[],
  worked: readonly WorkedList[],
): ScreenedAgainst {
  const behind = listsBehind(dataset, lists).map(({ name, version }) => {
    const row = worked.find((one) => one.name === name);
    if (state !== 'screened' || screened_at === null || !row || row.content === NEVER_WORKED) return { name, version };
    const comparedAt = new Date(Math.max(screened_at, row.worked_at)).toISOString();
    return { name, version: row.version, comparedAt };
  });
  return {
    ...(screened_at !== null && { screenedAt: new Date(screened_at).toISOString() }),
    ...(Number(engine) > 0 && { engineVersion: versionOf(Number(engine)) }),
    lists: behind.sort((one, other) => (one.name < other.name ? -1 : 1)),
  };
}

function listsBehind(dataset: string, lists: readonly DatasetInfo[]): DatasetInfo[] {
  if (!isCollection(dataset)) return lists.filter(({ name }) => name === dataset);
  const members = chooseMembers(
    dataset,
    lists.map((info) => ({ info })),
  );
  return members.map(({ info }) => info);
}
