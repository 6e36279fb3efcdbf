// Two-phase upgrades: a start expands the schema; the contraction waits until no earlier version
// runs.
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withLimitedRole } from '#testing/database/limited-role.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds } from '../base/ids.ts';
import { openStorage } from '../storage.ts';
import { type Database, openDatabase } from './database.ts';
import { LAST_MIGRATION, type MigrationNote, migrate, planMigrations } from './migrate.ts';
import type { Migration } from './migrations/migrations.ts';
import { migrations } from './migrations/migrations.ts';
import { announceProcess } from './processes.ts';

const EXPAND: Migration = {
  name: '9001-wider',
  phase: 'expand',
  up: async (trx) => void (await trx.schema.alterTable('strings').addColumn('note', 'text').execute()),
};
const CONTRACT: Migration = {
  name: '9002-narrower',
  phase: 'contract',
  up: async (trx) => void (await trx.schema.alterTable('strings').dropColumn('note').execute()),
};
const NEXT_EXPAND: Migration = {
  name: '9003-wider-again',
  phase: 'expand',
  up: async (trx) => void (await trx.schema.alterTable('strings').addColumn('remark', 'text').execute()),
};
const THIS_RELEASE = [...migrations, EXPAND, CONTRACT];
const NEXT_RELEASE = [...THIS_RELEASE, NEXT_EXPAND];

async function prepare({ empty = false } = {}) {
  const place = await createTestDatabase({ empty });
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const clock = createManualClock();
  /** Starts a process whose version knows the migrations up to this one. */
  const start = (knows: string, by = clock) =>
    announceProcess({ database, clock: by, ids: createIds(by), knows, checkSchema: async () => {} });
  return { place, database, clock, start };
}

const namesIn = async ({ queries }: Database) =>
  (await queries.selectFrom('schema_migrations').select('name').where('name', '>', '9').orderBy('name').execute()).map(
    ({ name }) => name,
  );

describe('a start', () => {
  it('expands the schema and leaves in place what the previous version needs', async () => {
    const { database, clock, start } = await prepare();
    await start(LAST_MIGRATION);
    expect(await migrate(database, clock, undefined, { migrations: THIS_RELEASE })).toEqual([EXPAND.name]);
    const { atStart, later } = await planMigrations(database, THIS_RELEASE);
    expect({ atStart, later }).toEqual({ atStart: [], later: [CONTRACT] });
  });

  it('creates the final schema in an empty database', async () => {
    const { database, clock } = await prepare({ empty: true });
    const applied = await migrate(database, clock, undefined, { migrations: THIS_RELEASE });
    expect(applied).toEqual(THIS_RELEASE.map(({ name }) => name));
  });

  it('of the previous version works on the expanded schema, and keeps its migrations on record', async () => {
    const { database, clock } = await prepare();
    let known: string | undefined = LAST_MIGRATION;
    const note: MigrationNote = {
      read: async () => known,
      write: async (_trx, name) => {
        known = name;
      },
    };
    await migrate(database, clock, note, { migrations: THIS_RELEASE });
    expect(known).toBe(EXPAND.name);
    expect(await migrate(database, clock, note)).toEqual([]);
    expect(known).toBe(EXPAND.name);
  });

  it('of the previous version is refused after the contraction', async () => {
    const { database, clock } = await prepare();
    await migrate(database, clock, undefined, { migrations: THIS_RELEASE, contract: true });
    await expect(migrate(database, clock)).rejects.toThrow(
      `The database was written by a newer Limen (migration ${CONTRACT.name})`,
    );
  });

  it('finishes the previous upgrade first, in the order of the migrations', async () => {
    const { database, clock, start } = await prepare();
    await start(CONTRACT.name);
    await migrate(database, clock, undefined, { migrations: THIS_RELEASE });
    const applied = await migrate(database, clock, undefined, { migrations: NEXT_RELEASE });
    expect(applied).toEqual([CONTRACT.name, NEXT_EXPAND.name]);
  });

  it('is refused on tables older than the baseline, with a remedy', async () => {
    const { database, clock } = await prepare();
    const before = { name: '0001-foundation', applied_at: 1, phase: 'expand' } as const;
    await database.queries.insertInto('schema_migrations').values(before).execute();
    await expect(migrate(database, clock)).rejects.toThrow(
      /^This database was made by a version before 0\.1\.0, .* name an empty folder in DATA_DIR/,
    );
  });

  it('of the second-next release is refused while the first release runs', async () => {
    const { database, clock, start } = await prepare();
    await start(LAST_MIGRATION);
    const upgrade = migrate(database, clock, undefined, { migrations: NEXT_RELEASE });
    await expect(upgrade).rejects.toThrow(`Migration ${CONTRACT.name} removes what an earlier Limen needs`);
    expect(await namesIn(database)).toEqual([]);
  });
});

describe('the end of an upgrade', () => {
  const contract = (database: Database, clock: Parameters<typeof migrate>[1]) =>
    migrate(database, clock, undefined, { migrations: THIS_RELEASE, contract: true });

  it('is refused while an earlier version runs, and succeeds after it has ended', async () => {
    const { database, clock, start } = await prepare();
    const earlier = await start(LAST_MIGRATION);
    await start(CONTRACT.name);
    await migrate(database, clock, undefined, { migrations: THIS_RELEASE });
    await expect(contract(database, clock)).rejects.toThrow(
      new RegExp(
        `^Migration 9002-narrower removes .*: process ${earlier.id} \\(host .+, pid ${process.pid}\\) of version .*Nothing was removed\\.$`,
      ),
    );
    expect(await namesIn(database)).toEqual([EXPAND.name]);
    await earlier.end();
    expect(await contract(database, clock)).toEqual([CONTRACT.name]);
  });

  it('does not wait forever for a process that was killed', async () => {
    const { database, clock, start } = await prepare();
    await start(LAST_MIGRATION);
    const silentFor = (ms: number) =>
      database.queries
        .updateTable('processes')
        .set(({ eb }) => ({ seen_at: eb('seen_at', '-', ms) }))
        .execute();
    await silentFor(40_000);
    await expect(contract(database, clock)).rejects.toThrow('one is running');
    await silentFor(21_000);
    expect(await contract(database, clock)).toEqual([EXPAND.name, CONTRACT.name]);
  });
});

it.runIf(engine === 'postgres')('detects a running process whose clock is behind', async () => {
  const { database, clock, start } = await prepare();
  await start(LAST_MIGRATION, createManualClock(clock.now() - 3_600_000));
  const end = migrate(database, clock, undefined, { migrations: THIS_RELEASE, contract: true });
  await expect(end).rejects.toThrow('one is running');
});

it.runIf(engine === 'postgres')('lets other queries pass while it waits for a locked table', async () => {
  const { place, database, clock } = await prepare();
  const other = openDatabase(place);
  onTestFinished(() => other.close());
  const lockWaits = async () =>
    Number(
      (
        await sql<{ count: string }>`select count(*) from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`.execute(other.queries)
      ).rows[0]!.count,
    );
  let upgrade: Promise<string[]> | undefined;
  await other.transact(async (trx) => {
    await trx.selectFrom('strings').select('id').execute();
    upgrade = migrate(database, clock, undefined, { migrations: THIS_RELEASE, lockMs: 100 });
    while ((await lockWaits()) === 0);
    // Queued after the migration. It succeeds although the table is still locked.
    await other.queries.selectFrom('strings').select('id').execute();
  });
  expect(await upgrade).toEqual([EXPAND.name]);
});

it.runIf(engine === 'postgres')(
  'names the query that blocks it if that does not end, and changes nothing',
  async () => {
    const { place, database, clock } = await prepare();
    const other = openDatabase(place);
    onTestFinished(() => other.close());
    await other.transact(async (trx) => {
      await trx.selectFrom('strings').select('id').execute(); // Holds a lock for a long time, as a backup does.
      const upgrade = migrate(database, clock, undefined, { migrations: THIS_RELEASE, lockMs: 10, maxTries: 2 });
      await expect(upgrade).rejects.toThrow(/^A migration timed out waiting for a table lock.* then start again\.$/);
    });
    expect(await namesIn(database)).toEqual([]);
  },
);

it.runIf(engine === 'postgres')(
  'starts without the privilege to change tables if no migration is pending',
  async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const clock = createManualClock();
    await withLimitedRole(place.url!, async (url) => {
      const { database, migrated } = await openStorage({
        ...{ ...place, url },
        ...{ masterKey: undefined, clock, ids: createIds(clock) },
      });
      expect(migrated).toEqual([]);
      await expect(migrate(database, clock, undefined, { migrations: THIS_RELEASE })).rejects.toThrow(
        /must be owner of table strings\. Nothing was changed\. Run "limen migrate" with the account that owns the tables/,
      );
      expect(await namesIn(database)).toEqual([]);
      await database.close();
    });
  },
);
