// The token cache follows the database, respects its limits, and never changes an open view.

import { randomBytes } from 'node:crypto';
import { PATIENCE } from '@limen/testing/patience.ts';
import { type Evaluator, type TokenArena, TokenMemoryFull } from '@limen/token/evaluator';
import { rememberEpochs } from '@limen/token/shared';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTestStorage } from '#testing/database/open-test-storage.ts';
import { liveOwner } from '#testing/owners.ts';
import { ownerColumns } from '../../../platform/api-keys/owner.ts';
import type { PersonId, Puid } from '../../../platform/base/ids.ts';
import { deletePerson } from '../../galleries/delete-person.ts';
import { createPeopleStore } from '../../galleries/store/people.ts';
import { createPeopleSeals } from '../../galleries/store/row-seals.ts';
import { createBlockStore } from '../blocks/store.ts';
import { createTokenSeal } from '../seal.ts';
import { createTokenStore, type TokenStore } from '../store.ts';
import { TokenMemory, UNPACKED_BYTES } from './memory.ts';

const MODEL = { modelVersion: 'LIMEN_TEST', dimensions: 512 };
const BODY_BYTES = 13_312;

interface FakeArena extends TokenArena {
  slots: Map<number, Uint8Array>;
  isClosed: boolean;
}

/** Arenas that keep bodies unchanged, with `most` slots in total. */
function fakeEvaluator(most = 1_000) {
  const arenas: FakeArena[] = [];
  let next = 0;
  const evaluator: Pick<Evaluator, 'createArena'> = {
    createArena() {
      const slots = new Map<number, Uint8Array>();
      const arena: FakeArena = {
        slots,
        isClosed: false,
        add(body) {
          if (arena.isClosed) throw new Error('closed');
          if (arenas.reduce((sum, one) => sum + one.slots.size, 0) >= most) throw new TokenMemoryFull();
          slots.set(next, body);
          return next++;
        },
        addBlock() {
          throw new Error('No blocks here');
        },
        remove(slot) {
          if (!slots.delete(slot)) throw new RangeError('no such slot');
        },
        get size() {
          return slots.size;
        },
        get bytes() {
          return slots.size * UNPACKED_BYTES;
        },
        close() {
          arena.isClosed = true;
          slots.clear();
        },
      };
      arenas.push(arena);
      return arena;
    },
  };
  return { evaluator: evaluator as Evaluator, arenas };
}

async function open() {
  const { clock, ids, database, sealer } = await openTestStorage();
  const log = pino({ enabled: false });
  const people = createPeopleStore(database, sealer, log);
  const seals = createPeopleSeals(sealer, log);
  const seal = createTokenSeal(sealer);
  const store = createTokenStore(database, MODEL.modelVersion, seal, seals);
  const blocks = createBlockStore(database, seal);

  async function galleryOf(customer: string) {
    await people.insertGallery({
      ...ownerColumns(liveOwner(customer)),
      model_version: MODEL.modelVersion,
      dimensions: MODEL.dimensions,
      id: customer,
      guid: ids.random(),
      created_at: 0,
    });
    return (await people.findGallery(liveOwner(customer), MODEL.modelVersion, MODEL.dimensions))!;
  }

  async function add(customer: string, personId = ids.sortable<PersonId>()) {
    await galleryOf(customer);
    await database.transact(async (trx) => {
      const gallery = (await people.lockGallery(trx, customer))!;
      const seq = gallery.version + 1;
      const names = { id: personId, gallery_id: customer, puid: ids.random<Puid>() };
      const nothing = { identifier_digest: null, enroll_level: 0, created_at: 0, provisional_session: null };
      await people.insertPerson(trx, { ...names, ...nothing });
      const token = { seq, id: ids.random(), epoch: 'e1', body: randomBytes(BODY_BYTES), renewals: 0, createdAt: 0 };
      await store.insertToken(trx, { ...token, galleryId: customer, personId });
      await people.updateGallery(trx, { ...gallery, version: seq, tokens: gallery.tokens + 1 });
    });
    return personId;
  }

  const remove = (personId: PersonId) => database.transact((trx) => deletePerson(trx, people, personId, clock.now()));

  /** Renews a token. */
  const renew = (customer: string, personId: PersonId) =>
    database.transact(async (trx) => {
      const gallery = (await people.lockGallery(trx, customer))!;
      const [token] = (await people.listSeqsOfPerson(trx, personId, customer)).tokens;
      await store.deleteToken(trx, customer, token!);
      await people.insertRemovals(trx, customer, gallery.version, [token!], 0);
      const seq = gallery.version + 2;
      const fresh = { seq, id: ids.random(), epoch: 'e2', body: randomBytes(BODY_BYTES), renewals: 1, createdAt: 0 };
      await store.insertToken(trx, { ...fresh, galleryId: customer, personId });
      await people.updateGallery(trx, { ...gallery, version: seq });
    });

  function start({ tokens = 100, most = 1_000, pollMs = 3_600_000, wrap = (same: TokenStore) => same } = {}) {
    const { evaluator, arenas } = fakeEvaluator(most);
    const log = pino({ enabled: false });
    const maxBytes = tokens * UNPACKED_BYTES;
    const parts = { store: wrap(store), blocks, polynomialsOf: rememberEpochs(), people, evaluator, log };
    const memory = new TokenMemory(parts, { maxBytes, pollMs });
    onTestFinished(memory.close);
    const view = async (customer: string) => memory.open(await galleryOf(customer));
    const look = async (customer: string) => {
      const opened = await view(customer);
      const found = opened?.list(0).map(({ personId, epoch }) => `${personId} ${epoch}`);
      opened?.close();
      return found;
    };
    return { memory, arenas, view, look, held: () => arenas.reduce((sum, { size }) => sum + size, 0) };
  }
  return { database, people, add, remove, renew, start };
}

const sorted = (ids: string[], epoch = 'e1') => ids.map((id) => `${id} ${epoch}`);

describe('the token cache', () => {
  it('has every change committed before the query', async () => {
    const { add, remove, renew, start } = await open();
    const { look, held } = start();
    const [a, b] = [await add('acme'), await add('acme')];
    expect(await look('acme')).toEqual(sorted([a, b]));
    await remove(a);
    const c = await add('acme');
    expect(await look('acme')).toEqual(sorted([b, c]));
    await renew('acme', b);
    expect(await look('acme')).toEqual([`${c} e1`, `${b} e2`]);
    expect(held()).toBe(2);
  });

  it('drops tokens removed by another process, even without queries', async () => {
    const { add, remove, start } = await open();
    const { memory, held } = start({ pollMs: 5 });
    const [a] = [await add('acme'), await add('acme')];
    await memory.load();
    expect(held()).toBe(2);
    await remove(a);
    await vi.waitFor(() => expect(held()).toBe(1), PATIENCE);
  });

  it('reloads a gallery if the log of removals no longer reaches back far enough', async () => {
    const { database, people, add, remove, start } = await open();
    const { look, held } = start();
    const [a, b] = [await add('acme'), await add('acme')];
    await look('acme');
    await remove(a);
    await database.transact((trx) => people.purgeRemovals(trx, Number.MAX_SAFE_INTEGER));
    expect(await look('acme')).toEqual(sorted([b]));
    expect(held()).toBe(1);
  });

  it('keeps an open view unchanged until it is closed', async () => {
    const { add, remove, start } = await open();
    const { view, look, arenas } = start();
    const [a, b] = [await add('acme'), await add('acme')];
    const opened = (await view('acme'))!;
    const slots = opened.list(0).map(({ slot }) => slot);
    await remove(a);
    await add('acme');
    await look('acme');
    expect(slots.every((slot) => arenas[0]!.slots.has(slot))).toBe(true);
    opened.close();
    expect(slots.map((slot) => arenas[0]!.slots.has(slot))).toEqual([false, true]);
    expect((await look('acme'))?.[0]).toBe(`${b} e1`);
  });

  it('evicts the least recently used gallery that is not being read', async () => {
    const { add, start } = await open();
    const { look, view, arenas, held } = start({ tokens: 2 });
    for (const customer of ['one', 'two', 'three']) await add(customer);
    await look('one');
    await look('two');
    await look('one');
    await look('three');
    expect(arenas.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
    const [reading, alsoReading] = [await view('one'), await view('three')];
    expect(await view('two')).toBeUndefined();
    reading?.close();
    expect(await look('two')).toHaveLength(1);
    alsoReading?.close();
    expect(held()).toBe(2);
  });

  it('does not cache a gallery larger than its limit, even after growth', async () => {
    const { add, start } = await open();
    const { look, held } = start({ tokens: 2 });
    await add('acme');
    await add('acme');
    expect(await look('acme')).toHaveLength(2);
    await add('acme');
    expect(await look('acme')).toBeUndefined();
    expect(held()).toBe(0);
  });

  it('gives up a gallery instead of failing when the evaluator has no room', async () => {
    const { add, start } = await open();
    const { look, held } = start({ most: 2 });
    const people = [await add('acme'), await add('acme')];
    expect(await look('acme')).toEqual(sorted(people));
    await add('acme');
    expect(await look('acme')).toBeUndefined();
    expect(held()).toBe(0);
  });

  it('shows a person exactly once while their token is renewed during loading', async () => {
    const { add, renew, start } = await open();
    const [a, b] = [await add('acme'), await add('acme')];
    let isFirst = true;
    const { look } = start({
      wrap: (store) => ({
        ...store,
        async listTokens(...given) {
          if (isFirst) {
            isFirst = false;
            await renew('acme', a); // after the range that is about to be read
          }
          return store.listTokens(...given);
        },
      }),
    });
    expect(await look('acme')).toEqual([`${b} e1`, `${a} e2`]);
  });

  it('preloads what fits at the start, and is ready then', async () => {
    const { add, start } = await open();
    for (const customer of ['one', 'one', 'two', 'three', 'three']) await add(customer);
    const { memory, held } = start({ tokens: 3 });
    expect(memory.state()).toBe('loading face tokens (0 of 0)');
    await memory.load();
    expect(memory.state()).toBe('ready');
    expect(held()).toBe(3);
  });
});
