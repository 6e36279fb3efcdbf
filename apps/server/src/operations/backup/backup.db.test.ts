// The contents of a backup, and which folders are refused.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine, SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds } from '../../platform/base/ids.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { withSnapshot } from '../../platform/database/snapshot.ts';
import { openKeyring } from '../../platform/sealing/keyring.ts';
import { openStorage } from '../../platform/storage.ts';
import { TABLE_NAMES } from '../../tables.ts';
import { BACKUP_TABLES, BackupError, MANIFEST_FILE } from './format.ts';
import { checkBackup, restoreBackup } from './restore.ts';
import { takeBackup } from './take.ts';

const clock = createManualClock();
const quietly = () => {};

async function openPlace(empty = false) {
  const place = await createTestDatabase({ empty });
  onTestFinished(() => place.dispose());
  return place;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a database with its keys and more strings than one batch reads, and backs it up. */
async function prepareBackup() {
  const place = await openPlace();
  const { database, sealer } = await openStorage({ ...place, masterKey: undefined, clock, ids: createIds(clock) });
  onTestFinished(() => database.close());
  const texts = Array.from({ length: 1_200 }, (_, at) => ({
    owner: '',
    id: `s${at}`,
    value: `"${at}"\n\u{1f600}`,
    bytes: 10,
    created_at: 1_700_000_000_123,
  }));
  await database.queries.insertInto('strings').values(texts).execute();
  const folder = join(makeFolder(), 'new');
  const take = (into = folder) => takeBackup(into, { ...place, database, sealer, clock, onProgress: quietly });
  const tables = await take();
  const keys = { dataDir: place.dataDir, masterKey: undefined };
  return { place, database, folder, take, tables, keys };
}

describe('a backup', () => {
  it('contains every table in restorable order, except operator sign-ins and invitations, lists, processes and the last heartbeat', async () => {
    const left = TABLE_NAMES.filter((table) => !BACKUP_TABLES.includes(table));
    expect(left.sort()).toEqual([
      'clock',
      'operator_invites',
      'operator_sessions',
      'processes',
      'shared_list_parts',
      'shared_lists',
    ]);
    if (engine !== 'sqlite') return;
    const database = openDatabase(await openPlace());
    for (const [at, table] of BACKUP_TABLES.entries()) {
      const { rows } = await sql<{ table: string }>`select "table" from pragma_foreign_key_list(${table})`.execute(
        database.queries,
      );
      for (const parent of rows) expect(BACKUP_TABLES.slice(0, at)).toContain(parent.table);
    }
    await database.close();
  });

  it('restores every value and key', async () => {
    const { database, folder, keys } = await prepareBackup();
    const manifest = await checkBackup(folder, keys, quietly);
    const other = await openPlace(true);
    const restored = openDatabase(other);
    onTestFinished(() => restored.close());
    await restoreBackup(folder, manifest, restored, quietly);
    for (const table of BACKUP_TABLES) {
      const [before, after] = await Promise.all(
        [database, restored].map(async ({ queries }) => queries.selectFrom(table).selectAll().execute()),
      );
      expect(after).toEqual(before);
    }
    copyFileSync(join(keys.dataDir, 'master.key'), join(other.dataDir, 'master.key'));
    const opened = await openStorage({ ...other, masterKey: undefined, clock, ids: createIds(clock) });
    expect(opened.migrated).toEqual([]);
    await opened.database.close();
  });

  it.skipIf(SKIPS_ENGINE_BLIND)('refuses a non-empty folder, and a database that has tables', async () => {
    const { database, folder, take, keys } = await prepareBackup();
    await expect(take()).rejects.toThrow('is not empty');
    const file = join(folder, MANIFEST_FILE);
    await expect(take(file)).rejects.toThrow(`${file} is a file; a backup needs its own folder`);
    await expect(take(join(file, 'new'))).rejects.toThrow('lies below a file');
    const manifest = await checkBackup(folder, keys, quietly);
    await expect(restoreBackup(folder, manifest, database, quietly)).rejects.toThrow('The database is not empty');
  });

  it.skipIf(SKIPS_ENGINE_BLIND)('leaves nothing after a failure', async () => {
    const place = await openPlace();
    const { database, sealer } = await openStorage({ ...place, masterKey: undefined, clock, ids: createIds(clock) });
    onTestFinished(() => database.close());
    const folder = makeFolder();
    const take = (onProgress: () => void) => takeBackup(folder, { ...place, database, sealer, clock, onProgress });
    const interrupt = () => {
      throw new Error('interrupted');
    };
    await expect(take(interrupt)).rejects.toThrow('interrupted');
    expect(readdirSync(folder)).toEqual([]);
    expect(await take(quietly)).not.toEqual([]);
  });

  it('is refused if the database is migrated during it, and the next one is complete', async () => {
    const { place, database, take } = await prepareBackup();
    const { sealer } = await openKeyring({ ...place, database, masterKey: undefined, clock, ids: createIds(clock) });
    let migrating: Promise<unknown> | undefined;
    const onProgress = () => {
      migrating ??= database.queries
        .insertInto('schema_migrations')
        .values({ name: '9999-later', applied_at: 1, phase: 'expand' })
        .execute();
    };
    // Runs the migration after the first of dozens of tables.
    const overtaken = takeBackup(join(makeFolder(), 'new'), { ...place, database, sealer, clock, onProgress });
    await expect(overtaken).rejects.toThrow(BackupError);
    await migrating;
    expect((await take(join(makeFolder(), 'new'))).length).toBeGreaterThan(0);
  });

  it.runIf(engine === 'postgres')('gives way with an explanation if it deadlocks with a migration', async () => {
    const { place, database } = await prepareBackup();
    const { sealer } = await openKeyring({ ...place, database, masterKey: undefined, clock, ids: createIds(clock) });
    const [first, last] = [BACKUP_TABLES[0]!, BACKUP_TABLES.at(-1)!];
    const [begun, progressed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const migrating = database.transact(async (trx) => {
      await sql`set local deadlock_timeout = '1min'`.execute(trx);
      await sql`set local lock_timeout = 0`.execute(trx);
      await sql`lock table ${sql.table(last)}`.execute(trx);
      begun.resolve();
      await progressed.promise;
      await sql`lock table ${sql.table(first)}`.execute(trx);
    });
    await begun.promise;
    const url = new URL(place.url!);
    url.searchParams.set('options', '-c deadlock_timeout=20ms');
    const options = { ...place, url: url.href, database, sealer, clock, onProgress: () => progressed.resolve() };
    await expect(takeBackup(join(makeFolder(), 'new'), options)).rejects.toThrow(/^Tables changed .*Take it again/);
    await migrating;
  });

  it('is a consistent snapshot despite concurrent writes', async () => {
    const place = await openPlace();
    const database = openDatabase(place);
    onTestFinished(() => database.close());
    await withSnapshot(place, async (snapshot) => {
      for await (const _ of snapshot.rowsOf('schema_migrations')) break;
      await database.queries
        .insertInto('schema_migrations')
        .values({ name: '9999-later', applied_at: 1, phase: 'expand' })
        .execute();
      const names: unknown[] = [];
      for await (const rows of snapshot.rowsOf('schema_migrations')) names.push(...rows.map(({ name }) => name));
      expect(names).not.toContain('9999-later');
    });
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('a folder is refused', () => {
  it('without its manifest, as after an interruption, and with a damaged one', async () => {
    const { folder, keys } = await prepareBackup();
    writeFileSync(join(folder, MANIFEST_FILE), '{}');
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow('backup.json is damaged');
    rmSync(join(folder, MANIFEST_FILE));
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow('backup.json is missing');
  });

  it('with a changed or missing file', async () => {
    const { folder, keys } = await prepareBackup();
    const file = join(folder, 'data_keys.jsonl.gz');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, -20));
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow(/data_keys\.jsonl\.gz is missing or damaged/);
    const text = gunzipSync(bytes).toString();
    writeFileSync(file, gzipSync(text.replace(/1(?=\d*\]\n)/, '2')));
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow(
      /was changed after the backup was taken|does not open/,
    );
    rmSync(file);
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow('is missing or damaged');
  });

  it('with an edited manifest, from a newer version or before the baseline, or without the master key', async () => {
    const { folder, keys } = await prepareBackup();
    const file = join(folder, MANIFEST_FILE);
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    const write = (changes: object) => writeFileSync(file, JSON.stringify({ ...manifest, ...changes }));
    write({ takenAt: '2020-01-01T00:00:00.000Z' });
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow('was changed after the backup was taken');
    write({ tables: manifest.tables.filter(({ table }: { table: string }) => table !== 'strings') });
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow('was changed after the backup was taken');
    write({ migratedTo: '9999-later' });
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow('taken by a newer Limen');
    const migrations = join(folder, 'schema_migrations.jsonl.gz');
    const written = readFileSync(migrations);
    writeFileSync(migrations, gzipSync('["name","applied_at","phase"]\n["0001-foundation",1,"expand"]\n'));
    write({ migratedTo: '0038-last' });
    await expect(checkBackup(folder, keys, quietly)).rejects.toThrow('taken by a version before 0.1.0');
    writeFileSync(migrations, written);
    write({});
    await expect(checkBackup(folder, { ...keys, dataDir: makeFolder() }, quietly)).rejects.toThrow(
      'master key is missing',
    );
    const wrong = { ...keys, masterKey: Buffer.alloc(32, 1) };
    await expect(checkBackup(folder, wrong, quietly)).rejects.toThrow('does not belong to this database');
  });
});
