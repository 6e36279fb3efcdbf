// Looks for rows that were edited in the database, or written by a process of an earlier version: they count as absent.
import { findEditedRows } from '../../data-keys/row-seals.ts';
import { type Check, failure, ok, warning } from './check.ts';
import { openSealed } from './open-sealed.ts';

/** A search of a large gallery takes minutes. */
const PATIENCE_MS = 2_000;
const MAX_NAMED = 10;

export const checkRows: Check = async (facts) => {
  const opened = await openSealed(facts);
  if (!opened) return [];
  if (opened.state === 'closed') return [warning('not checked', 'see above')];
  const { database, sealer } = opened;
  const ends = performance.now() + PATIENCE_MS;
  const goesOn = () => performance.now() < ends;
  const { looked, edited, isWhole } = await findEditedRows(database.queries, sealer, goesOn);
  const all = isWhole ? `all ${looked}` : `the first ${looked}`;
  if (edited.length === 0) return [ok(`${all} sealed rows are as they were written`)];
  const named = edited.slice(0, MAX_NAMED).map(({ table, id }) => `${table} ${id}`);
  const more = edited.length > MAX_NAMED ? ` and ${edited.length - MAX_NAMED} more` : '';
  const found = `of ${all}, some were edited in the database and count as absent: ${named.join(', ')}${more}`;
  return [failure(found, 'restore them from a backup, or delete them and create them again')];
};
