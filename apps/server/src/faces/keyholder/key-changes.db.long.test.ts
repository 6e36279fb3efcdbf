// Rotates secrets and master keys while people sign in and processes are killed: no sign-in is lost.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { makeToken, randomVector, search } from '#testing/faces/faces.ts';
import { makeFolder } from '#testing/faces/folder.ts';
import { runKeyHolderToEnd, startKeyHolder } from '#testing/faces/key-holder-process.ts';
import { COMPILED, type ListeningProcess } from '#testing/processes/listening-process.ts';
import { backUpDatabase } from './backup/copy-database.ts';
import { backUpFolder } from './backup/copy-folder.ts';
import { examineFolder } from './backup/examine-folder.ts';
import { ChallengeRefusedError, type KeyHolder, KeyHolderUnavailableError } from './link/calls.ts';
import { keyHolderOver } from './link/link.ts';
import { TlsLink } from './link/tls.ts';

const LIMEN = fileURLToPath(new URL('../../../bin/limen.js', import.meta.url));
const log = pino({ level: 'silent' });
const [oldSecret, newSecret] = ['the-secret-that-leaves-with-32-chars', 'the-secret-that-comes-with-32-chars!'];
const [oldKey, newKey] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];
/** Two key-holders with PostgreSQL, so that one is always available; one with a folder. */
const KEY_HOLDERS = engine === 'postgres' ? 2 : 1;
const SERVICES = 3;
/** Sign-ins per service between two changes. */
const BETWEEN = 5;
/** Retry interval and attempts of a page whose sign-in was interrupted. */
const [RETRY_MS, MOST_TRIES] = [100, 600];
/** The command is killed at a random moment within this time of its start. */
const COMMAND_MS = 1_500;

const secretsOf = (setting: string) => setting.split(',');

it('loses no sign-in during rotations and kills', { timeout: 600_000 }, async () => {
  const { environment, databaseArgs, backUp } = await preparePlace();
  const settings = { KEYHOLDER_SECRET: oldSecret, KEYHOLDER_MASTER_KEY: oldKey };
  const holders: ListeningProcess[] = [];
  let kills = 0;

  const start = (port: string) =>
    startKeyHolder({
      ...environment,
      ...settings,
      KEYHOLDER_PORT: port,
      KEYHOLDER_METRICS_PORT: '0',
      KEYHOLDER_MATCH_THRESHOLD: '0.48',
      ...Object.fromEntries(
        ['HOUR', 'ADDRESS', 'PERSON'].map((scope) => [`KEYHOLDER_ANSWERS_PER_${scope}`, '1000000']),
      ),
    });
  async function restart(index: number, signal: NodeJS.Signals): Promise<void> {
    const code = await holders[index]!.stop(signal);
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
    if (signal === 'SIGKILL') kills += 1;
    holders[index] = await start(new URL(holders[index]!.address).port);
  }
  /** Runs one after the other and kills half of them. */
  async function restartAll(): Promise<void> {
    for (const index of holders.keys()) {
      await restart(index, index % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      await goOn();
    }
  }

  for (let index = 0; index < KEY_HOLDERS; index++) holders.push(await start('0'));
  const urls = holders.map(({ address }) => address);
  const reach = (setting: string): KeyHolder => {
    const holder = keyHolderOver(new TlsLink({ urls, secrets: secretsOf(setting), log }));
    onTestFinished(() => holder.close());
    return holder;
  };

  const services = Array.from({ length: SERVICES }, () => ({ holder: reach(oldSecret), found: 0, retries: 0 }));
  const identity = Buffer.from(await services[0]!.holder.identity());
  const face = randomVector();
  const { epoch, token } = await makeToken(services[0]!.holder, face);
  const lost: unknown[] = [];
  let isOver = false;

  /** Retries interrupted challenges, like a page. */
  async function signIn(service: (typeof services)[number]): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { holder } = service;
      try {
        const more = { session: randomUUID(), address: randomUUID() };
        const { challenge, best } = await search(holder, face, { epoch, tokens: [token], ...more });
        if (best !== 0) throw new Error('nobody was found');
        await holder.settle(challenge, 'ada');
        service.found += 1;
        return;
      } catch (error) {
        if (!(error instanceof KeyHolderUnavailableError || error instanceof ChallengeRefusedError)) throw error;
        service.retries += 1;
        await pause(RETRY_MS);
      }
    }
    throw new Error('the key-holder did not come back');
  }
  const load = services.map(async (service) => {
    while (!isOver) await signIn(service).catch((error: unknown) => void lost.push(error));
  });
  onTestFinished(() => {
    isOver = true;
  });
  /** Waits until every service has had more sign-ins. */
  async function goOn(): Promise<void> {
    const wanted = services.map(({ found }) => found + BETWEEN);
    const isReached = () => services.every(({ found }, index) => found >= wanted[index]!);
    await expect.poll(() => lost.length > 0 || isReached(), { timeout: 120_000 }).toBe(true);
    expect(lost).toEqual([]);
  }
  async function restartServices(setting: string): Promise<void> {
    for (const service of services) {
      const { holder } = service;
      service.holder = reach(setting);
      await holder.close();
      await goOn();
    }
  }
  /** Reads which master key opens each key-holder's store. */
  async function readMasterKeys(): Promise<string[]> {
    const texts = await Promise.all(holders.map(async (holder) => (await fetch(metricsOf(holder))).text()));
    return texts.map((text) => /^limen_keyholder_master_key (\d)$/m.exec(text)?.[1] ?? 'none');
  }

  await goOn();
  await expectSlowClientToGo(holders[0]!);

  for (const setting of [`${newSecret},${oldSecret}`, newSecret]) {
    settings.KEYHOLDER_SECRET = setting;
    const servicesFirst = setting.includes(',');
    if (servicesFirst) await restartServices(setting);
    await restartAll();
    if (!servicesFirst) await restartServices(setting);
  }

  settings.KEYHOLDER_MASTER_KEY = `${newKey},${oldKey}`;
  await restartAll();
  const { KEYHOLDER_MASTER_KEY } = settings;
  const rotate = () => startCommand(databaseArgs, { ...environment, KEYHOLDER_MASTER_KEY });
  expect(new Set(await readMasterKeys())).toEqual(new Set(['2']));
  for (let time = 0; time < 3; time++) {
    const { child, ended } = rotate();
    await pause(Math.random() * COMMAND_MS);
    child.kill('SIGKILL');
    kills += 1;
    await Promise.all([ended, restart(time % KEY_HOLDERS, 'SIGKILL')]);
    await goOn();
  }
  expect(await rotate().ended).toBe(0);
  await vi.waitFor(async () => expect(new Set(await readMasterKeys())).toEqual(new Set(['1'])), PATIENCE);
  await restartAll();
  settings.KEYHOLDER_MASTER_KEY = newKey;
  await restartAll();

  isOver = true;
  await Promise.all(load);
  expect(lost).toEqual([]);
  expect(Buffer.from(await services[0]!.holder.identity())).toEqual(identity);
  await expect(reach(oldSecret).identity()).rejects.toBeInstanceOf(KeyHolderUnavailableError);
  for (const holder of holders) expect(await holder.stop('SIGTERM')).toBe(0);
  const refused = await runKeyHolderToEnd({ ...environment, ...settings, KEYHOLDER_MASTER_KEY: oldKey });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('master key does not belong') });
  const copy = join(makeFolder(), 'copy');
  await backUp(copy);
  expect((await examineFolder(copy))!.audit).toMatchObject({ state: 'whole', isAfterMissing: false });
  const sum = (name: 'found' | 'retries') => services.reduce((total, service) => total + service[name], 0);
  console.info(`${engine}: ${sum('found')} sign-ins, ${sum('retries')} tries cut off and made again, ${kills} kills`);
});

/** A folder, or a database shared by the key-holders. */
async function preparePlace() {
  if (engine === 'postgres') {
    const { url, dispose } = await createTestDatabase({ empty: true });
    onTestFinished(dispose);
    return {
      environment: { KEYHOLDER_DATABASE_URL: url! },
      databaseArgs: ['--database'],
      backUp: (target: string) => backUpDatabase(url!, target, Date.now()),
    };
  }
  const folder = makeFolder();
  return {
    environment: { KEYHOLDER_DATA_DIR: folder },
    databaseArgs: [],
    backUp: (target: string) => backUpFolder(folder, target, Date.now()),
  };
}

function startCommand(args: string[], environment: Record<string, string>) {
  const command = [LIMEN, 'keyholder', 'rotate-master-key', ...args];
  const child = spawn(process.execPath, command, { env: { ...COMPILED, ...environment }, stdio: 'ignore' });
  return { child, ended: new Promise<number | null>((resolve) => child.once('close', resolve)) };
}

function metricsOf(holder: ListeningProcess): string {
  return /^metrics on (\S+)$/m.exec(holder.stdout())![1]!;
}

/** Starts a request for metrics and never ends it. */
async function expectSlowClientToGo(holder: ListeningProcess): Promise<void> {
  const url = new URL(metricsOf(holder));
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  socket.resume();
  socket.write('GET /met');
  await new Promise((resolve) => socket.once('close', resolve));
  expect((await fetch(new URL('/ready', url))).status).toBe(200);
}
