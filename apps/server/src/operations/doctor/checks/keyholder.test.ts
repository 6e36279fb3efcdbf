// The doctor's findings on the key-holder: running, unreachable, and in a thread with a folder.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { epochOf } from '#testing/faces/faces.ts';
import { makeFolder, rawBytes } from '#testing/faces/folder.ts';
import { openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { loadConfig } from '../../../config.ts';
import { createAnswerCall } from '../../../faces/keyholder/answer-call.ts';
import { auditFile } from '../../../faces/keyholder/audit/chain.ts';
import { listenForService } from '../../../faces/keyholder/tls-server.ts';
import { systemClock } from '../../../platform/base/clock.ts';
import type { Facts } from './check.ts';
import { checkKeyHolder } from './keyholder.ts';

const secret = 'a-secret-of-at-least-32-characters';
const check = (environment: Record<string, string>) =>
  checkKeyHolder({ config: loadConfig(environment), clock: systemClock, database: { state: 'absent' } });

describe('a separate key-holder', () => {
  it('is found if it answers, and distinguished from one with another secret and from none', async () => {
    const holder = await openLocalKeyHolder();
    onTestFinished(() => holder.close());
    const answer = createAnswerCall(holder, () => {});
    const log = pino({ level: 'silent' });
    const server = await listenForService({ host: '127.0.0.1', port: 0, secrets: [secret], answer, log });
    const KEYHOLDER_URL = `tls://127.0.0.1:${server.port}`;
    expect(await check({ KEYHOLDER_URL, KEYHOLDER_SECRET: secret })).toEqual([
      { level: 'ok', found: `the one at ${KEYHOLDER_URL} answers` },
    ]);
    const [wrong] = await check({ KEYHOLDER_URL, KEYHOLDER_SECRET: `${secret}!` });
    expect(wrong).toMatchObject({ level: 'failure', found: expect.stringContaining('KEYHOLDER_SECRET') });
    await server.close();
    const [gone] = await check({ KEYHOLDER_URL, KEYHOLDER_SECRET: secret });
    expect(gone).toMatchObject({
      level: 'failure',
      found: `no key-holder at ${KEYHOLDER_URL}: nothing answers at KEYHOLDER_URL`,
    });
  });
});

describe('a database of another key-holder', () => {
  it('is distinguished from a database of this key-holder', async () => {
    const DATA_DIR = makeFolder();
    const holder = await openLocalKeyHolder({ folder: join(DATA_DIR, 'keyholder') });
    const own = await holder.identity();
    await holder.close();
    const checkWith = (identity: Uint8Array) => {
      const row = { executeTakeFirst: async () => ({ identity, thread: null }) };
      const queries = { selectFrom: () => ({ select: () => row }) };
      const database = { state: 'answers', database: { queries } } as unknown as Facts['database'];
      return checkKeyHolder({ config: loadConfig({ DATA_DIR }), clock: systemClock, database });
    };
    expect((await checkWith(own)).at(-1)).toMatchObject({
      level: 'ok',
      found: expect.stringContaining('belongs to this'),
    });
    expect((await checkWith(own.toReversed())).at(-1)).toMatchObject({
      level: 'failure',
      remedy: expect.stringContaining('limen keyholder accept'),
    });
  });
});

describe("a thread's folder", () => {
  it('is created later if there is none', async () => {
    const [finding] = await check({ DATA_DIR: makeFolder() });
    expect(finding).toMatchObject({ level: 'ok', found: expect.stringContaining('will be created') });
  });

  it('is inspected without changes, and shows an unfinished renewal and an edited audit log', async () => {
    const DATA_DIR = makeFolder();
    const folder = join(DATA_DIR, 'keyholder');
    const holder = await openLocalKeyHolder({ folder });
    for (const customer of ['acme', 'other']) await epochOf(holder, customer);
    await holder.rotate('acme');
    await holder.close();
    const before = rawBytes(folder);
    expect((await check({ DATA_DIR })).map(({ level, found }) => `${level}: ${found}`)).toEqual([
      'ok: a thread of the server, with keys of 2 customers',
      'warning: a renewal of keys was not finished',
      'ok: audit: 9 lines, each follows from the previous one',
    ]);
    expect(rawBytes(folder)).toEqual(before);
    const whole = readFileSync(auditFile(folder));
    rmSync(auditFile(folder));
    expect((await check({ DATA_DIR })).at(-1)).toMatchObject({
      level: 'failure',
      found: expect.stringContaining('missing'),
    });
    writeFileSync(auditFile(folder), whole);
    writeFileSync(auditFile(folder), readFileSync(auditFile(folder), 'utf8').replace('acme', 'else'));
    expect((await check({ DATA_DIR })).at(-1)).toMatchObject({
      level: 'failure',
      found: 'audit: line 2 does not follow from the line before it',
    });
  });

  it('reports a deleted audit file, but accepts an archived one', async () => {
    const DATA_DIR = makeFolder();
    const folder = join(DATA_DIR, 'keyholder');
    const holder = await openLocalKeyHolder({ folder });
    await epochOf(holder);
    renameSync(auditFile(folder), join(folder, 'audit-2026.jsonl'));
    await epochOf(holder);
    await holder.close();
    expect((await check({ DATA_DIR })).at(-1)).toMatchObject({ level: 'ok' });
    rmSync(join(folder, 'audit-2026.jsonl'));
    expect((await check({ DATA_DIR })).at(-1)).toMatchObject({
      level: 'warning',
      found: 'audit: the file continues one that is not in the folder',
    });
    const lines = readFileSync(auditFile(folder), 'utf8').split('\n');
    writeFileSync(auditFile(folder), lines.slice(1).join('\n'));
    expect((await check({ DATA_DIR })).at(-1)).toMatchObject({
      level: 'failure',
      found: 'audit: line 1 is not the one the file began with',
    });
  });
});
