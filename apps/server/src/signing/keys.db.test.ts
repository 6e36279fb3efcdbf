// Signing keys on a real database: several processes, rotation under load, removal, edited rows.
import type { PublicKeySet } from '@limen/contract';
import { CompactSign, compactVerify, createLocalJWKSet, decodeProtectedHeader } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { createIds } from '../platform/base/ids.ts';
import { openStorage } from '../platform/storage.ts';
import { openPair, SigningKeys } from './keys.ts';
import { CLOCK_GRACE_MS, LASTING_LIFETIME_MS, PUBLISHED_AHEAD_MS } from './limits.ts';

async function openProcesses(count: number) {
  const used = await createTestDatabase();
  const clock = createManualClock();
  const told: string[] = [];
  const log = {
    error: ({ key }: { key: string }, message: string) => void told.push(`${message}: ${key}`),
    info: ({ key }: { key: string }, message: string) => void told.push(`${message}: ${key}`),
  };
  const opened = await Promise.all(
    Array.from({ length: count }, () =>
      openStorage({ url: used.url, dataDir: used.dataDir, masterKey: undefined, clock, ids: createIds(clock) }),
    ),
  );
  onTestFinished(async () => {
    for (const { database } of opened) await database.close();
    await used.dispose();
  });
  const keys = opened.map(({ database, sealer }) => new SigningKeys({ database, sealer, clock, log }));
  const [{ database, sealer }] = opened as [(typeof opened)[number]];
  /** Returns the live keys that still have their private part. */
  const withSecret = async () => {
    const rows = (await keys[0]!.list()).filter(({ world }) => world === 'live');
    return rows.filter((row) => openPair(sealer, row).d !== undefined).map(({ id }) => id);
  };
  return { keys, first: keys[0]!, clock, told, database, withSecret };
}

async function sign(keys: SigningKeys): Promise<string> {
  const { kid, privateKey } = await keys.current('live');
  const header = { alg: 'ES256', kid };
  return new CompactSign(new TextEncoder().encode('{}')).setProtectedHeader(header).sign(privateKey);
}

async function verifies(jwt: string, keys: SigningKeys): Promise<boolean> {
  return verifiesWith(jwt, await keys.published());
}

function verifiesWith(jwt: string, set: PublicKeySet): Promise<boolean> {
  return compactVerify(jwt, createLocalJWKSet(set)).then(
    () => true,
    () => false,
  );
}

const names = async (keys: SigningKeys) => (await keys.published()).keys.map(({ kid }) => kid);

describe('first keys', () => {
  it('are created once for each world, however many processes start at once', async () => {
    const { keys } = await openProcesses(4);
    await Promise.all(keys.map((store) => store.ensure()));
    const rows = await keys[0]!.list();
    expect(rows.map(({ world, number }) => [world, number])).toEqual([
      ['live', 1],
      ['test', 1],
    ]);
    const chosen = await Promise.all(keys.map((store) => store.current('live')));
    expect(new Set(chosen.map(({ kid }) => kid))).toEqual(new Set([rows[0]!.id]));
  });

  it('are published without a private part, and sealed in the database', async () => {
    const { first, database } = await openProcesses(1);
    await first.ensure();
    const { keys } = await first.published();
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    }
    const rows = await database.queries.selectFrom('signing_keys').selectAll().execute();
    for (const { sealed } of rows) expect(Buffer.from(sealed).toString('latin1')).not.toContain('"d"');
  });
});

describe('a rotation', () => {
  it('publishes before it signs; the old key stays until its signatures have expired, and loses its secret', async () => {
    const { first, clock, told, withSecret } = await openProcesses(1);
    await first.ensure();
    const before = await sign(first);
    const { kid } = await first.current('live');
    const { key, isNew } = await first.rotate('live', { atOnce: false });
    expect(isNew).toBe(true);
    expect(await names(first)).toContain(key.id);
    expect((await first.current('live')).kid).not.toBe(key.id);
    expect(await first.rotate('live', { atOnce: false })).toMatchObject({ key: { id: key.id }, isNew: false });

    clock.advance(PUBLISHED_AHEAD_MS);
    expect((await first.current('live')).kid).toBe(key.id);
    expect(told).toEqual([`another key signs from now on: ${key.id}`]);
    await first.tidy();
    expect(await sign(first)).toBeTruthy();

    clock.advance(CLOCK_GRACE_MS - 1);
    await first.tidy();
    expect(await withSecret()).toEqual([kid, key.id]);
    clock.advance(1);
    await first.tidy();
    await first.tidy();
    expect(await withSecret()).toEqual([key.id]);
    expect(await verifies(before, first)).toBe(true);
    await first.remove(key.id); // The old key has no secret anymore, so only a new one can follow.
    expect((await first.current('live')).kid).not.toBe(key.id);

    clock.advance(LASTING_LIFETIME_MS);
    expect(await verifies(before, first)).toBe(true);
    clock.advance(2 * CLOCK_GRACE_MS);
    expect(await verifies(before, first)).toBe(false);
    await first.tidy();
    expect((await first.list()).filter(({ world }) => world === 'live')).toHaveLength(1);
  });

  it('creates one key if several processes rotate at once', async () => {
    const { keys } = await openProcesses(3);
    await keys[0]!.ensure();
    const made = await Promise.all(keys.map((store) => store.rotate('live', { atOnce: false })));
    expect(new Set(made.map(({ key }) => key.id)).size).toBe(1);
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  it('leaves nothing unverifiable under load, even with the key set from before the new key signed', async () => {
    const { keys, first, clock } = await openProcesses(2);
    await first.ensure();
    let seen = await first.published();
    const signed: { jwt: string; seen: PublicKeySet }[] = [];
    await Promise.all(
      keys.map(async (one) => {
        for (let round = 0; round < 20; round += 1) {
          const jwt = await sign(one);
          // Fetched at or after signing: the other process can complete a rotation while this one
          // starts to sign.
          signed.push({ jwt, seen });
          if (one !== first) continue;
          if (round % 5 === 2) await one.rotate('live', { atOnce: false });
          if (round % 5 === 3) seen = await one.published();
          if (round % 5 === 4) clock.advance(PUBLISHED_AHEAD_MS);
        }
      }),
    );
    expect(new Set(signed.map(({ jwt }) => decodeProtectedHeader(jwt).kid)).size).toBeGreaterThan(2);
    for (const { jwt, seen: set } of signed) {
      expect(await verifiesWith(jwt, set)).toBe(true);
      expect(await verifies(jwt, first)).toBe(true);
    }
  });

  it('does not affect the other world', async () => {
    const { first } = await openProcesses(1);
    await first.ensure();
    const { kid } = await first.current('live');
    await first.rotate('test', { atOnce: true });
    expect((await first.current('live')).kid).toBe(kid);
    expect((await first.current('test')).kid).toMatch(/^test-/);
  });
});

describe('a removed key', () => {
  it('makes its signatures unverifiable; another signs at once, but none that was retired', async () => {
    const { keys, first } = await openProcesses(2);
    await first.ensure();
    const oldest = await first.current('live');
    const { key } = await first.rotate('live', { atOnce: true });
    const signed = await sign(keys[1]!);
    expect(await verifies(signed, first)).toBe(true);
    const { replacement } = (await first.remove(key.id))!;
    expect(await verifies(signed, keys[1]!)).toBe(false);
    const next = await keys[1]!.current('live');
    expect(next.kid).toBe(replacement!.id);
    expect([oldest.kid, key.id]).not.toContain(next.kid);
  });

  it('may be waiting or retired; then the active key continues to sign', async () => {
    const { first } = await openProcesses(1);
    await first.ensure();
    const { kid } = await first.current('live');
    const { key } = await first.rotate('live', { atOnce: false });
    expect(await first.remove(key.id)).toMatchObject({ replacement: undefined });
    expect((await first.current('live')).kid).toBe(kid);
    expect(await first.remove(key.id)).toBeUndefined();
  });
});

it.skipIf(SKIPS_ENGINE_BLIND).each([
  ['signs_from', { signs_from: 1 }],
  ['created_at', { created_at: 1 }],
  ['number', { number: 7 }],
  ['world', { world: 'test' as const, number: 2 }],
])('neither publishes nor uses a key whose %s was edited', async (_, edit) => {
  const { first, database, told } = await openProcesses(1);
  await first.ensure();
  const { kid } = await first.current('live');
  await database.queries.updateTable('signing_keys').set(edit).where('id', '=', kid).execute();
  expect(await names(first)).not.toContain(kid);
  if (!('world' in edit)) await expect(first.current('live')).rejects.toMatchObject({ code: 'unavailable' });
  else expect((await first.current('live')).kid).not.toBe(kid);
  expect(told).toContain(`a signing key was edited in the database and counts as absent: ${kid}`);
  const { key } = await first.rotate('live', { atOnce: true });
  expect((await first.current('live')).kid).toBe(key.id);
});
