// Compares two versions of a list, entity by entity.
import type { ListedEntity } from '../entity.ts';
import { decodeRecord, findIdEnd, ID_START, measureContent, recordAt } from '../index/entity-record.ts';
import { GrowingArray } from '../index/growing-array.ts';
import { createIdTable, hashBytes } from '../index/id-table.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';

/** Records of a list as stored in an index, in memory or in a file. */
export type ListRecords = ReturnType<typeof recordsOf>;

export type EntityField = Exclude<keyof ListedEntity, 'id' | 'lastSeen'>;

export type EntityChange =
  | { change: 'added'; after: ListedEntity }
  /** `fields` names the differing fields. */
  | { change: 'changed'; before: ListedEntity; after: ListedEntity; fields: EntityField[] }
  | { change: 'removed'; before: ListedEntity };

export function recordsOf({ sections, entityCount }: ScreeningIndex) {
  return {
    count: entityCount,
    /** Read sequentially first, then individually for removed and changed entities. */
    at: (entity: number): Promise<Uint8Array> | Uint8Array => recordAt(sections, entity),
  };
}

/**
 * Yields added and changed entities in the order of the new version, then removed ones in the order
 * of the old one. A different last-seen time alone is no change. Uses about 40 bytes per entity of
 * the old version, and decodes only differing records.
 */
export async function* compareLists(before: ListRecords, after: ListRecords): AsyncGenerator<EntityChange> {
  const ids = createIdTable();
  const contents = new GrowingArray(Float64Array);
  for (let entity = 0; entity < before.count; entity += 1) {
    const record = await before.at(entity);
    ids.add(hashId(record));
    contents.push(hashContent(record));
  }
  const kept = new Uint8Array(before.count);
  for (let entity = 0; entity < after.count; entity += 1) {
    const record = await after.at(entity);
    const content = hashContent(record);
    const candidates = [...ids.find(hashId(record))];
    const same = candidates.find((candidate) => contents.at(candidate) === content);
    if (same !== undefined) {
      kept[same] = 1;
      continue;
    }
    const now = decodeRecord(record);
    const earlier = await findById(now.id, candidates, before);
    if (earlier === undefined) {
      yield { change: 'added', after: now };
    } else {
      kept[earlier.at] = 1;
      yield { change: 'changed', before: earlier.entity, after: now, fields: differingFields(earlier.entity, now) };
    }
  }
  for (let entity = 0; entity < before.count; entity += 1) {
    if (kept[entity] === 0) yield { change: 'removed', before: decodeRecord(await before.at(entity)) };
  }
}

/** Ids may share a hash. */
async function findById(id: string, candidates: readonly number[], records: ListRecords) {
  for (const at of candidates) {
    const entity = decodeRecord(await records.at(at));
    if (entity.id === id) return { at, entity };
  }
  return undefined;
}

function hashId(record: Uint8Array): number {
  return hashBytes(record, ID_START, findIdEnd(record));
}

function hashContent(record: Uint8Array): number {
  return hashBytes(record, 0, measureContent(record));
}

function differingFields(before: ListedEntity, after: ListedEntity): EntityField[] {
  const fields = Object.keys(after).filter((field): field is EntityField => field !== 'id' && field !== 'lastSeen');
  return fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}
