// A name for what a list says about an entity: it is another one as soon as anything of that changes.
import { createHash } from 'node:crypto';
import type { ListedEntity } from '@limen/screening';

/** When it was last seen is not part of it: publishers set it anew every day. */
export function hashEntry({ lastSeen: _, ...entity }: ListedEntity): string {
  // By name, so that it does not depend on the order in which they were read.
  const fields = Object.entries(entity).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
