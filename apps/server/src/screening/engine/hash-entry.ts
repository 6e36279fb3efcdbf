// Names for what a list says about an entity: another as soon as anything of that changes.
import { createHash } from 'node:crypto';
import type { ListedEntity } from '@limen/screening';

/** When it was last seen is not part of it: publishers set it anew every day. */
export function hashEntry({ lastSeen: _, ...entity }: ListedEntity): string {
  return hashFields(entity);
}

/** Of what several lists say of one entity, by the names of the lists. */
export function hashEntries(byList: Readonly<Record<string, string>>): string {
  return hashFields(byList);
}

/** By name, and of several values in an order of their own: how they are ordered says nothing. */
export function hashFields(known: object): string {
  const fields = Object.entries(known)
    .map(([name, value]) => [name, Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value])
    .sort(([one], [other]) => (one! < other! ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
