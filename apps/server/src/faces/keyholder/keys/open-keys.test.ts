// Cache of open enroll keys: bounded, and evicted keys are wiped, but never during use.
import type { SecretKey } from '@limen/token/keyholder';
import { beforeEach, expect, it } from 'vitest';
import { OpenKeys } from './epochs.ts';

let wiped: SecretKey[];
let keys: OpenKeys;

beforeEach(() => {
  wiped = [];
  keys = new OpenKeys((key) => void wiped.push(key), 2);
});

const makeKey = (): SecretKey => ({
  values: new Int32Array(1),
  reversed: new Int16Array(1),
  blockKey: new Uint8Array(1),
});
const turns = () => new Promise((resolve) => setImmediate(resolve));

it('opens a frequently used key once', async () => {
  let opened = 0;
  const open = async () => {
    opened += 1;
    return makeKey();
  };
  await Promise.all([keys.use('a', open, () => {}), keys.use('a', open, () => {})]);
  await keys.use('a', open, () => {});
  expect([opened, wiped]).toEqual([1, []]);
});

it('wipes the least recently used key when full', async () => {
  const [a, b, c] = [makeKey(), makeKey(), makeKey()];
  await keys.use(
    'a',
    async () => a,
    () => {},
  );
  await keys.use(
    'b',
    async () => b,
    () => {},
  );
  await keys.use(
    'a',
    async () => a,
    () => {},
  );
  await keys.use(
    'c',
    async () => c,
    () => {},
  );
  await turns();
  expect(wiped).toEqual([b]);
  expect(wiped[0]).toBe(b);
});

it('wipes a key that is evicted during use only afterward', async () => {
  const key = makeKey();
  let finish = () => {};
  const work = keys.use(
    'a',
    async () => key,
    () => new Promise<void>((resolve) => (finish = resolve)),
  );
  await turns();
  keys.close('a');
  await turns();
  expect(wiped).toEqual([]);
  finish();
  await work;
  await turns();
  expect(wiped).toHaveLength(1);
  expect(wiped[0]).toBe(key);
});

it('does not cache a key that fails to open, but keeps one whose work fails', async () => {
  await expect(
    keys.use(
      'a',
      () => Promise.reject(new Error('damaged')),
      () => {},
    ),
  ).rejects.toThrow('damaged');
  const work = () => Promise.reject(new Error('failed'));
  await expect(keys.use('a', async () => makeKey(), work)).rejects.toThrow('failed');
  expect(
    await keys.use(
      'a',
      () => Promise.reject(new Error('again')),
      () => 'kept',
    ),
  ).toBe('kept');
});

it('wipes all keys when closed', async () => {
  for (const name of ['a', 'b'])
    await keys.use(
      name,
      async () => makeKey(),
      () => {},
    );
  keys.closeAll();
  await turns();
  expect(wiped).toHaveLength(2);
});
