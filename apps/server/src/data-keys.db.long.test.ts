// New data keys for a database that has everything in it; and for two processes under load, with the command killed in the middle.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLimenClient } from '@limen/sdk';
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { expect, it, onTestFinished } from 'vitest';
import { countHeaders, dataKeysOf, EVERY_COLUMN, openProcess, rotate } from '#testing/data-keys.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { COMPILED } from '#testing/processes/listening-process.ts';
import { startServer } from '#testing/processes/server-process.ts';
import { startTestApp } from '#testing/test-app.ts';
import { runToolHere } from '../../../tools/testing/run-tool-here.ts';
import { runLimen, runLimenHere } from './cli/testing/run-limen.ts';
import { type AgeKey, createAgeKeyStore } from './core/age-keys/store.ts';
import { sharedListPlace } from './core/datasets/shared/shared-lists.ts';
import { createChannelStore, type HeldBox } from './core/device-channel/store.ts';
import { createOperatorSessions } from './core/operators/operator-sessions.ts';
import { createOperatorStore } from './core/operators/store.ts';
import { createBlockStore } from './core/tokens/blocks/block-store.ts';
import { createTokenSeal } from './core/tokens/token-seal.ts';
import { startReceiver } from './core/webhooks/testing/receiver.ts';
import { NO_LOG, OWNER } from './edited-rows/testing/places.ts';
import { createWalletLinkStore, type OpenLink } from './features/age-sessions/device/wallet-link-store.ts';
import { createEvidenceStore } from './features/verification-sessions/store.ts';
import {
  capture,
  enrol,
  hostWith,
  newFace,
  newVerificationHost,
  PAGE_ORIGIN,
  sameFace,
} from './features/verification-sessions/testing/verification-app.ts';
import { startKeyHolder } from './keyholder/testing/key-holder-process.ts';
import { nameOf } from './platform/api-keys/owner.ts';
import type { Clock } from './platform/clock.ts';
import { createIdempotency } from './platform/idempotency/idempotency.ts';
import { createIds, type SessionId } from './platform/ids.ts';
import type { Storage } from './platform/open-storage.ts';
import { findEditedRows } from './platform/sealing/sealed-tables.ts';

it('everything that can be sealed is sealed anew, and works as before', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  await runToolHere('demo-data', ['--days', '1'], place.environment);
  await runLimenHere(['operators', 'invite', 'Ada', '--role', 'admin'], { environment: place.environment });
  const clock = createManualClock();
  const served = { SERVE: 'core,launch,node', PUBLIC_URL: PAGE_ORIGIN };
  let isUp = false;
  const receiver = await startReceiver(() => (isUp ? 200 : 503));
  const app = await startTestApp({ clock, database: place, environment: served });
  const host = await newVerificationHost({ app });
  const face = newFace();
  await enrol({ app, storage: place, clock }, host, face);
  const told = await capture({ app, clock }, await host.start('SIGN-IN', { callback: { url: receiver.url } }));
  await told.reach('token');
  await told.show(sameFace(face));
  await told.answer();
  await app.jobs.runDue();
  const open = await capture({ app, clock }, await host.start('SIGN-IN'));
  await open.reach('token');
  await app.close();
  const storage = await openProcess(place, { clock });
  const { database, sealer } = storage;
  const fill = await fillTheRest(storage, open.id as SessionId, clock);

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
  await fill.look();
  await database.close();

  const again = await startTestApp({ clock, database: place, environment: served });
  const room = { app: again, storage: place, clock };
  const signIn = await capture(room, await hostWith(again, host.apiKey).start('SIGN-IN'));
  await signIn.reach('token');
  expect((await signIn.show(sameFace(face))).body).toEqual({ outcome: 'matched', triesLeft: 2 });
  isUp = true;
  const soFar = receiver.received.length;
  clock.advance(3_600_000);
  while ((await again.jobs.runDue()) > 0);
  expect(receiver.received.slice(soFar).some(({ body }) => JSON.parse(body).sessionId === told.id)).toBe(true);
  expect((await runLimenHere(['audit', 'verify'], { environment: place.environment })).stdout).toContain('Whole: ');
});

/** No block that anybody could search; the people in it are then compared one by one. */
const BLOCK = Buffer.from('block');

/** What no short course brings about, through the stores that do. */
async function fillTheRest({ database, sealer }: Storage, session: SessionId, clock: Clock) {
  const ids = createIds(clock);
  const channels = createChannelStore(database, sealer);
  const evidence = createEvidenceStore(database, sealer);
  const links = createWalletLinkStore(database, sealer);
  const idempotency = createIdempotency({ database, sealer, clock });
  const ageKeys = createAgeKeyStore(database, sealer);
  const operatorSessions = createOperatorSessions({
    ...{ store: createOperatorStore(database, sealer, NO_LOG), sealer, clock, ids },
  });
  const blocks = createBlockStore(database, createTokenSeal(sealer));
  const token = await database.queries.selectFrom('tokens').selectAll().executeTakeFirstOrThrow();
  const galleryId = token.gallery_id;
  const request = { operation: 'op', owner: nameOf(OWNER), key: 'k', content: {} };
  await insertPerson({ database, sealer, ids }, OWNER);
  const { state, revision } = (await channels.find(session))!;
  const ada = await database.queries.selectFrom('operators').selectAll().executeTakeFirstOrThrow();
  const { token: signedIn } = await operatorSessions.begin(ada as never, { address: '127.0.0.1', agent: 'test' });
  await database.transact(async (trx) => {
    const box = { expiresAt: clock.now() + 1_000 } as HeldBox;
    const held = { ...state, holdsBox: true };
    await channels.toUpdate(session, { state, revision }, held, box)(trx);
    await evidence.save(trx, session, {} as never);
    await evidence.saveSelfie(trx, session, 'nonce', Buffer.from('jpeg'));
    await links.add(trx, 'link', { sessionId: session, expiresAt: clock.now() + 1_000 } as OpenLink);
    await idempotency.remember(trx, request, 'reply', 'resource');
    await ageKeys.insert(trx, 'live', 'credential', { month: '2026-01', publicKey: 'k', minted: 'm' } as AgeKey);
    const list = { name: 'list', sum: null, sealed: sealer.sealJson({ removedAt: 1 }, sharedListPlace('list')) };
    await trx.insertInto('shared_lists').values(list).execute();
    await blocks.insertBlock(trx, {
      ...{ galleryId, seq: 1_000, id: ids.random(), epoch: token.epoch, createdAt: 0, block: BLOCK },
      members: Array.from({ length: BLOCK_PEOPLE }, () => ({ tokenSeq: token.seq, personId: token.person_id })),
    });
  });
  return {
    async look() {
      expect(await channels.findBox(session, clock.now())).toBeDefined();
      expect(await evidence.find(session)).toEqual({});
      expect(await database.transact((trx) => evidence.findSelfie(trx, session, 'nonce'))).toEqual(Buffer.from('jpeg'));
      expect(await links.find('link', clock.now())).toBeDefined();
      expect(await idempotency.find(request)).toBe('reply');
      expect(await ageKeys.find('live', 'credential', 0)).toBeDefined();
      expect(await operatorSessions.find(signedIn, false)).toBeDefined();
      expect((await blocks.listBlocks(galleryId, 0, 1_000, 2)).map(({ block }) => block)).toEqual([BLOCK]);
    },
  };
}

const API_KEY = 'limen-new-data-keys-key';
const AT_ONCE = 4;

it('goes on under load, through a command that is killed while it works and one that is stopped', async () => {
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
  // One machine has one process on a file.
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

  // Nobody else is there any more, so it need not wait.
  const ended = await runLimen(['keys', 'rotate-data'], { environment });
  expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('are destroyed') });
  const after = await startServer(environment);
  const client = createLimenClient({ baseUrl: after.address, apiKey: API_KEY });
  for (const token of tokens) expect((await client.ageSessions.result(token)).flowStatus).toBe('COMPLETED');
  for (const { stdout, stderr } of [...servers, after]) expect(`${stdout()}${stderr()}`).not.toMatch(/"level":50/);
});

/** Starts the command, and ends it once standard error has these words. */
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
