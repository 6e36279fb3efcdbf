// Hashes what a list says about an entity, to detect changes.
import { createHash } from 'node:crypto';
import type { ListedEntity } from '@limen/screening';

/** Leaves out `lastSeen`, which publishers change every day. */
export function hashEntry({ lastSeen: _, ...entity }: ListedEntity): string {
  return hashFields(entity);
}

export function hashEntries(byList: Readonly<Record<string, string>>): string {
  return hashFields(byList);
}

/** Sorts fields and values, because their order means nothing. */
export function hashFields(known: object): string {
  const fields = Object.entries(known)
    .map(([name, value]) => [name, Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value])
    .sort(([a], [b]) => (a! < b! ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
