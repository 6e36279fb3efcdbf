// `limen migrate` as an operator runs it: planning changes nothing; running it upgrades the schema
// without a start.
import { hostname } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { systemClock } from '../platform/base/clock.ts';
import { createIds } from '../platform/base/ids.ts';
import { VERSION } from '../platform/base/version.ts';
import { openDatabase } from '../platform/database/database.ts';
import { LAST_MIGRATION, migrate } from '../platform/database/migrate.ts';
import { openStorage } from '../platform/storage.ts';

async function prepare() {
  const place = await prepareDatabase();
  const database = openDatabase(place);
  await migrate(database, systemClock);
  const run = (...args: string[]) => runLimenHere(['migrate', ...args], { environment: place.environment });
  onTestFinished(() => database.close());
  return { place, database, run };
}

it("plans the next start's migrations, and changes nothing", async () => {
  const { database, run } = await prepare();
  const later = { name: '9999-later', applied_at: 0, phase: 'expand' } as const;
  await database.queries.insertInto('schema_migrations').values(later).execute();
  await database.queries.deleteFrom('schema_migrations').where('name', '=', LAST_MIGRATION).execute();
  const first = await run('--plan');
  expect(first).toEqual({
    code: 0,
    stdout: `${LAST_MIGRATION} (expand; at the next start, or with: limen migrate)\nNo process works on the database.\n`,
    stderr: '',
  });
  expect(await run('--plan')).toEqual(first);
});

it('names the running processes, and finishes an upgrade that has nothing to do', async () => {
  const { place, run } = await prepare();
  const ids = createIds(systemClock);
  const { database, presence } = await openStorage({ ...place, masterKey: undefined, clock: systemClock, ids });
  const { stdout } = await run('--plan');
  expect(stdout).toContain(
    `Running: process ${presence.id} (host ${hostname()}, pid ${process.pid}), version ${VERSION}, knows up to ${LAST_MIGRATION}, last seen 20`,
  );
  expect((await run('--contract')).stdout).toBe('The schema is up to date.\n');
  await database.close();
  expect((await run('--plan')).stdout).toContain('No process works on the database.');
});

it('plans nothing if there are no tables', async () => {
  const { environment } = await prepareDatabase();
  const { stdout } = await runLimenHere(['migrate', '--plan'], { environment });
  expect(stdout).toBe('There are no tables yet; the first start creates all of them.\n');
});
