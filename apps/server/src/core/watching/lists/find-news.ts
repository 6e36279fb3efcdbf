// Which lists are other ones than the subjects were last screened against, and what has to be done about each.
import type { DatasetInfo } from '../../datasets/folder/dataset-folder.ts';
import type { WorkedList } from './worked-lists.ts';

export interface ListNews {
  /** Whose changes since the last time can be told: only those are looked at. */
  changed: DatasetInfo[];
  /** New, or changed more than once since: everybody is screened. */
  fresh: DatasetInfo[];
  /** No longer there: whoever has a hit is screened. */
  gone: string[];
}

/**
 * `known` are all lists that there are, loaded or not: one that could not be loaded is not gone. A list that has changed since
 * everybody was screened against it, longer ago than `everybodySince`, counts as fresh.
 */
export function findNews(
  worked: readonly WorkedList[],
  loaded: readonly DatasetInfo[],
  known: ReadonlySet<string>,
  everybodySince: number,
): ListNews {
  const news: ListNews = { changed: [], fresh: [], gone: [] };
  for (const info of loaded) {
    const before = worked.find(({ name }) => name === info.name);
    const isLongAgo = before !== undefined && before.everybody_at < Math.min(everybodySince, before.worked_at);
    if (before?.content === contentOf(info) && !isLongAgo) continue;
    // Another process has a newer version already, and screens against it.
    if (before && Date.parse(info.builtAt) < before.built_at) continue;
    const isNext = before !== undefined && info.previous?.indexSum?.sha256 === before.content;
    news[isNext && !isLongAgo ? 'changed' : 'fresh'].push(info);
  }
  for (const { name } of worked) if (!known.has(name)) news.gone.push(name);
  return news;
}

/** The same for the same list, on whatever machine it was built. */
export function contentOf({ indexSum, version }: DatasetInfo): string {
  return indexSum?.sha256 ?? `version ${version}`;
}
