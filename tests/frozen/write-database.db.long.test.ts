// `npm run freeze:database`: writes the frozen database of this release, for each engine, and a backup of it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { takeBackup } from '../../apps/server/src/operations/backup/take.ts';
import { SEALED_ROWS } from '../../apps/server/src/operations/data-keys/row-seals.ts';
import { sqliteFile } from '../../apps/server/src/platform/database/database.ts';
import { countHeaders, EVERY_COLUMN } from '../../apps/server/testing/data-keys.ts';
import { createTestDatabase, engine } from '../../apps/server/testing/database/test-database.ts';
import { fillDatabase } from '../../apps/server/testing/full-database.ts';
import { startReceiver } from '../../apps/server/testing/webhooks/receiver.ts';
import { COLUMNS_FILE, giveFrozenKey, writeFrozen } from './frozen-database.ts';

/** One of each kind and state is enough. */
const SMALLER = [
  `delete from sessions where id not in (select id from (select id, row_number() over
    (partition by kind, state order by created_at, id desc) as number from sessions) as numbered where number = 1)`,
  ...['session_marks', 'device_channels', 'webhook_deliveries'].map(
    (table) => `delete from ${table} where session_id not in (select id from sessions)`,
  ),
  'delete from activity_counts',
  'delete from activity_totals',
];

it.runIf(process.env['LIMEN_FREEZE'] === '1')('a database with a row for every seal is written down', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  giveFrozenKey(place.dataDir);
  const { url } = await startReceiver(() => 503);
  const { storage, clock } = await fillDatabase(place, url);
  const { database, sealer } = storage;
  for (const statement of SMALLER) await sql.raw(statement).execute(database.queries);
  const { under } = await countHeaders(database, sealer.header());
  expect(under).toEqual(EVERY_COLUMN);
  for (const table of SEALED_ROWS)
    expect((await sql`select 1 from ${sql.table(table)} limit 1`.execute(database.queries)).rows, table).toHaveLength(
      1,
    );

  if (engine === 'postgres') {
    const options = ['--no-owner', '--no-privileges', '--inserts', place.url!];
    const dump = execFileSync('pg_dump', options, { encoding: 'utf8', maxBuffer: 2 ** 26 });
    // Lines with a backslash are for psql alone.
    writeFrozen('postgres.sql', Buffer.from(dump.replaceAll(/^\\.*\n/gm, '')));
    return;
  }
  writeFileSync(COLUMNS_FILE, `${under.join('\n')}\n`);
  const backup = join(place.dataDir, 'backup');
  await takeBackup(backup, { ...place, database, sealer, clock, onProgress: () => {} });
  writeFrozen('backup.tar', execFileSync('tar', ['-c', '-C', backup, '.'], { maxBuffer: 2 ** 26 }));
  await database.close();
  const copy = join(place.dataDir, 'copy');
  const file = new DatabaseSync(sqliteFile(place.dataDir));
  file.exec(`vacuum into '${copy}'`);
  file.close();
  writeFrozen('sqlite', readFileSync(copy));
});
