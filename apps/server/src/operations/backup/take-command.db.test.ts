// Changes that `limen backup` makes in the database it backs up.
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { runLimenHere } from '#testing/run-limen.ts';
import { systemClock as clock } from '../../platform/base/clock.ts';
import { createIds } from '../../platform/base/ids.ts';
import { openStorage } from '../../platform/storage.ts';
import { recordAs, THIS_MACHINE } from '../../records/audit/log.ts';
import { openAudit } from '../../records/audit/open.ts';

// SQLite has no locks to inspect: a transaction excludes everyone.
it.runIf(engine === 'postgres')('records a backup while no one can change the keys of that row', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const { database, sealer } = await openStorage({ ...place, masterKey: undefined, clock, ids: createIds(clock) });
  onTestFinished(() => database.close());
  const { audit } = openAudit({ database, sealer, clock });
  await recordAs(audit, THIS_MACHINE)('backup.restore');

  const { taking, held } = await database.transact(async (trx) => {
    await sql`select 1 from audit_segments for update`.execute(trx);
    const { environment, dataDir } = place;
    const taking = runLimenHere(['backup', dataDir], { environment }); // This backup is refused, but still recorded.
    /** Returns the advisory locks that the waiting process holds. */
    const findHeld = async () => {
      const { rows } = await sql`
        select held.locktype from pg_locks waiting
        left join pg_locks held on held.pid = waiting.pid and held.locktype = 'advisory' and held.granted
        where not waiting.granted and pg_backend_pid() = any (pg_blocking_pids(waiting.pid))`.execute(trx);
      return rows;
    };
    await expect.poll(findHeld).not.toEqual([]);
    return { taking, held: await findHeld() };
  });
  expect(held).toEqual([{ locktype: 'advisory' }]);
  expect(await taking).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
  expect((await audit.list({ limit: 1 }))[0]!.line).toMatchObject({ act: 'backup.take', about: place.dataDir });
});

it('rejects a database from before the baseline, and one of a newer version', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const { database } = await openStorage({ ...place, masterKey: undefined, clock, ids: createIds(clock) });
  const applied = { applied_at: 1, phase: 'expand' } as const;
  const backUp = () => runLimenHere(['backup', place.dataDir], { environment: place.environment });
  await database.queries
    .insertInto('schema_migrations')
    .values({ name: '9999-later', ...applied })
    .execute();
  expect(await backUp()).toMatchObject({ code: 1, stderr: expect.stringContaining('A newer Limen works') });
  await database.queries
    .insertInto('schema_migrations')
    .values({ name: '0001-foundation', ...applied })
    .execute();
  await database.close();
  expect(await backUp()).toMatchObject({ code: 1, stderr: expect.stringContaining('a version before 0.1.0') });
});
