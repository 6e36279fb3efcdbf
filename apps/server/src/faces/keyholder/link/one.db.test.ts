// A database is bound to one key-holder; others are refused until an operator accepts them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { ask } from '#testing/faces/faces.ts';
import { openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { TEST_MASTER_KEY } from '#testing/processes/people-process.ts';
import { createIds } from '../../../platform/base/ids.ts';
import { createCore } from '../../../platform/core.ts';
import { openStorage } from '../../../platform/storage.ts';
import { openSignIn } from '../../tokens/open-sign-in.ts';
import { acceptKeyHolder, bindToKeyHolder, findKeyHolderRecord } from './one.ts';

const clock = createManualClock();
const ids = createIds(clock);
const log = pino({ level: 'silent' });
let storage: Awaited<ReturnType<typeof openStorage>>;

beforeEach(async () => {
  const place = await createTestDatabase();
  storage = await openStorage({ ...place, masterKey: TEST_MASTER_KEY, clock, ids });
  return async () => {
    await storage.database.close();
    await place.dispose();
  };
});

async function openOne() {
  const holder = await openLocalKeyHolder();
  onTestFinished(() => holder.close());
  const { close: _, ...calls } = holder;
  const reach = (thread?: string) =>
    bindToKeyHolder(() => ({ ...calls, close: async () => {} }), { database: storage.database, thread, clock, log });
  return { holder, reach };
}

const challenge = { ...ask('identify') };
const belongsToAnother = {
  name: 'KeyHolderUnavailableError',
  message: expect.stringContaining('limen keyholder accept'),
};

describe('a key-holder', () => {
  it('is bound at its first connection, and others are refused everywhere', async () => {
    const [first, second] = [await openOne(), await openOne()];
    await first.reach().openChallenge(challenge);
    expect(Buffer.from((await findKeyHolderRecord(storage.database))!.identity)).toEqual(
      Buffer.from(await first.holder.identity()),
    );
    const other = second.reach();
    await expect(other.openChallenge(challenge)).rejects.toMatchObject(belongsToAnother);
    expect(other.state()).toContain('This database belongs to the key-holder');
    expect(await other.examine()).toContain('KEYHOLDER_URL');
    expect(await first.reach().examine()).toBeUndefined();
  });

  it('replaces the first, which is then refused, if accepted after a loss', async () => {
    const [first, second] = [await openOne(), await openOne()];
    const before = first.reach();
    await before.openChallenge(challenge);
    await acceptKeyHolder(storage.database, await second.holder.identity(), clock);
    await expect(second.reach().openChallenge(challenge)).resolves.toBeDefined();
    await expect(before.openChallenge(challenge)).rejects.toMatchObject(belongsToAnother);
  });

  it('is bound once in a race', async () => {
    const both = [(await openOne()).reach(), (await openOne()).reach()];
    const opened = await Promise.allSettled(both.map((holder) => holder.openChallenge(challenge)));
    expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('serves any number of processes', async () => {
    const { reach } = await openOne();
    for (const process of [reach(), reach(), reach()]) {
      await expect(process.openChallenge(challenge)).resolves.toBeDefined();
    }
  });

  it('that is foreign does not stop the service from starting; it is reported until accepted', async () => {
    const start = async (dataDir: string) => {
      const core = createCore({ ...storage, clock, ids, log, allowDevelopmentKeys: true });
      const signIn = await openSignIn(core, {
        urls: undefined,
        secrets: undefined,
        dataDir,
        modelManifest: undefined,
        warm: true,
        threadEntry: new URL('../keyholder-thread.ts', import.meta.url),
        memoryMb: 16,
        maxPeople: 10,
        matchThreshold: undefined,
      });
      onTestFinished(() => signIn.close());
      return signIn.keyHolder;
    };
    const folders = ['a', 'b'].map((name) => mkdtempSync(join(tmpdir(), `limen-start-${name}-`)));
    onTestFinished(() => {
      for (const folder of folders) rmSync(folder, { recursive: true });
    });
    const own = await start(folders[0]!);
    expect([await own.report(), own.isRefused()]).toEqual(['ready', false]);
    const other = await start(folders[1]!);
    expect([await other.report(), other.isRefused()]).toEqual([
      expect.stringContaining('limen keyholder accept'),
      true,
    ]);
    await expect(other.openChallenge(challenge)).rejects.toMatchObject(belongsToAnother);
    await acceptKeyHolder(storage.database, await other.identity(), clock);
    expect([await other.report(), other.isRefused()]).toEqual(['ready', false]);
  });
});

describe('threads of two processes', () => {
  const another = { message: expect.stringContaining('Another process on this database') };

  it('do not both count refusals: the earlier one learns that it was replaced', async () => {
    const { reach } = await openOne();
    const [first, second] = [reach('one'), reach('two')];
    await first.openChallenge(challenge);
    await first.openChallenge(challenge);
    await second.openChallenge(challenge);
    await expect(first.openChallenge(challenge)).rejects.toMatchObject(another);
    expect(first.state()).toContain('KEYHOLDER_URL');
    // Repeated checks return the same.
    expect(await first.examine()).toContain('Another process on this database');
    expect(first.state()).toContain('KEYHOLDER_URL');
    await expect(second.openChallenge(challenge)).resolves.toBeDefined();
  });

  it('replace a thread that ended, cleanly or not', async () => {
    const { reach } = await openOne();
    const [first, second, third] = [reach('one'), reach('two'), reach('three')];
    await first.openChallenge(challenge);
    await second.openChallenge(challenge); // the first was killed
    await second.close();
    expect((await findKeyHolderRecord(storage.database))!.thread).toBeNull();
    expect(await first.examine()).toBeUndefined();
    await expect(third.openChallenge(challenge)).resolves.toBeDefined();
  });
});
