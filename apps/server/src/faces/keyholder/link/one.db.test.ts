// One database, one key-holder: another one is refused with a sentence, until somebody says that it is to be the one.
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
import { acceptKeyHolder, findKeyHolderRecord, holdToOne } from './one.ts';

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
    holdToOne(() => ({ ...calls, close: async () => {} }), { database: storage.database, thread, clock, log });
  return { holder, reach };
}

const challenge = { ...ask('identify') };
const belongsToAnother = {
  name: 'KeyHolderUnavailableError',
  message: expect.stringContaining('limen keyholder accept'),
};

describe('a key-holder', () => {
  it('that comes first is recorded, and another one is refused wherever it is asked', async () => {
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

  it('that is accepted after a loss takes the place of the first, which is refused then', async () => {
    const [first, second] = [await openOne(), await openOne()];
    const before = first.reach();
    await before.openChallenge(challenge);
    await acceptKeyHolder(storage.database, await second.holder.identity(), clock);
    await expect(second.reach().openChallenge(challenge)).resolves.toBeDefined();
    await expect(before.openChallenge(challenge)).rejects.toMatchObject(belongsToAnother);
  });

  it('is one also when two come at the same moment', async () => {
    const both = [(await openOne()).reach(), (await openOne()).reach()];
    const opened = await Promise.allSettled(both.map((holder) => holder.openChallenge(challenge)));
    expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('of its own serves as many processes as there are', async () => {
    const { reach } = await openOne();
    for (const process of [reach(), reach(), reach()]) {
      await expect(process.openChallenge(challenge)).resolves.toBeDefined();
    }
  });

  it('lets a start with another one go on, which reports it until it is accepted', async () => {
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

  it('do not both count refused attempts: the one before hears that another has come', async () => {
    const { reach } = await openOne();
    const [first, second] = [reach('one'), reach('two')];
    await first.openChallenge(challenge);
    await first.openChallenge(challenge);
    await second.openChallenge(challenge);
    await expect(first.openChallenge(challenge)).rejects.toMatchObject(another);
    expect(first.state()).toContain('KEYHOLDER_URL');
    // Who looks at it sees the same, for as long as it is so.
    expect(await first.examine()).toContain('Another process on this database');
    expect(first.state()).toContain('KEYHOLDER_URL');
    await expect(second.openChallenge(challenge)).resolves.toBeDefined();
  });

  it('take over from one that ended, cleanly or not', async () => {
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
