// Opens what is sealed in the database, for checks that have to read it.

import { createIds } from '../../../platform/base/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hasTable, pendingMigrations } from '../../../platform/database/migrate.ts';
import { readKeyring } from '../../../platform/sealing/keyring.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { Facts } from './check.ts';
import { readOperatorsKey } from './master-key.ts';

/** `closed`: another check has said why. */
type Opened = { state: 'open'; database: Database; sealer: Sealer } | { state: 'closed' };

/** Undefined where there is nothing sealed yet. */
export async function openSealed({ config, clock, database: facts }: Facts): Promise<Opened | undefined> {
  if (facts.state !== 'answers') return undefined;
  const { database } = facts;
  const masterKey = readOperatorsKey(config);
  if (!masterKey || !(await hasTable(database, 'data_keys'))) return undefined;
  const [isBehind, sealer] = [
    (await pendingMigrations(database).catch(() => ['newer'])).length > 0,
    await readKeyring({ database, dataDir: config.DATA_DIR, masterKey, clock, ids: createIds(clock) }).catch(() => {}),
  ];
  return isBehind || !sealer ? { state: 'closed' } : { state: 'open', database, sealer };
}
