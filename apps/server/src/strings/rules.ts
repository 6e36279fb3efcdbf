// Pure rules of the string store: what a cursor is, how much fits on a page.
import { isUuid } from '../platform/base/ids.ts';

/** Value bytes on one page; the row that reaches it is the last. */
export const PAGE_BYTES = 1024 * 1024;

/** The list continues after this record. Opaque to clients. */
export function encodeCursor(lastId: string): string {
  return Buffer.from(lastId).toString('base64url');
}

/** The record id in a cursor, or undefined when it is not one of ours. */
export function decodeCursor(cursor: string): string | undefined {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  return isUuid(id) && encodeCursor(id) === cursor ? id : undefined;
}

/** How many of the next rows belong on a page: at least one, and no more after the byte budget is reached. */
export function countRowsThatFit(sizes: readonly number[], limit: number, budget = PAGE_BYTES): number {
  let bytes = 0;
  let count = 0;
  while (count < Math.min(limit, sizes.length) && bytes < budget) bytes += sizes[count++]!;
  return count;
}
