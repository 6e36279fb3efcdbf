// Pages of a list. The cursor is the id of the last row of the previous page.
import { invalid } from './base/errors.ts';
import { isUuid } from './base/ids.ts';

export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || isUuid(cursor)) return cursor;
  throw invalid('query.cursor', 'must be the nextCursor of an earlier page, unchanged');
}

/** Cuts `found`, which has one row more than the page if there is another page. */
export function cutPage<Row extends { id: string }>(found: Row[], limit: number): [Row[], { nextCursor?: string }] {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return [rows, found.length > limit && last ? { nextCursor: last.id } : {}];
}
