// Collections: the loaded lists that they search, and warnings about what is missing.
import type { Topic } from '@limen/screening';
import { AppError } from '../../../platform/base/errors.ts';
import type { DatasetInfo } from '../folder/folder.ts';
import { COLLECTIONS, DEMO } from '../folder/names.ts';

type Collection = (typeof COLLECTIONS)[number];
type ListCounts = Pick<DatasetInfo, 'name' | 'entityCount' | 'sanctions' | 'peps'>;

const TOPICS: Record<Collection, Topic> = { default: 'all', sanctions: 'sanctions', peps: 'peps' };

/** Command that loads a list with entries of the collection */
const ADVICE: Record<Collection, string> = {
  default: 'limen datasets add us_ofac_sdn',
  sanctions: 'limen datasets add us_ofac_sdn',
  peps: 'limen datasets add os_peps --opensanctions peps',
};

export function isCollection(name: string): name is Collection {
  return (COLLECTIONS as readonly string[]).includes(name);
}

export function findTopic(name: string): Topic {
  return isCollection(name) ? TOPICS[name] : 'all';
}

export function countEntries(info: ListCounts, topic: Topic): number {
  return topic === 'all' ? info.entityCount : info[topic];
}

/** Returns the real lists with entries of the topic, or the demo if there are none. */
export function chooseMembers<List extends { info: ListCounts }>(
  collection: Collection,
  loaded: readonly List[],
): List[] {
  const topic = findTopic(collection);
  const real = loaded.filter(({ info }) => info.name !== DEMO && countEntries(info, topic) > 0);
  return real.length > 0 ? real : loaded.filter(({ info }) => info.name === DEMO);
}

export function combineVersions(members: readonly { info: DatasetInfo }[]): string {
  return members.map(({ info }) => `${info.name}@${info.version}`).join(', ');
}

/** Returns whether a search can find anyone real, or the demo was asked for. */
export function isListBehind(dataset: string, searched: readonly { name: string }[]): boolean {
  return searched.some(({ name }) => name !== DEMO || dataset === DEMO);
}

/** Explains why a result without matches clears no one if no list is loaded for a dataset. */
export function explainNoList(dataset: string): string {
  if (isCollection(dataset)) return warnOfDemo(dataset);
  return `No list named ${dataset} is loaded anymore, so a result without matches clears no one. Load the list again, or choose another dataset.`;
}

function warnOfDemo(collection: Collection): string {
  return (
    'Only the fictional demo dataset is behind this collection: no real list with such entries is loaded, so a result ' +
    `without matches clears no one. Load one (${ADVICE[collection]}).`
  );
}

export interface MissingLists {
  failed: readonly string[];
  loading: readonly string[];
  /** Lists that are searched in an older version than that of other machines */
  behind: readonly string[];
  /** False while the lists of other machines are unknown */
  isCompared: boolean;
}

export const NOT_COMPARED =
  'The lists of this machine have not been compared with those of the other machines yet, which may have others or newer ones.';

export function warnAbout(
  collection: Collection,
  members: readonly { info: ListCounts }[],
  { failed, loading, ...versions }: MissingLists,
): string | undefined {
  const warnings = [
    members.every(({ info }) => info.name === DEMO) && warnOfDemo(collection),
    failed.length > 0 && `Not searched, because they could not be loaded: ${failed.join(', ')}.`,
    loading.length > 0 && `Not searched, because they are still loading: ${loading.join(', ')}.`,
    warnAboutVersions(versions),
  ].filter(Boolean);
  return warnings.length > 0 ? warnings.join(' ') : undefined;
}

export function warnAboutVersions({
  behind,
  isCompared,
}: Pick<MissingLists, 'behind' | 'isCompared'>): string | undefined {
  if (!isCompared) return NOT_COMPARED;
  if (behind.length === 0) return undefined;
  return `Searched in an older version than on other machines, because the newer one could not be fetched: ${behind.join(', ')}.`;
}

export function unknownDataset(names: readonly string[]): AppError {
  const known = [...names].sort().join(', ');
  return new AppError(
    'not_found',
    `There is no dataset with this name. There are ${known}, and the collections ${COLLECTIONS.join(', ')}.`,
  );
}
