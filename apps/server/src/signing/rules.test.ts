// When each key signs, and how long it is published.
import { expect, it } from 'vitest';
import { LASTING_LIFETIME_MS, PUBLISHED_AHEAD_MS, RESULT_LIFETIME_MS } from './limits.ts';
import { chooseSigning, findKeyState, type KeyTimes, publishedUntil, retiresAt } from './rules.ts';

const key = (number: number, signs_from: number, world: KeyTimes['world'] = 'live'): KeyTimes => ({
  id: `${world}-${number}`,
  world,
  number,
  created_at: signs_from,
  signs_from,
});

it('signs with the newest key whose time has come', () => {
  const keys = [key(1, 0), key(2, 100)];
  expect([0, 99, 100, 5_000].map((now) => chooseSigning(keys, now)?.number)).toEqual([1, 1, 2, 2]);
});

it('signs with the first key if a clock is behind all of them', () => {
  expect(chooseSigning([key(2, 200), key(1, 100)], 50)?.number).toBe(1);
  expect(chooseSigning([], 50)).toBeUndefined();
});

it('skips a key that was waiting when another had to sign at once', () => {
  const keys = [key(1, 0), key(2, 1_000), key(3, 500)];
  expect([499, 500, 1_000].map((now) => chooseSigning(keys, now)?.number)).toEqual([1, 3, 3]);
  expect(retiresAt(keys[0]!, keys)).toBe(500);
  expect(keys.map((key) => findKeyState(key, keys, 2_000))).toEqual(['retired', 'retired', 'signing']);
});

it('publishes a key from its creation until all its signatures have expired', () => {
  const keys = [key(1, 0), key(2, PUBLISHED_AHEAD_MS)];
  expect(keys.map((key) => findKeyState(key, keys, 1))).toEqual(['signing', 'next']);
  const lastSigned = PUBLISHED_AHEAD_MS;
  const until = publishedUntil(keys[0]!, keys)!;
  expect(until).toBeGreaterThan(lastSigned + Math.max(LASTING_LIFETIME_MS, RESULT_LIFETIME_MS));
  expect(findKeyState(keys[0]!, keys, until - 1)).toBe('retired');
  expect(findKeyState(keys[0]!, keys, until)).toBe('expired');
  expect(publishedUntil(keys[1]!, keys)).toBeUndefined();
});

it('keeps the worlds apart', () => {
  const keys = [key(1, 0), key(2, 10, 'test')];
  expect(keys.map((key) => findKeyState(key, keys, 20))).toEqual(['signing', 'signing']);
  expect(retiresAt(keys[0]!, keys)).toBeUndefined();
});
