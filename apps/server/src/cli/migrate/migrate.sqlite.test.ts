// `limen migrate` as an operator runs it: the plan changes nothing, and the schema is brought up to date without a start.
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { createTablesAsOf, LAST_MIGRATION } from '../../platform/database/migrate.ts';
import { createIds } from '../../platform/ids.ts';
import { openStorage } from '../../platform/open-storage.ts';
import { VERSION } from '../../platform/version.ts';
import { prepareDatabase, runLimenHere } from '../testing/run-limen.ts';

async function prepare(asOf: string) {
  const place = await prepareDatabase();
  const database = openDatabase(place);
  await database.transact((trx) => createTablesAsOf(trx, database.engine, asOf));
  await database.close();
  const run = (...args: string[]) => runLimenHere(['migrate', ...args], { environment: place.environment });
  return { place, run };
}

it('plans what the next start would do, with who waits for it, and does nothing', async () => {
  const { run } = await prepare('0032-shared-lists');
  const first = await run('--plan');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('0033-processes (expand; at the next start, or with: limen migrate)\n');
  expect(first.stdout).toContain(
    '  alter table "schema_migrations" add column "phase" text\n' +
      '    schema_migrations is locked for a moment, no row is rewritten\n',
  );
  expect(first.stdout).toMatch(/^0035-no-whole-vectors .*\n {2}no statement: it only keeps its place in the order$/m);
  expect(await run('--plan')).toEqual(first);
});

it('says of migrations without a phase that everything has to be stopped for them', async () => {
  const { run } = await prepare('0031-webhook-tries');
  expect((await run('--plan')).stdout).toContain('0032-shared-lists (from before there were phases: every process has');
});

it('does what a start would do, and what may only be done later when it is told', async () => {
  const { run } = await prepare('0032-shared-lists');
  const { code, stdout, stderr } = await run();
  const names = '0050-no-whole-vectors, 0051-blocks-anew, 0052-hot-sessions';
  const later = `Once no earlier version runs any more, "limen migrate --contract" applies: ${names}.`;
  expect({ code, stdout }).toEqual({ code: 0, stdout: `The schema is up to date. ${later}\n` });
  expect((await run('--plan')).stdout).toContain('drop table if exists "gallery_vectors"');
  expect((await run('--contract')).stdout).toContain(`Applied: ${names}.`);
  expect(stderr).toContain('Brought the schema up to date: 0033-processes');
  expect((await run('--plan')).stdout).toBe(
    'Nothing is pending: the schema is up to date.\nNo process works on the database.\n',
  );
});

it('names the processes that run, and ends an upgrade that has nothing to end', async () => {
  const { place, run } = await prepare(LAST_MIGRATION);
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

it('has nothing to plan where there are no tables', async () => {
  const { environment } = await prepareDatabase();
  const { stdout } = await runLimenHere(['migrate', '--plan'], { environment });
  expect(stdout).toBe('There are no tables yet; the first start creates all of them.\n');
});
