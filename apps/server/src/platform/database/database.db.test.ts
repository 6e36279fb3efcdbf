// Guarantees of both engines: atomic transactions, hooks after commit, migrations under a lock.
import { fork } from 'node:child_process';
import fs, { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { systemClock } from '../base/clock.ts';
import { afterCommit, type Database, openDatabase, sqliteFile, type Transaction } from './database.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { prepareWrite } from './prepare-query.ts';

async function openMigrated(): Promise<{ database: Database; dataDir: string }> {
  const place = await createTestDatabase({ empty: true });
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  await migrate(database, systemClock);
  return { database, dataDir: place.dataDir };
}

const row = (id: string, value = 'v') => ({ owner: '', id, value, bytes: 1, created_at: 1 });

describe('transactions', () => {
  it('undo everything when one statement fails, and run no hook', async () => {
    const { database } = await openMigrated();
    let hooks = 0;
    await expect(
      database.transact(async (trx) => {
        afterCommit(trx, () => hooks++);
        await trx.insertInto('strings').values(row('a')).execute();
        await trx.insertInto('strings').values(row('a')).execute();
      }),
    ).rejects.toThrow();
    expect(await database.queries.selectFrom('strings').selectAll().execute()).toEqual([]);
    expect(hooks).toBe(0);
  });

  it('run their hooks after the commit', async () => {
    const { database } = await openMigrated();
    const seen: string[] = [];
    await database.transact(async (trx) => {
      afterCommit(trx, () => seen.push('hook'));
      await trx.insertInto('strings').values(row('a')).execute();
      seen.push('work');
    });
    expect(seen).toEqual(['work', 'hook']);
  });

  it('run their rollback hooks after a rollback', async () => {
    const { database } = await openMigrated();
    const seen: string[] = [];
    const work = database.transact(async (trx) => {
      afterCommit(
        trx,
        () => seen.push('committed'),
        () => seen.push('undone'),
      );
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(seen).toEqual(['undone']);
  });

  it('reject statements after they have ended', async () => {
    const { database } = await openMigrated();
    const { queries, transact } = database;
    const insert = prepareWrite((given: ReturnType<typeof row>) => queries.insertInto('strings').values(given));
    const ended = await transact(async (trx) => ({ trx }));
    await expect(insert(ended.trx, row('late'))).rejects.toThrow();
    await expect(ended.trx.insertInto('strings').values(row('later')).execute()).rejects.toThrow();
    expect(await queries.selectFrom('strings').select('id').execute()).toEqual([]);
  });

  it.runIf(engine === 'sqlite')('reject statements during commit and rollback', async () => {
    const { database } = await openMigrated();
    const { queries, transact } = database;
    const late: Promise<string>[] = [];
    const insert = (trx: Transaction, id: string) => trx.insertInto('strings').values(row(id)).execute();
    const insertLater = async (trx: Transaction, id: string, turns: number) => {
      for (let turn = 0; turn < turns; turn++) await null;
      return insert(trx, id).then(
        () => 'written',
        () => 'refused',
      );
    };
    for (const turns of [2, 5, 10, 20]) {
      await transact(async (trx) => {
        await insert(trx, `kept${turns}`);
        late.push(insertLater(trx, `late${turns}`, turns));
      });
      const undone = transact(async (trx) => {
        await insert(trx, `undone${turns}`);
        late.push(insertLater(trx, `late-undone${turns}`, turns));
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
    }
    expect(await Promise.all(late)).toEqual(late.map(() => 'refused'));
    const ids = await queries.selectFrom('strings').select('id').orderBy('id').execute();
    expect(ids.map(({ id }) => id)).toEqual(['kept10', 'kept2', 'kept20', 'kept5']);
  });

  it('are never visible half done, and do not block readers', async () => {
    const { database } = await openMigrated();
    const count = async (db: Database['queries']) => (await db.selectFrom('strings').select('id').execute()).length;
    await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        database.transact(async (trx) => {
          await trx
            .insertInto('strings')
            .values(row(`${index}a`))
            .execute();
          await trx
            .insertInto('strings')
            .values(row(`${index}b`))
            .execute();
          expect((await count(database.queries)) % 2).toBe(0);
        }),
      ),
    );
    expect(await count(database.queries)).toBe(8);
  });

  it("do not lose the winner's write on a unique conflict", async () => {
    const { database } = await openMigrated();
    const insert = () => database.queries.insertInto('strings').values(row('same')).execute();
    const results = await Promise.allSettled(Array.from({ length: 10 }, insert));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await database.queries.selectFrom('strings').select('id').execute()).toEqual([{ id: 'same' }]);
  });
});

describe('prepared queries', () => {
  it('take new values each time, alongside fixed ones', async () => {
    const { database } = await openMigrated();
    const { queries } = database;
    const insert = database.prepare((id: string, value: string) =>
      queries.insertInto('strings').values(row(id, value)),
    );
    const find = database.prepare((value: string, owner: string, limit: number) =>
      queries
        .selectFrom('strings')
        .select('id')
        .where('owner', '=', owner)
        .where('value', '=', value)
        .where('created_at', '=', 1)
        .orderBy('id')
        .limit(limit),
    );
    await Promise.all(['a', 'b', 'c'].map((id) => insert(id, id === 'c' ? 'other' : 'same')));
    expect(await find('same', '', 10)).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(await find('same', '', 1)).toEqual([{ id: 'a' }]);
    expect(await find('other', '', 10)).toEqual([{ id: 'c' }]);
    expect(await find('same', 'nobody', 10)).toEqual([]);
    await expect(insert('a', 'again')).rejects.toThrow();
  });

  it('return the row itself or undefined, and see the latest write', async () => {
    const { database } = await openMigrated();
    const { queries } = database;
    const find = database.prepareOne((id: string) =>
      queries.selectFrom('strings').select(['id', 'value']).where('owner', '=', '').where('id', '=', id),
    );
    expect(await find('a')).toBeUndefined();
    await queries.insertInto('strings').values(row('a', 'mine')).execute();
    expect(await find('a')).toEqual({ id: 'a', value: 'mine' });
    const remove = database.prepareOne((id: string) =>
      queries.deleteFrom('strings').where('id', '=', id).returning('id'),
    );
    expect(await remove('a')).toEqual({ id: 'a' });
    expect(await find('a')).toBeUndefined();
  });
});

describe('prepared writes', () => {
  it('join their transaction, take new values each time, and return the number of changed rows', async () => {
    const { database } = await openMigrated();
    const { queries, transact } = database;
    const insert = prepareWrite((given: ReturnType<typeof row>) =>
      queries
        .insertInto('strings')
        .values(given)
        .onConflict((conflict) => conflict.doNothing()),
    );
    const change = prepareWrite(({ owner, ...columns }: { owner: string; value?: string; created_at?: number }) =>
      queries.updateTable('strings').set(columns).where('owner', '=', owner).where('created_at', '=', 1),
    );
    const rows = () => queries.selectFrom('strings').select(['id', 'value', 'created_at']).orderBy('id').execute();
    await transact(async (trx) => {
      expect(await insert(trx, row('a', 'first'))).toEqual({ changed: 1 });
      expect(await insert(trx, row('b', 'second'))).toEqual({ changed: 1 });
      expect(await insert(trx, row('a', 'again'))).toEqual({ changed: 0 });
      // Other fields make a different statement.
      expect(await change(trx, { owner: '', value: 'both' })).toEqual({ changed: 2 });
      expect(await change(trx, { owner: '', value: 'both', created_at: 2 })).toEqual({ changed: 2 });
      expect(await change(trx, { owner: '', value: 'nobody’s' })).toEqual({ changed: 0 });
      const lacking = { owner: '', value: undefined } as unknown as { owner: string };
      await expect(change(trx, lacking)).rejects.toThrow('value of a prepared query is undefined');
    });
    const written = ['a', 'b'].map((id) => ({ id, value: 'both', created_at: 2 }));
    expect(await rows()).toEqual(written);
    const undone = transact(async (trx) => {
      await insert(trx, row('c'));
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    expect(await rows()).toEqual(written);
  });
});

describe('migrations', () => {
  it('run once', async () => {
    const { database } = await openMigrated();
    expect(await pendingMigrations(database)).toEqual([]);
    expect(await migrate(database, systemClock)).toEqual([]);
  });

  it('run once when several processes start at the same moment', async () => {
    const place = await createTestDatabase({ empty: true });
    onTestFinished(() => place.dispose());
    const script = new URL('../../../testing/processes/migrate-process.ts', import.meta.url);
    const outcomes = await Promise.all(
      Array.from(
        { length: onlyWhenLong(6, 3) },
        () =>
          new Promise<string[]>((resolve, reject) => {
            const child = fork(script, { env: place.environment });
            child.once('message', (applied) => resolve(applied as string[]));
            child.once('exit', (code) => reject(new Error(`a process failed with ${code}`)));
          }),
      ),
    );
    expect(outcomes.filter((applied) => applied.length > 0)).toHaveLength(1);
  });

  it('refuse a schema that a newer version has written, and change nothing', async () => {
    const { database } = await openMigrated();
    await database.queries
      .insertInto('schema_migrations')
      .values({ name: '9999-future', applied_at: 1, phase: 'contract' })
      .execute();
    await expect(migrate(database, systemClock)).rejects.toThrow(
      'The database was written by a newer Limen (migration 9999-future)',
    );
  });
});

describe.runIf(engine === 'sqlite')('the database file', () => {
  it('commits with an fsync, in WAL mode, with foreign keys', async () => {
    const { database } = await openMigrated();
    const { sql } = await import('kysely');
    const pragma = async (name: string) =>
      Object.values((await sql.raw(`select * from pragma_${name}`).execute(database.queries)).rows[0] as object)[0];
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('synchronous')).toBe(2);
    expect(await pragma('foreign_keys')).toBe(1);
  });

  it('hides concurrent writes from writers and readers until they are on disk', async () => {
    const { database } = await openMigrated();
    const insert = (id: string) => database.queries.insertInto('strings').values(row(id, 'x')).execute();
    const read = () => database.queries.selectFrom('strings').select('id').orderBy('id').execute();
    const readOne = database.prepareOne((id: string) =>
      database.queries.selectFrom('strings').select('id').where('id', '=', id),
    );
    await Promise.all([insert('a'), insert('b')]);
    const held = holdLogs();
    try {
      const told: string[] = [];
      const asked = [
        insert('c').then(() => told.push('written')),
        // Committed, so readers could see it.
        held.begun.then(() =>
          Promise.all([
            read().then((rows) => told.push(`read ${rows.length}`)),
            readOne('c').then((row) => told.push(`found ${row?.id}`)),
          ]),
        ),
      ];
      await held.begun;
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(told).toEqual([]);
      held.release();
      await Promise.all(asked);
      expect(told.sort()).toEqual(['found c', 'read 3', 'written']);
    } finally {
      held.restore();
    }
  });

  it('keeps nothing of a deleted row after a checkpoint', async () => {
    const { database, dataDir } = await openMigrated();
    const value = 'a value that must be gone '.repeat(2_000);
    await database.queries.insertInto('strings').values(row('x', value)).execute();
    await database.checkpoint();
    const files = () => ['', '-wal'].map((end) => readFileSync(`${sqliteFile(dataDir)}${end}`)).join('');
    expect(files()).toContain('must be gone');
    await database.queries.deleteFrom('strings').where('id', '=', 'x').execute();
    await database.checkpoint();
    expect(files()).not.toContain('must be gone');
  });
});

/** Holds back every fsync of a log until released. */
function holdLogs() {
  const { fdatasync } = fs;
  const waiting: (() => void)[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let isHeld = true;
  const use = (one: typeof fdatasync) => {
    fs.fdatasync = one;
    syncBuiltinESMExports();
  };
  const held = (...args: Parameters<typeof fdatasync>) => {
    if (isHeld) waiting.push(() => fdatasync(...args));
    else fdatasync(...args);
    begin();
  };
  use(Object.assign(held, fdatasync));
  const release = () => {
    isHeld = false;
    for (const go of waiting.splice(0)) go();
  };
  return {
    begun,
    release,
    restore() {
      release();
      use(fdatasync);
    },
  };
}
