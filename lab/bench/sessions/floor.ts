// Lower bound of a completed session, each part measured alone in the same run: requests of a bare
// server, a posted webhook, database work, signatures, keys and sealing.
import { createHmac, createSecretKey, randomBytes, sign } from 'node:crypto';
import { Agent, request as send } from 'node:http';
import { generateKeys, importPrivateKey, openHpke, readPoint, verifySignature } from '@limen/p256';
import { createXaes } from '../../../apps/server/src/platform/sealing/xaes-256-gcm.ts';
import { cpuSecondsOf } from '../shared/cpu.ts';
import { readCpuMs } from '../shared/figures.ts';
import type { Stage } from '../shared/stage.ts';

/** One session as in this benchmark: created, claimed, answered, read. */
const REQUESTS = 4;
const SIGNED = 2;
const SEALED = 7;
const OPENED = 8;
const DIGESTS = 6;
const SEALED_BYTES = 760;
const TIMES = 2_000;
const POSTS = 8_000;
const AT_ONCE = 16;

export interface FloorPart {
  name: string;
  ms: number;
}

/** `databaseMs`: bare database work, measured separately. */
export async function measureFloor(stage: Stage, databaseMs: number): Promise<FloorPart[]> {
  const { perRequest, perPost } = await measureHttp(stage);
  return [
    { name: `${REQUESTS} requests of a bare server`, ms: REQUESTS * perRequest },
    { name: 'a webhook, posted by a bare client', ms: perPost },
    { name: 'the database work, with 4 commits', ms: databaseMs },
    { name: `${SIGNED} signatures, a key read, a pair made, an answer opened`, ms: await measureKeys() },
    { name: `${SEALED} values sealed, ${OPENED} opened, ${DIGESTS} digests`, ms: await measureSealing() },
  ];
}

async function measureHttp(stage: Stage): Promise<{ perRequest: number; perPost: number }> {
  const server = await stage.startServer('sessions/webhook-receiver.ts');
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const body = JSON.stringify({ value: 'x'.repeat(SEALED_BYTES) });
  const headers = { 'content-type': 'application/json' };
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const request = send(server.url, { method: 'POST', headers, agent }, (reply) =>
        reply.resume().on('end', resolve),
      );
      request.on('error', reject).end(body);
    });
  const postAll = async (count: number) => {
    const line = async () => {
      for (let nth = 0; nth < count / AT_ONCE; nth += 1) await post();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, line));
  };
  await postAll(POSTS / 4);
  const before = { here: readCpuMs(), there: cpuSecondsOf(server.pid) ?? Number.NaN };
  await postAll(POSTS);
  const there = (cpuSecondsOf(server.pid) ?? Number.NaN) - before.there;
  const here = readCpuMs() - before.here;
  agent.destroy();
  return { perRequest: (1000 * there) / POSTS, perPost: here / POSTS };
}

function measureKeys(): Promise<number> {
  const device = generateKeys();
  const text = randomBytes(160);
  const signature = sign('sha256', text, { key: importPrivateKey(device), dsaEncoding: 'ieee-p1363' });
  const enc = generateKeys().point;
  const sealed = randomBytes(1_000);
  return measure(async () => {
    const key = readPoint(device.point)!;
    for (let nth = 0; nth < SIGNED; nth += 1) await verifySignature(key, text, signature);
    const pair = generateKeys();
    const context = { aead: 'aes-256-gcm', info: text, associatedData: text, enc, publicPoint: pair.point } as const;
    openHpke({ ...context, privateKey: importPrivateKey(pair) }, sealed);
  });
}

function measureSealing(): Promise<number> {
  const xaes = createXaes(randomBytes(32));
  const key = createSecretKey(randomBytes(32));
  const value = randomBytes(SEALED_BYTES);
  const place = randomBytes(60);
  const sealed = xaes.seal(value, place);
  return measure(() => {
    for (let nth = 0; nth < SEALED; nth += 1) xaes.seal(value, place);
    for (let nth = 0; nth < OPENED; nth += 1) xaes.open(sealed, place);
    for (let nth = 0; nth < DIGESTS; nth += 1) createHmac('sha256', key).update(place).digest();
  });
}

/** Milliseconds of CPU time. */
async function measure(work: () => void | Promise<void>): Promise<number> {
  for (let nth = 0; nth < TIMES / 4; nth += 1) await work();
  const before = readCpuMs();
  for (let nth = 0; nth < TIMES; nth += 1) await work();
  return (readCpuMs() - before) / TIMES;
}
