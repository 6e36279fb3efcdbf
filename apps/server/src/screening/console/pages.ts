// Pages of watched subjects and alerts: each continues after the id of the last row of the page before.
import { Type } from 'typebox';
import { invalid } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import { PAGE_SIZE } from '../limits.ts';

export const after = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));

export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || isUuid(cursor)) return cursor;
  throw invalid('body.after', 'must be the next of an earlier page, unchanged');
}

/** Cuts `rows`, which has one row more than the page if there is another page. */
export function cutPage<Item extends { row: { id: string } }>(rows: Item[]): { found: Item[]; next?: string } {
  const found = rows.slice(0, PAGE_SIZE);
  const last = found.at(-1);
  return { found, ...(rows.length > PAGE_SIZE && last && { next: last.row.id }) };
}
