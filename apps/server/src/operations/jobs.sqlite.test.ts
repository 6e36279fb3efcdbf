// `limen jobs` on a database with jobs in every state.
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { systemClock } from '../platform/base/clock.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import type { JobRow } from '../platform/jobs/store.ts';

const CREATED = Date.UTC(2026, 4, 1, 12, 30, 15, 250);

async function prepare(): Promise<{ environment: Record<string, string>; database: Database }> {
  const place = await prepareDatabase();
  const database = openDatabase(place);
  onTestFinished(() => database.close());
  await migrate(database, systemClock);
  return { environment: place.environment, database };
}

async function insert({ queries }: Database, job: Pick<JobRow, 'id' | 'kind' | 'state'> & Partial<JobRow>) {
  const row = { payload: Buffer.from('sealed'), attempts: 0, run_at: CREATED, unique_key: null, created_at: CREATED };
  const lease = { lease_token: null, lease_until: null, last_error: null };
  await queries
    .insertInto('jobs')
    .values({ ...row, ...lease, ...job })
    .execute();
}

describe('jobs list', () => {
  it('counts by kind and state', async () => {
    const { environment, database } = await prepare();
    await insert(database, { id: '1', kind: 'webhook', state: 'ready' });
    await insert(database, { id: '2', kind: 'webhook', state: 'ready' });
    await insert(database, { id: '3', kind: 'webhook', state: 'dead' });
    await insert(database, { id: '4', kind: 'purge', state: 'running' });
    const table = await runLimenHere(['jobs', 'list'], { environment });
    expect(table).toEqual({
      code: 0,
      stdout: [
        'KIND     READY  RUNNING  DEAD',
        'purge        0        1     0',
        'webhook      2        0     1',
        '',
      ].join('\n'),
      stderr: '',
    });
    const json = await runLimenHere(['jobs', 'list', '--json'], { environment });
    expect(JSON.parse(json.stdout)).toEqual([
      { kind: 'purge', ready: 0, running: 1, dead: 0 },
      { kind: 'webhook', ready: 2, running: 0, dead: 1 },
    ]);
  });

  it('lists dead jobs with what an operator needs, and no payload', async () => {
    const { environment, database } = await prepare();
    await insert(database, { id: '1', kind: 'webhook', state: 'dead', attempts: 8, last_error: 'TypeError' });
    await insert(database, { id: '2', kind: 'webhook', state: 'ready' });
    const table = await runLimenHere(['jobs', 'list', '--dead'], { environment });
    expect(table).toEqual({
      code: 0,
      stdout: [
        'ID  KIND     ATTEMPTS  LAST ERROR  CREATED',
        '1   webhook         8  TypeError   2026-05-01T12:30:15Z',
        '',
      ].join('\n'),
      stderr: '',
    });
    const json = await runLimenHere(['jobs', 'list', '--dead', '--json'], { environment });
    expect(JSON.parse(json.stdout)).toEqual([
      { id: '1', kind: 'webhook', attempts: 8, lastError: 'TypeError', createdAt: '2026-05-01T12:30:15.250Z' },
    ]);
  });

  it('reports that there are none', async () => {
    const { environment } = await prepareDatabase();
    expect((await runLimenHere(['jobs', 'list'], { environment })).stdout).toBe('There are no jobs.\n');
    expect((await runLimenHere(['jobs', 'list', '--dead'], { environment })).stdout).toBe('There are no dead jobs.\n');
  });
});

describe('jobs retry', () => {
  it('puts a dead job back in the queue', async () => {
    const { environment, database } = await prepare();
    await insert(database, { id: 'j1', kind: 'webhook', state: 'dead', attempts: 8, last_error: 'TypeError' });
    const { code, stdout } = await runLimenHere(['jobs', 'retry', 'j1'], { environment });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Job j1 is back in the queue.\n' });
    const row = await database.queries.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: 'ready', attempts: 0 });
    expect(row.run_at).toBeGreaterThan(CREATED);
  });

  it('leaves a job unchanged that is not dead', async () => {
    const { environment, database } = await prepare();
    await insert(database, { id: 'j1', kind: 'webhook', state: 'running', attempts: 3, lease_token: 't' });
    const { code, stdout } = await runLimenHere(['jobs', 'retry', 'j1'], { environment });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Job j1 is not dead: it is running.\n' });
    const row = await database.queries.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: 'running', attempts: 3, lease_token: 't' });
  });

  it('refuses a job whose successor is pending, and an unknown id', async () => {
    const { environment, database } = await prepare();
    await insert(database, { id: 'j1', kind: 'webhook', state: 'dead', unique_key: 'session-1' });
    await insert(database, { id: 'j2', kind: 'webhook', state: 'ready', unique_key: 'session-1' });
    await insert(database, { id: 'j3', kind: 'other', state: 'dead', unique_key: 'session-1' });
    const twin = await runLimenHere(['jobs', 'retry', 'j1'], { environment });
    expect(twin).toMatchObject({ code: 1, stdout: '' });
    expect(twin.stderr).toContain('already waiting or running; this one stays dead');
    expect((await runLimenHere(['jobs', 'retry', 'j3'], { environment })).code).toBe(0);
    const unknown = await runLimenHere(['jobs', 'retry', 'nothing'], { environment });
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('There is no job with this id');
  });
});
