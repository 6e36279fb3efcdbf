// Looks for rows that were edited in the database, or written by a process of an earlier version: they count as not there.
import { hasTable, pendingMigrations } from '../../../platform/database/migrate.ts';
import { createIds } from '../../../platform/ids.ts';
import { readKeyring } from '../../../platform/keyring.ts';
import { findEditedRows } from '../../../platform/sealing/sealed-tables.ts';
import { type Check, failure, ok, warning } from './check.ts';
import { readOperatorsKey } from './master-key.ts';

/** A large gallery takes minutes: `limen rows list` looks at all of them. */
const PATIENCE_MS = 2_000;

export const checkRows: Check = async ({ config, clock, database: facts }) => {
  if (facts.state !== 'answers') return [];
  const { database } = facts;
  const masterKey = readOperatorsKey(config);
  if (!masterKey || !(await hasTable(database, 'data_keys'))) return [];
  const [isBehind, sealer] = [
    (await pendingMigrations(database).catch(() => ['newer'])).length > 0,
    await readKeyring({ database, dataDir: config.DATA_DIR, masterKey, clock, ids: createIds(clock) }).catch(() => {}),
  ];
  if (isBehind || !sealer) return [warning('not checked', 'see above')];
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
