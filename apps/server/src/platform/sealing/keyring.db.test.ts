// Master key and data keys on a real database: first start, wrong key, missing key, rotation.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, SKIPS_ENGINE_BLIND, type TestDatabase } from '#testing/database/test-database.ts';
import { systemClock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { checkMasterKey, openKeyring, rotateMasterKey } from './keyring.ts';
import { masterKeyFile } from './master-key.ts';
import type { Sealer } from './sealer.ts';

const KEY_A = Buffer.alloc(32, 0xa);
const KEY_B = Buffer.alloc(32, 0xb);

interface Place {
  database: Database;
  place: TestDatabase;
  open(masterKey?: Buffer): Promise<Sealer>;
  options(masterKey?: Buffer): Parameters<typeof openKeyring>[0];
}

async function prepare(): Promise<Place> {
  const place = await createTestDatabase({ empty: true });
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const options = (masterKey?: Buffer) => ({
    database,
    dataDir: place.dataDir,
    masterKey,
    clock: systemClock,
    ids: createIds(systemClock),
  });
  const open = async (masterKey?: Buffer) => {
    await checkMasterKey(options(masterKey));
    await migrate(database, systemClock);
    return (await openKeyring(options(masterKey))).sealer;
  };
  return { database, place, open, options };
}

const fingerprint = async (database: Database) => {
  const rows = await database.queries.selectFrom('data_keys').selectAll().orderBy('id').execute();
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
};

describe('the first start', () => {
  it('creates a key file that only its owner can read, and opens it again', async () => {
    const { open, place } = await prepare();
    const sealed = (await open()).seal(Buffer.from('secret'), 'here');
    const file = join(place.dataDir, 'master.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await open()).open(sealed, 'here').toString()).toBe('secret');
  });

  it('agrees on one key when many processes start at once', async () => {
    const { open } = await prepare();
    await open();
    const sealers = await Promise.all(Array.from({ length: 8 }, () => open()));
    const sealed = sealers[0]!.seal(Buffer.from('x'), 'p');
    for (const sealer of sealers) expect(sealer.open(sealed, 'p').toString()).toBe('x');
  });

  it('writes no key file if the key comes from the environment', async () => {
    const { open, place } = await prepare();
    await open(KEY_A);
    expect(existsSync(join(place.dataDir, 'master.key'))).toBe(false);
  });

  it('restricts the mode of a key file that others can read', async () => {
    const { open, place } = await prepare();
    await open();
    const file = join(place.dataDir, 'master.key');
    chmodSync(file, 0o644);
    await open();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('a start with the wrong key', () => {
  it('names both keys, leaks neither, and changes nothing', async () => {
    const { open, database } = await prepare();
    await open(KEY_A);
    const before = await fingerprint(database);
    const failure = await open(KEY_B).catch((error: Error) => error);
    expect(failure).toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^The master key does not belong to this database.*Nothing was changed\.$/),
    });
    for (const key of [KEY_A, KEY_B]) {
      expect((failure as Error).message).not.toContain(key.toString('base64'));
      expect((failure as Error).message).not.toContain(key.toString('hex'));
    }
    expect(await fingerprint(database)).toBe(before);
  });

  it('does not replace a missing key file', async () => {
    const { open, place } = await prepare();
    await open();
    rmSync(join(place.dataDir, 'master.key'));
    await expect(open()).rejects.toThrow('its master key is missing: set MASTER_KEY or restore the file');
    expect(existsSync(join(place.dataDir, 'master.key'))).toBe(false);
  });

  it('refuses a damaged key file and leaves it unchanged', async () => {
    const { open, place } = await prepare();
    await open();
    const file = join(place.dataDir, 'master.key');
    writeFileSync(file, 'damaged');
    await expect(open()).rejects.toThrow('does not hold 32 bytes in base64');
    expect(readFileSync(file, 'utf8')).toBe('damaged');
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('sealed values', () => {
  it('open only in their own place', async () => {
    const sealer = await (await prepare()).open(KEY_A);
    const sealed = sealer.seal(Buffer.from('v'), 'api_keys/sealed_key/1');
    expect(() => sealer.open(sealed, 'api_keys/sealed_key/2')).toThrow();
    expect(() => sealer.open(Buffer.alloc(80), 'p')).toThrow('not a sealed value');
  });

  it('differ each time, while digests stay equal and differ by purpose', async () => {
    const sealer = await (await prepare()).open(KEY_A);
    expect(sealer.seal(Buffer.from('v'), 'p')).not.toEqual(sealer.seal(Buffer.from('v'), 'p'));
    expect(sealer.digest('a', 'v')).toEqual(sealer.digest('a', 'v'));
    expect(sealer.digest('a', 'v')).not.toEqual(sealer.digest('b', 'v'));
  });
});

describe('rotation', () => {
  it('moves to a new master key from the environment, and keeps old values and digests valid', async () => {
    const { open, options } = await prepare();
    const before = await open(KEY_A);
    const sealed = before.seal(Buffer.from('v'), 'p');
    await rotateMasterKey(options(KEY_A), KEY_B);
    await expect(open(KEY_A)).rejects.toThrow('does not belong to this database');
    const after = await open(KEY_B);
    expect(after.open(sealed, 'p').toString()).toBe('v');
    expect(after.digest('a', 'v')).toEqual(before.digest('a', 'v'));
  });

  it('replaces the key file by itself', async () => {
    const { open, options, place } = await prepare();
    const sealed = (await open()).seal(Buffer.from('v'), 'p');
    const file = masterKeyFile(place.dataDir);
    const old = file.read();
    await rotateMasterKey(options(), undefined);
    expect(file.read()).not.toEqual(old);
    expect(file.readNext()).toBeUndefined();
    expect((await open()).open(sealed, 'p').toString()).toBe('v');
  });

  it.each(['before', 'after'] as const)('survives an interruption %s the database changed', async (moment) => {
    const { open, options, place } = await prepare();
    const sealed = (await open()).seal(Buffer.from('v'), 'p');
    const file = masterKeyFile(place.dataDir);
    const old = readFileSync(file.path);
    if (moment === 'after') {
      await rotateMasterKey(options(), undefined);
      const next = file.read()!;
      writeFileSync(file.path, old); // Undoes the last step.
      file.stageNext(next);
    } else {
      file.stageNext(KEY_B);
    }
    expect((await open()).open(sealed, 'p').toString()).toBe('v');
    expect((await open()).open(sealed, 'p').toString()).toBe('v');
  });
});
