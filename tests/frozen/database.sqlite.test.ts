// Today's code on the frozen database of a release: it is migrated, every seal holds, and a backup of it can be restored.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { BACKUP_TABLES } from '../../apps/server/src/operations/backup/format.ts';
import { checkBackup, restoreBackup } from '../../apps/server/src/operations/backup/restore.ts';
import { findEditedRows } from '../../apps/server/src/operations/data-keys/row-seals.ts';
import { openDatabase, sqliteFile } from '../../apps/server/src/platform/database/database.ts';
import { countHeaders, openRotationProcess, rotate } from '../../apps/server/testing/data-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../apps/server/testing/database/test-database.ts';
import { createManualClock } from '../../apps/server/testing/manual-clock.ts';
import { COLUMNS_FILE, FROZEN_RELEASE, giveFrozenKey, readFrozen } from './frozen-database.ts';

const columns = readFileSync(COLUMNS_FILE, 'utf8').trim().split('\n');
const quietly = () => {};

async function openPlace(): Promise<TestDatabase> {
  const place = await createTestDatabase({ empty: true });
  onTestFinished(() => place.dispose());
  giveFrozenKey(place.dataDir);
  return place;
}

async function fill({ url, dataDir }: TestDatabase): Promise<void> {
  if (url === undefined) return writeFileSync(sqliteFile(dataDir), readFrozen('sqlite'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(readFrozen('postgres.sql').toString());
  await client.end();
}

/** New data keys open every value at its place, and leave what does not open. */
async function expectWhole(place: TestDatabase, filled: string[]): Promise<void> {
  const storage = await openRotationProcess(place, { clock: createManualClock() });
  const { database, sealer } = storage;
  expect(await countHeaders(database, sealer.header())).toEqual({ under: filled, other: [] });
  expect(await rotate(storage)).toMatchObject({ isDestroyed: true, unreadable: new Map() });
  expect(await countHeaders(database, sealer.header())).toEqual({ under: filled, other: [] });
  expect(await findEditedRows(database.queries, sealer)).toMatchObject({ edited: [], isWhole: true });
}

it(`opens what ${FROZEN_RELEASE} sealed`, async () => {
  const place = await openPlace();
  await fill(place);
  await expectWhole(place, columns);
});

it(`restores a backup that ${FROZEN_RELEASE} took`, async () => {
  const place = await openPlace();
  const folder = join(place.dataDir, 'backup');
  mkdirSync(folder);
  execFileSync('tar', ['-x', '-C', folder], { input: readFrozen('backup.tar') });
  const database = openDatabase(place);
  const manifest = await checkBackup(folder, { dataDir: place.dataDir, masterKey: undefined }, quietly);
  await restoreBackup(folder, manifest, database, quietly);
  await database.close();
  const kept = columns.filter((column) => (BACKUP_TABLES as string[]).includes(column.split('.')[0]!));
  await expectWhole(place, kept);
});
