// The signing keys of both worlds: made, chosen, published, rotated, removed. What is in the database is asked each time, so that a
// key that was removed signs nothing more in any process.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Clock } from '../platform/base/clock.ts';
import { AppError } from '../platform/base/errors.ts';
import type { World } from '../platform/base/world.ts';
import type { Database } from '../platform/database/database.ts';
import { countEditedRow } from '../platform/sealing/edited-rows.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { CLOCK_GRACE_MS, chooseSigning, PUBLISHED_AHEAD_MS, retiresAt, stateOf, WORLDS } from './rules.ts';
import { createSigningKeyStore, type SigningKeyRow } from './store.ts';
import { tables } from './tables.ts';

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** What a rotation came to: a new key, or the one that waits already. */
export interface Rotation {
  key: SigningKeyRow;
  isNew: boolean;
}

interface SigningKeysOptions {
  database: Database;
  sealer: Sealer;
  clock: Clock;
  /** Hears which keys do not open, and which one signs from now on. */
  log: {
    error(fields: { key: string }, message: string): void;
    info(fields: { world: World; key: string }, message: string): void;
  };
}

/** Far more than there ever are. */
const MAX_OPENED = 1_000;

export function createSigningKeys({ database, sealer, clock, log }: SigningKeysOptions) {
  const store = createSigningKeyStore(database);
  const pairs = createKeyPairs(sealer);
  /** By what they are sealed to. Null: does not open. */
  const opened = new Map<string, { kept: KeptKey; privateKey: KeyObject | undefined } | null>();
  const lastSigned = new Map<World, string>();

  function open(row: SigningKeyRow) {
    const place = tables.signing_keys.places.sealed(row);
    const known = opened.get(place);
    if (known !== undefined) return known;
    if (opened.size >= MAX_OPENED) opened.clear();
    try {
      const kept = pairs.open(row);
      opened.set(place, { kept, privateKey: privateKeyOf(kept) });
    } catch {
      opened.set(place, null);
      countEditedRow('signing_keys');
      log.error({ key: row.id }, 'a signing key was edited in the database and counts as absent');
    }
    return opened.get(place) ?? null;
  }

  /** `after`: the keys of its world. */
  function makeNext(world: World, after: readonly SigningKeyRow[], now: number, waitMs = 0): SigningKeyRow {
    const number = Math.max(0, ...after.map((row) => row.number)) + 1;
    return pairs.make({ world, number, created_at: now, signs_from: now + waitMs });
  }

  async function ensureOne(world: World): Promise<SigningKeyRow[]> {
    const rows = await store.ofWorld(world);
    if (rows.length > 0) return rows;
    // One of several processes that do this at once makes it; the others find it.
    await store.insert(database.queries, makeNext(world, [], clock.now()));
    return store.ofWorld(world);
  }

  function tellOfChange(world: World, kid: string): void {
    const before = lastSigned.get(world);
    lastSigned.set(world, kid);
    if (before !== undefined && before !== kid) log.info({ world, key: kid }, 'another key signs from now on');
  }

  return {
    /** Each world gets its first key. */
    async ensure() {
      for (const world of WORLDS) await ensureOne(world);
    },

    /** The key that signs for a world now. */
    async current(world: World) {
      const row = chooseSigning(await ensureOne(world), clock.now());
      const privateKey = row && open(row)?.privateKey;
      if (!row || !privateKey) {
        throw new AppError(
          'unavailable',
          'Nothing can be signed at the moment; the service’s operator must look at it.',
          {
            internal: 'the signing key does not open; see limen signing-keys list',
          },
        );
      }
      tellOfChange(world, row.id);
      return { kid: row.id, privateKey };
    },

    async published() {
      const rows = await store.all();
      const now = clock.now();
      const keys = rows.flatMap((row) => {
        const kept = stateOf(row, rows, now) === 'expired' ? undefined : open(row)?.kept;
        return kept ? [{ ...publicPartOf(kept), kid: row.id, alg: 'ES256' as const, use: 'sig' as const }] : [];
      });
      return { keys };
    },

    list: store.all,

    /** The next key is published at once and signs after verifiers have had time to see it, or at once. */
    async rotate(world: World, { atOnce }: { atOnce: boolean }) {
      const before = await store.ofWorld(world);
      const now = clock.now();
      const waiting = before.find((row) => stateOf(row, before, now) === 'next');
      if (waiting && !atOnce) return { key: waiting, isNew: false };
      const isFirst = before.length === 0;
      const key = makeNext(world, before, now, atOnce || isFirst ? 0 : PUBLISHED_AHEAD_MS);
      if (await store.insert(database.queries, key)) return { key, isNew: true };
      const overtaking = (await store.ofWorld(world)).find(({ number }) => number === key.number);
      if (!overtaking) throw new Error('the keys changed meanwhile');
      return { key: overtaking, isNew: false };
    },

    /** Nothing it signed can be verified from then on. Undefined where there is none. */
    async remove(id: string) {
      const found = (await store.all()).find((row) => row.id === id);
      if (!found) return undefined;
      return database.transact(async (trx) => {
        const rows = await store.hold(trx, found.world);
        const removed = rows.find((row) => row.id === id);
        if (!removed) return undefined;
        const now = clock.now();
        let replacement: SigningKeyRow | undefined;
        // Otherwise one that signs no more would have to sign again.
        if (stateOf(removed, rows, now) === 'signing') {
          replacement = makeNext(found.world, rows, now);
          if (!(await store.insert(trx, replacement))) throw new Error('the keys changed meanwhile');
        }
        await store.delete(trx, id);
        return { removed, replacement };
      });
    },

    /** Deletes what has expired, and the private parts of what signs no more. */
    async tidy() {
      for (const world of WORLDS) {
        await database.transact(async (trx) => {
          const rows = await store.hold(trx, world);
          const now = clock.now();
          for (const row of rows) {
            if (stateOf(row, rows, now) === 'expired') await store.delete(trx, row.id);
            else if (signsNoMore(row, rows, now) && open(row)?.privateKey)
              await store.setSealed(trx, row.id, pairs.sealWithoutPrivate(row));
          }
        });
      }
      opened.clear();
    },
  };

  function signsNoMore(row: SigningKeyRow, rows: readonly SigningKeyRow[], now: number): boolean {
    const end = retiresAt(row, rows);
    return end !== undefined && end + CLOCK_GRACE_MS <= now;
  }
}

export type SigningKeys = ReturnType<typeof createSigningKeys>;

interface PublicPart {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/** `d` until another key signs. */
type KeptKey = PublicPart & { d?: string };

export function createKeyPairs(sealer: Pick<Sealer, 'sealJson' | 'openJson'>) {
  const pairs = {
    make(facts: Pick<SigningKeyRow, 'world' | 'number' | 'created_at' | 'signs_from'>) {
      const kept = generate();
      const row = { id: nameKey(facts.world, kept), ...facts };
      return { ...row, sealed: sealer.sealJson(kept, places.sealed(row)) };
    },
    /** Throws where the row was edited, or put together from others. */
    open: (row: SigningKeyRow) => sealer.openJson(row.sealed, places.sealed(row)) as KeptKey,
    /** Seals the key again without its private part. */
    sealWithoutPrivate: (row: SigningKeyRow) => sealer.sealJson(publicPartOf(pairs.open(row)), places.sealed(row)),
  };
  return pairs;
}

const { places } = tables.signing_keys;

function publicPartOf({ kty, crv, x, y }: KeptKey): PublicPart {
  return { kty, crv, x, y };
}

function privateKeyOf(kept: KeptKey): KeyObject | undefined {
  return kept.d === undefined ? undefined : createPrivateKey({ key: { ...kept }, format: 'jwk' });
}

function generate(): KeptKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' }) as KeptKey;
}

/** With the world, so that a verifier who found the key by its name knows what it may sign. */
function nameKey(world: World, { kty, crv, x, y }: KeptKey): string {
  // RFC 7638, 3: the required members in the order of their names.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y }));
  return `${world}-${thumbprint.digest('base64url')}`;
}
