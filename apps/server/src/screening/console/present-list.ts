// Presents a sanctions list to operators.
import type { Dataset } from '@limen/contract';
import { isStale } from '../lists/catalogue/ages.ts';
import type { DatasetInfo } from '../lists/folder/folder.ts';
import type { ListView } from './views.ts';

export function presentList(dataset: Dataset, info: DatasetInfo | undefined, syncHours: number, now: number): ListView {
  const { name, kind, status, version, entityCount, people, builtAt, problem, members = [] } = dataset;
  const { sync, previous } = info ?? {};
  return {
    name,
    kind,
    status,
    version: kind === 'collection' ? null : (version ?? null),
    entityCount: entityCount ?? null,
    people: people ?? null,
    builtAt: builtAt === undefined ? null : Date.parse(builtAt),
    checkedAt: sync ? Date.parse(sync.checkedAt) : null,
    isStale: info !== undefined && isStale(info, syncHours, now),
    previous: previous
      ? { version: previous.version, entityCount: previous.entityCount, builtAt: Date.parse(previous.builtAt) }
      : null,
    problem: problem ?? null,
    members,
  };
}
