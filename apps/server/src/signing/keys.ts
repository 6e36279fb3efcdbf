// Creates, chooses, publishes, rotates and removes the signing keys of both worlds. Keys are read from the database each time, so that a
// removed key signs nothing more in any process.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { AppError } from '../platform/base/errors.ts';
import type { World } from '../platform/base/world.ts';
import type { Core } from '../platform/core.ts';
import type { Database, Queries, Transaction } from '../platform/database/database.ts';
import { holdRows } from '../platform/database/hold-rows.ts';
import type { Schema } from '../platform/database/schema.ts';
import { countEditedRow } from '../platform/sealing/edited-rows.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { CLOCK_GRACE_MS, PUBLISHED_AHEAD_MS } from './limits.ts';
import { chooseSigning, findKeyState, retiresAt, WORLDS } from './rules.ts';
import { tables } from './tables.ts';

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

export type SigningKeyRow = Schema['signing_keys'];

export interface Rotation {
  key: SigningKeyRow;
  isNew: boolean;
}

interface SigningKeyLog {
  error(fields: { key: string }, message: string): void;
  info(fields: { world: World; key: string }, message: string): void;
}

const MAX_OPENED = 1_000;

export class SigningKeys {
  readonly #core;
  readonly #store;
  /** Opened keys by their place. Null for a key that does not open. */
  /** Opened rows, so that none is opened for every signature */
  readonly #opened = new Map<string, OpenedKey | null>();
  readonly #lastSigned = new Map<World, string>();

  constructor(core: Pick<Core, 'database' | 'sealer' | 'clock'> & { log: SigningKeyLog }) {
    this.#core = core;
    this.#store = createSigningKeyStore(core.database);
  }

  async ensure(): Promise<void> {
    for (const world of WORLDS) await this.#ensureOne(world);
  }

  async current(world: World): Promise<SigningKey> {
    const row = chooseSigning(await this.#ensureOne(world), this.#core.clock.now());
    const privateKey = row && this.#open(row)?.privateKey;
    if (!row || !privateKey) {
      throw new AppError(
        'unavailable',
        'Nothing can be signed at the moment; the service’s operator must look at it.',
        { internal: 'the signing key does not open; see limen signing-keys list' },
      );
    }
    const before = this.#lastSigned.get(world) ?? row.id;
    this.#lastSigned.set(world, row.id);
    if (before !== row.id) this.#core.log.info({ world, key: row.id }, 'another key signs from now on');
    return { kid: row.id, privateKey };
  }

  async published() {
    const rows = await this.#store.all();
    const now = this.#core.clock.now();
    const keys = rows.flatMap((row) => {
      const kept = findKeyState(row, rows, now) === 'expired' ? undefined : this.#open(row)?.kept;
      return kept ? [{ ...selectPublicPart(kept), kid: row.id, alg: 'ES256' as const, use: 'sig' as const }] : [];
    });
    return { keys };
  }

  list(): Promise<SigningKeyRow[]> {
    return this.#store.all();
  }

  /** Publishes the next key. It signs after verifiers have had time to read it, or at once. */
  async rotate(world: World, { atOnce }: { atOnce: boolean }): Promise<Rotation> {
    const before = await this.#store.ofWorld(world);
    const now = this.#core.clock.now();
    const waiting = before.find((row) => findKeyState(row, before, now) === 'next');
    if (waiting && !atOnce) return { key: waiting, isNew: false };
    const key = this.#makeNext(world, before, now, atOnce || before.length === 0 ? 0 : PUBLISHED_AHEAD_MS);
    if (await this.#store.insert(this.#core.database.queries, key)) return { key, isNew: true };
    const overtaking = (await this.#store.ofWorld(world)).find(({ number }) => number === key.number);
    if (!overtaking) throw new Error('the keys changed during the call');
    return { key: overtaking, isNew: false };
  }

  /**
   * Removes a key, so that its signatures can no longer be verified. Returns undefined if there is
   * none.
   */
  async remove(id: string): Promise<{ removed: SigningKeyRow; replacement: SigningKeyRow | undefined } | undefined> {
    const world = (await this.#store.all()).find((row) => row.id === id)?.world;
    if (!world) return undefined;
    return this.#core.database.transact(async (trx) => {
      const rows = await this.#store.hold(trx, world);
      const removed = rows.find((row) => row.id === id);
      if (!removed) return undefined;
      const now = this.#core.clock.now();
      let replacement: SigningKeyRow | undefined;
      // Without a new key, a retired one would have to sign again.
      if (findKeyState(removed, rows, now) === 'signing') {
        replacement = this.#makeNext(world, rows, now);
        if (!(await this.#store.insert(trx, replacement))) throw new Error('the keys changed during the call');
      }
      await this.#store.delete(trx, id);
      return { removed, replacement };
    });
  }

  /** Deletes expired keys, and the private parts of retired keys. */
  async tidy(): Promise<void> {
    for (const world of WORLDS) {
      await this.#core.database.transact(async (trx) => {
        const rows = await this.#store.hold(trx, world);
        const now = this.#core.clock.now();
        for (const row of rows) {
          if (findKeyState(row, rows, now) === 'expired') await this.#store.delete(trx, row.id);
          else if ((retiresAt(row, rows) ?? Infinity) + CLOCK_GRACE_MS <= now) await this.#dropPrivatePart(trx, row);
        }
      });
    }
    this.#opened.clear();
  }

  async #dropPrivatePart(trx: Transaction, row: SigningKeyRow): Promise<void> {
    const kept = this.#open(row)?.kept;
    if (kept?.d === undefined) return;
    await this.#store.setSealed(trx, row.id, this.#core.sealer.sealJson(selectPublicPart(kept), places.sealed(row)));
  }

  #open(row: SigningKeyRow) {
    const place = places.sealed(row);
    const known = this.#opened.get(place);
    if (known !== undefined) return known;
    let opened: OpenedKey | null = null;
    try {
      const kept = openPair(this.#core.sealer, row);
      opened = { kept, privateKey: kept.d ? createPrivateKey({ key: { ...kept }, format: 'jwk' }) : undefined };
    } catch {
      countEditedRow('signing_keys');
      this.#core.log.error({ key: row.id }, 'a signing key was edited in the database and counts as absent');
    }
    if (this.#opened.size >= MAX_OPENED) this.#opened.clear();
    this.#opened.set(place, opened);
    return opened;
  }

  /** `after`: keys of the same world. */
  #makeNext(world: World, after: readonly SigningKeyRow[], now: number, waitMs = 0): SigningKeyRow {
    const number = Math.max(0, ...after.map((row) => row.number)) + 1;
    const kept = generate();
    const row = { id: nameKey(world, kept), world, number, created_at: now, signs_from: now + waitMs };
    return { ...row, sealed: this.#core.sealer.sealJson(kept, places.sealed(row)) };
  }

  async #ensureOne(world: World): Promise<SigningKeyRow[]> {
    const rows = await this.#store.ofWorld(world);
    if (rows.length > 0) return rows;
    // Only one of several processes inserts the key; the rest find it.
    await this.#store.insert(this.#core.database.queries, this.#makeNext(world, [], this.#core.clock.now()));
    return this.#store.ofWorld(world);
  }
}

/** JWK with the private part `d` until the key retires. */
type StoredJwk = Record<'x' | 'y', string> & { kty: 'EC'; crv: 'P-256'; d?: string };

interface OpenedKey {
  kept: StoredJwk;
  privateKey: KeyObject | undefined;
}

/** Throws if the row was edited or assembled from others. */
export function openPair(sealer: Pick<Sealer, 'openJson'>, row: SigningKeyRow): StoredJwk {
  return sealer.openJson(row.sealed, places.sealed(row)) as StoredJwk;
}

const { places } = tables.signing_keys;

function selectPublicPart({ kty, crv, x, y }: StoredJwk): StoredJwk {
  return { kty, crv, x, y };
}

function generate(): StoredJwk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' }) as StoredJwk;
}

/** The name contains the world, so that verifiers know what the key may sign. */
function nameKey(world: World, { kty, crv, x, y }: StoredJwk): string {
  // RFC 7638, 3: the required members in the order of their names.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y }));
  return `${world}-${thumbprint.digest('base64url')}`;
}

function createSigningKeyStore({ queries, engine, prepare }: Database) {
  const selectOfWorld = (db: Queries, world: World) =>
    db.selectFrom('signing_keys').selectAll().where('world', '=', world).orderBy('number');
  return {
    ofWorld: prepare((world: World) => selectOfWorld(queries, world)),
    all: () => listSigningKeys(queries),
    /** Returns the keys of one world, locked until the transaction ends. */
    hold: (trx: Transaction, world: World) => holdRows(engine, selectOfWorld(trx, world)).execute(),
    /** Returns false if its world already has a key of this number. */
    async insert(db: Queries, row: SigningKeyRow) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('signing_keys')
        .values(row)
        .onConflict((conflict) => conflict.columns(['world', 'number']).doNothing())
        .executeTakeFirstOrThrow();
      return Number(numInsertedOrUpdatedRows) === 1;
    },
    async setSealed(trx: Transaction, id: string, sealed: Uint8Array) {
      await trx.updateTable('signing_keys').set({ sealed }).where('id', '=', id).execute();
    },
    async delete(trx: Transaction, id: string) {
      await trx.deleteFrom('signing_keys').where('id', '=', id).execute();
    },
  };
}

export function listSigningKeys(queries: Queries): Promise<SigningKeyRow[]> {
  return queries.selectFrom('signing_keys').selectAll().orderBy('world').orderBy('number').execute();
}
