// A name for what a list says about an entity: it is another one as soon as anything of that changes.
import { createHash } from 'node:crypto';
import type { ListedEntity } from '@limen/screening';

/** When it was last seen is not part of it: publishers set it anew every day. */
export function hashEntry({ lastSeen: _, ...entity }: ListedEntity): string {
  // By name, and of several values in an order of their own: how a publisher orders them says nothing.
  const fields = Object.entries(entity)
    .map(([name, value]) => [name, Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value])
    .sort(([one], [other]) => (one! < other! ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
