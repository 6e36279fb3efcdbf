// Looks for rows that were edited in the database, or written by a process of an earlier version: they count as not there.
import { findEditedRows } from '../../../platform/sealing/sealed-tables.ts';
import { type Check, failure, ok, warning } from './check.ts';
import { openSealed } from './open-sealed.ts';

/** A large gallery takes minutes: `limen rows list` looks at all of them. */
const PATIENCE_MS = 2_000;

export const checkRows: Check = async (facts) => {
  const opened = await openSealed(facts);
  if (!opened) return [];
  if (opened.state === 'closed') return [warning('not checked', 'see above')];
  const { database, sealer } = opened;
  const began = performance.now();
  const { looked, edited, isWhole } = await findEditedRows(
    database.queries,
    sealer,
    () => performance.now() - began < PATIENCE_MS,
  );
  const counts = new Map<string, number>();
  for (const { table } of edited) counts.set(table, (counts.get(table) ?? 0) + 1);
  const all = isWhole ? `all ${looked}` : `the first ${looked}`;
  if (edited.length === 0) return [ok(`${all} sealed rows are as they were written`)];
  const list = [...counts].map(([table, count]) => `${count} of ${table}`).join(', ');
  const remedy =
    'see limen rows list; restore them from a backup, or accept those that are right with limen rows accept';
  return [failure(`of ${all}, some were edited in the database and count as absent: ${list}`, remedy)];
};
