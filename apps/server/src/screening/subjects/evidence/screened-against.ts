// Which versions of which lists stand behind what is said of a subject, also where nothing was found.
import type { ScreenedAgainst } from '@limen/contract';
import { chooseMembers, isCollection } from '../../lists/catalogue/collections.ts';
import type { DatasetInfo } from '../../lists/folder/folder.ts';
import type { SubjectRow } from '../contents.ts';
import { versionOf } from '../engine.ts';
import { NEVER_WORKED } from '../lists/find-news.ts';
import type { WorkedList } from '../worked-lists.ts';

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
