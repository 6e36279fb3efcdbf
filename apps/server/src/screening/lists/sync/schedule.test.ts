// The server's scheduled refreshes: what is due, when it checks again, and how it stops.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createTestTools, storeList } from '#testing/screening/dataset-tools.ts';
import { ftmCrowd, startPublisher } from '#testing/screening/publisher.ts';
import { startScheduledSync } from './schedule.ts';
import { loadLocal } from './sync.ts';

const HOUR = 3_600_000;

async function prepare() {
  const { base, files, requests } = await startPublisher();
  const tools = createTestTools();
  const add = async (name: string, body: string) => {
    const url = `${base}/${name}`;
    files.set(`/${name}`, { body, headers: { etag: `"${body.length}"` } });
    await storeList(tools, { name, body, sync: { files: [{ role: 'main', url, etag: `"${body.length}"` }] } });
  };
  return { files, requests, tools, add };
}

/** Starts the schedule with a fake sleep. `pass` ends the sleep and resolves at the next one. */
function start({ folder, clock }: ReturnType<typeof createTestTools>, hours = 24) {
  const lines: { level: string; message: string; [field: string]: unknown }[] = [];
  const logAs = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, message, ...fields });
  const sleeps: number[] = [];
  let wake = () => {};
  let asleep = Promise.withResolvers<void>();
  const schedule = startScheduledSync({
    folder,
    hours,
    clock,
    log: { info: logAs('info'), warn: logAs('warn') },
    random: () => 0.5,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        sleeps.push(milliseconds);
        wake = () => {
          clock.advance(milliseconds);
          resolve();
        };
        signal.addEventListener('abort', () => reject(signal.reason));
        asleep.resolve();
      }),
  });
  onTestFinished(() => schedule.stop());
  const pass = async () => {
    await asleep.promise;
    asleep = Promise.withResolvers();
    wake();
    await asleep.promise;
  };
  return { lines, sleeps, pass, schedule };
}

it('refreshes overdue lists soon after the start, and then at the interval', async () => {
  const { tools, add, requests, files } = await prepare();
  await add('one', ftmCrowd(2));
  tools.clock.advance(30 * HOUR);
  const { lines, sleeps, pass } = start(tools);
  await pass();
  expect(lines).toEqual([
    { level: 'info', message: 'dataset is up to date', dataset: 'one', version: expect.any(String), entities: 2 },
  ]);
  files.set('/one', { body: ftmCrowd(3) });
  await pass();
  expect(lines[1]).toMatchObject({
    level: 'info',
    message: 'dataset was refreshed',
    dataset: 'one',
    entities: 3,
    how: 'full',
  });
  expect(requests).toEqual(['/one 304', '/one 200']);
  expect(sleeps).toEqual([60_000, 24 * HOUR, 24 * HOUR]);
});

it('fetches a damaged or lost list at once, even after a recent check', async () => {
  const { tools, add, requests } = await prepare();
  for (const name of ['damaged', 'lost', 'well']) await add(name, ftmCrowd(2));
  const indexOf = async (name: string) => join(tools.folder.path, name, (await tools.folder.find(name))!.indexFile);
  writeFileSync(await indexOf('damaged'), 'something else');
  rmSync(await indexOf('lost'));
  await start(tools).pass();
  expect(requests).toEqual(['/damaged 200', '/lost 200']);
  expect((await tools.folder.list()).map(({ name }) => name)).toEqual(['damaged', 'lost', 'well']);
});

it('does not repeat a recent check, however often the server starts', async () => {
  const { tools, add, requests } = await prepare();
  await add('one', ftmCrowd(2));
  for (let restart = 0; restart < 3; restart += 1) {
    const { pass, schedule } = start(tools);
    await pass();
    await schedule.stop();
  }
  expect(requests).toEqual([]);
});

it('logs a failure without the address, continues with the next list, and retries sooner', async () => {
  const { tools, add, files, requests } = await prepare();
  await add('one', ftmCrowd(2));
  await add('two', ftmCrowd(2));
  const before = await tools.folder.find('one');
  files.set('/one', { body: '', status: 500 });
  tools.clock.advance(48 * HOUR);
  const { lines, sleeps, pass } = start(tools);
  await pass();
  expect(lines).toMatchObject([
    { level: 'warn', dataset: 'one', message: 'dataset could not be refreshed; the old list stays' },
    { level: 'info', dataset: 'two' },
  ]);
  expect(lines[0]!['reason']).toContain('answered 500');
  expect(await tools.folder.find('one')).toEqual(before);
  expect(sleeps[1]).toBe(HOUR / 2);
  files.set('/one', { body: ftmCrowd(3) });
  requests.length = 0;
  await pass();
  expect(requests).toEqual(['/one 200']);
  expect(sleeps[2]).toBe(24 * HOUR);
});

it('skips lists that came from a file', async () => {
  const { tools } = await prepare();
  const main = `${tools.dataDir}/us_ofac_sdn.json`;
  writeFileSync(main, ftmCrowd(2));
  await loadLocal('us_ofac_sdn', { format: 'ftm-json', files: { main }, source: 'x' }, tools);
  tools.clock.advance(1_000 * HOUR);
  const { lines, pass } = start(tools);
  await pass();
  expect(lines).toEqual([]);
});

it('aborts a running refresh when the server stops; the list stays', async () => {
  const { tools, add, files } = await prepare();
  await add('one', ftmCrowd(2));
  const before = await tools.folder.find('one');
  const asked = Promise.withResolvers<void>();
  files.set('/one', { body: '', answer: () => asked.resolve() });
  tools.clock.advance(48 * HOUR);
  const { schedule, pass, lines } = start(tools);
  const passing = pass();
  await asked.promise;
  await schedule.stop();
  expect(await tools.folder.find('one')).toEqual(before);
  expect(lines).toEqual([]);
  expect(await Promise.race([passing.then(() => 'slept again'), sleep(10, 'over')])).toBe('over');
});

it('does nothing at 0 hours', async () => {
  const { tools } = await prepare();
  const { sleeps, schedule } = start(tools, 0);
  await schedule.stop();
  expect(sleeps).toEqual([]);
});
