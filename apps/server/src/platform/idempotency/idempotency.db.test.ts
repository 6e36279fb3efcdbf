// Idempotency keys: finding an earlier reply, and storing one in the transaction that produces it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { liveOwner } from '#testing/owners.ts';
import { formatOwner } from '../api-keys/owner.ts';
import { createIds } from '../base/ids.ts';
import { openStorage, type Storage } from '../storage.ts';
import { Idempotency } from './idempotency.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const clock = createManualClock();

let storage: Storage;
let idempotency: Idempotency;
let dispose: () => Promise<void>;

beforeAll(async () => {
  const place = await createTestDatabase();
  storage = await openStorage({ ...place, masterKey: Buffer.alloc(32, 1), clock, ids: createIds(clock) });
  idempotency = new Idempotency({ ...storage, clock });
  dispose = async () => {
    await storage.database.close();
    await place.dispose();
  };
});
afterAll(() => dispose());

let scopes = 0;
/** Creates a request in its own scope. */
function newRequest(content: unknown = { value: 1 }) {
  scopes += 1;
  return { operation: 'test', owner: formatOwner(liveOwner(`${scopes}`)), key: 'k', content };
}

function remember(request: ReturnType<typeof newRequest>, reply: unknown, resource = 'thing/1') {
  return storage.database.transact((trx) => idempotency.remember(trx, request, reply, resource));
}

describe('find and remember', () => {
  it('return the stored reply to the same request only', async () => {
    const request = newRequest();
    expect(await idempotency.find(request)).toBeUndefined();
    expect(await remember(request, { answer: 'ä', list: [1, null] })).toBe(true);
    expect(await idempotency.find(request)).toEqual({ answer: 'ä', list: [1, null] });
    expect(await idempotency.find({ ...request, key: 'K' })).toBeUndefined();
    expect(await idempotency.find({ ...request, operation: 'elsewhere' })).toBeUndefined();
    await expect(idempotency.find({ ...request, content: { value: 2 } })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  it('keep the first of two replies', async () => {
    const request = newRequest();
    expect(await remember(request, 'first')).toBe(true);
    expect(await remember(request, 'second')).toBe(false);
    expect(await remember({ ...request, content: 'another' }, 'third')).toBe(false);
    expect(await idempotency.find(request)).toBe('first');
  });

  it('keep one reply of many concurrent requests', async () => {
    const request = newRequest();
    const kept = await Promise.all(Array.from({ length: 8 }, (_, i) => remember(request, i)));
    expect(kept.filter(Boolean)).toHaveLength(1);
    expect(await idempotency.find(request)).toBe(kept.indexOf(true));
  });

  it('store nothing if the transaction fails', async () => {
    const request = newRequest();
    const failed = storage.database.transact(async (trx) => {
      expect(await idempotency.remember(trx, request, 'lost', 'thing/1')).toBe(true);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await idempotency.find(request)).toBeUndefined();
    expect(await remember(request, 'kept')).toBe(true);
  });

  it('share their keys with one-time operations', async () => {
    const [remembered, ran] = [newRequest(), newRequest()];
    await remember(remembered, 'reply');
    const create = async () => ({ reply: 'made', resource: 'thing/2' });
    expect(await idempotency.once(remembered, create)).toBe('reply');
    expect(await idempotency.once(ran, create)).toBe('made');
    expect(await idempotency.find(ran)).toBe('made');
    expect(await remember(ran, 'later')).toBe(false);
  });

  it('forget a reply when its resource is deleted, and no other reply', async () => {
    const [gone, kept] = [newRequest(), newRequest()];
    await remember(gone, 'a', 'thing/gone');
    await remember(kept, 'b', 'thing/kept');
    await storage.database.transact((trx) => idempotency.forget(trx, 'thing/gone'));
    expect(await idempotency.find(gone)).toBeUndefined();
    expect(await idempotency.find(kept)).toBe('b');
    expect(await remember(gone, 'again')).toBe(true);
  });

  it('forget a reply after 24 hours, even before the purge', async () => {
    const request = newRequest();
    await remember(request, 'old');
    clock.advance(DAY_MS - 1);
    await idempotency.purge();
    expect(await idempotency.find(request)).toBe('old');
    clock.advance(1);
    expect(await idempotency.find(request)).toBeUndefined();
    // The key is free for another body now.
    const next = { ...request, content: 'new' };
    expect(await remember(next, 'new')).toBe(true);
    expect(await idempotency.find(next)).toBe('new');
    const rows = () => storage.database.queries.selectFrom('idempotency_keys').select('scope').execute();
    clock.advance(DAY_MS);
    await idempotency.purge();
    expect(await rows()).toEqual([]);
  });

  it('store the reply, key and content sealed or hashed', async () => {
    const request = { ...newRequest('a personal value'), key: 'a-personal-key' };
    await remember(request, 'a personal reply');
    const rows = await storage.database.queries
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('scope', '=', `${request.operation}/${request.owner}`)
      .execute();
    expect(rows).toHaveLength(1);
    const bytes = Object.values(rows[0]!).map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
    );
    expect(bytes.join('\n')).not.toContain('personal');
  });
});
