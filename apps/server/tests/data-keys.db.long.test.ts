// Data key rotation of a database that contains everything, and of two processes under load with
// the command killed.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLimenClient } from '@limen/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { countHeaders, dataKeysOf, EVERY_COLUMN, rotate } from '#testing/data-keys.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { startKeyHolder } from '#testing/faces/key-holder-process.ts';
import { FULL_SERVICE, fillDatabase } from '#testing/full-database.ts';
import { COMPILED } from '#testing/processes/listening-process.ts';
import { startServer } from '#testing/processes/server-process.ts';
import { runLimen, runLimenHere } from '#testing/run-limen.ts';
import { capture, hostWith, sameFace } from '#testing/sessions/verification-app.ts';
import { startTestApp } from '#testing/test-app.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';
import { findEditedRows } from '../src/operations/data-keys/row-seals.ts';

it('reseals everything that can be sealed, and everything works as before', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  let isUp = false;
  const receiver = await startReceiver(() => (isUp ? 200 : 503));
  const { storage, clock, apiKey, face, toldId, look } = await fillDatabase(place, receiver.url);
  const { database, sealer } = storage;

  const before = sealer.header();
  expect((await countHeaders(database, before)).under).toEqual(EVERY_COLUMN);
  const edited = async () => (await findEditedRows(database.queries, sealer)).edited;
  expect(await edited()).toEqual([]);
  const report = await rotate(storage);
  expect(report).toMatchObject({ isDestroyed: true, unreadable: new Map() });
  expect(sealer.header()).not.toEqual(before);
  expect(await countHeaders(database, sealer.header())).toEqual({ under: EVERY_COLUMN, other: [] });
  expect(await edited()).toEqual([]);
  expect((await dataKeysOf(database)).map(({ purpose }) => purpose).sort()).toEqual(['lookup', 'row', 'seal']);
  await look();
  await database.close();

  const again = await startTestApp({ clock, database: place, environment: FULL_SERVICE });
  const room = { app: again, storage: place, clock };
  const signIn = await capture(room, await hostWith(again, apiKey).start('SIGN-IN'));
  await signIn.reach('token');
  expect((await signIn.show(sameFace(face))).body).toEqual({ outcome: 'matched', triesLeft: 2 });
  isUp = true;
  const soFar = receiver.received.length;
  clock.advance(3_600_000);
  while ((await again.jobs.runDue()) > 0);
  expect(receiver.received.slice(soFar).some(({ body }) => JSON.parse(body).sessionId === toldId)).toBe(true);
  expect((await runLimenHere(['audit', 'verify'], { environment: place.environment })).stdout).toContain('Whole: ');
});

const API_KEY = 'limen-new-data-keys-key';
const AT_ONCE = 4;

it('continues under load, through a command that is killed and one that is stopped', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const receiver = await startReceiver(() => 200);
  const secret = randomBytes(32).toString('base64');
  const holder = await startKeyHolder({
    KEYHOLDER_SECRET: secret,
    KEYHOLDER_DATA_DIR: join(place.dataDir, 'holder'),
    KEYHOLDER_MASTER_KEY: randomBytes(32).toString('base64'),
  });
  const environment = {
    ...place.environment,
    ...{ DEV_API_KEY: API_KEY, SERVE: 'core,launch', LOG_LEVEL: 'warn', NODE_ENV: 'test', DISK_RESERVE_MB: '0' },
    ...{ KEYHOLDER_URL: holder.address, KEYHOLDER_SECRET: secret },
  };
  // With a file, one machine has one process.
  const servers = [await startServer(environment), ...(engine === 'postgres' ? [await startServer(environment)] : [])];
  const clients = servers.map(({ address }) => createLimenClient({ baseUrl: address, apiKey: API_KEY }));
  const tokens: string[] = [];
  let [number, goesOn] = [0, true];
  const use = async () => {
    while (goesOn) {
      const [one, other] = [clients[number % clients.length]!, clients[(number + 1) % clients.length]!];
      number += 1;
      const { token } = await one.ageSessions.create({ callback: { url: receiver.url }, metadata: { number } });
      await other.ageSessions.simulate(token, { outcome: 'above' });
      expect((await one.ageSessions.result(token)).flowStatus).toBe('COMPLETED');
      tokens.push(token);
    }
  };
  const load = Promise.all(Array.from({ length: AT_ONCE }, use));
  await Promise.race([load, expect.poll(() => tokens.length).toBeGreaterThan(100)]);

  await killWhenItSays(environment, 'seal with the new keys', 'SIGKILL');
  await killWhenItSays(environment, 'Sealed anew', 'SIGTERM');
  const soFar = tokens.length;
  await Promise.race([load, expect.poll(() => tokens.length).toBeGreaterThan(soFar + 100)]);
  goesOn = false;
  await load;
  await expect
    .poll(() => new Set(receiver.received.map(({ body }) => JSON.parse(body).metadata.number)).size)
    .toBe(number);
  for (const server of servers) expect(await server.stop('SIGTERM')).toBe(0);

  // All servers have stopped, so the command need not wait.
  const ended = await runLimen(['keys', 'rotate-data'], { environment });
  expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('are destroyed') });
  const after = await startServer(environment);
  const client = createLimenClient({ baseUrl: after.address, apiKey: API_KEY });
  for (const token of tokens) expect((await client.ageSessions.result(token)).flowStatus).toBe('COMPLETED');
  for (const { stdout, stderr } of [...servers, after]) expect(`${stdout()}${stderr()}`).not.toMatch(/"level":50/);
});

/** Starts the command, and kills it once standard error contains these words. */
async function killWhenItSays(
  environment: Record<string, string>,
  words: string,
  signal: NodeJS.Signals,
): Promise<void> {
  const limen = fileURLToPath(new URL('../bin/limen.js', import.meta.url));
  const child = spawn(process.execPath, [limen, 'keys', 'rotate-data'], { env: { ...COMPILED, ...environment } });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
    if (said.includes(words)) child.kill(signal);
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect(said).toContain(words);
}
