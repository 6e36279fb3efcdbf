// Lists, and the customers whose subjects there may be, as operators see them.
import type { Dataset } from '@limen/contract';
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { nameOf, ownerOf } from '../../platform/api-keys/owner.ts';
import { isStale } from '../lists/catalogue/ages.ts';
import type { DatasetInfo } from '../lists/folder/folder.ts';
import type { ListView, OwnerView } from './views.ts';

export function presentLists(
  datasets: readonly Dataset[],
  infos: readonly DatasetInfo[],
  syncHours: number,
  now: number,
): ListView[] {
  const infoOf = new Map(infos.map((info) => [info.name, info]));
  return datasets.map((dataset) => {
    const info = infoOf.get(dataset.name);
    const { name, kind, status, version, entityCount, people, builtAt, problem, members = [] } = dataset;
    const { previous } = info ?? {};
    return {
      name,
      kind,
      status,
      version: kind === 'collection' ? null : (version ?? null),
      entityCount: entityCount ?? null,
      people: people ?? null,
      builtAt: builtAt === undefined ? null : Date.parse(builtAt),
      checkedAt: info?.sync ? Date.parse(info.sync.checkedAt) : null,
      isStale: info !== undefined && isStale(info, syncHours, now),
      previous: previous
        ? { version: previous.version, entityCount: previous.entityCount, builtAt: Date.parse(previous.builtAt) }
        : null,
      problem: problem ?? null,
      members,
    };
  });
}

/** Everybody who has a key, once, by name. */
export function presentOwners(keys: readonly ApiKeyRecord[]): OwnerView[] {
  const owners = new Map<string, OwnerView>();
  for (const key of keys) {
    const owner = ownerOf(key);
    const label = key.customer_id === null ? key.label : null;
    owners.set(nameOf(owner), { customer: owner.customer, world: owner.world, label });
  }
  const order = ({ customer, label, world }: OwnerView) => `${label ?? customer} ${world}`;
  return [...owners.values()].sort((one, other) => (order(one) < order(other) ? -1 : 1));
}
