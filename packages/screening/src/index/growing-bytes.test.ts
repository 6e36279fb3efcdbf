// Piece boundaries must be invisible: reads and shares return exactly the appended bytes.
import { expect, it } from 'vitest';
import { GrowingBytes } from './growing-bytes.ts';

it('reads and shares bytes across piece boundaries', () => {
  const all = Uint8Array.from({ length: 9_000_000 }, (_, at) => (at * 31) % 251);
  const growing = new GrowingBytes();
  for (let at = 0; at < all.length; at += 1_700_003) growing.append(all.subarray(at, at + 1_700_003));
  expect(growing.length).toBe(all.length);
  for (const [from, to] of [
    [0, 5],
    [65_530, 65_540],
    [60_000, 4_194_310],
    [100, 8_999_999],
    [7, 7],
  ] as const) {
    expect(Buffer.compare(growing.slice(from, to), all.subarray(from, to))).toBe(0);
  }
  growing.releaseBefore(60_000); // not a piece boundary
  expect(Buffer.compare(growing.slice(0, 5), all.subarray(0, 5))).toBe(0);
  const shared = growing.share();
  expect(shared.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(Buffer.compare(shared, all)).toBe(0);
});

it('releases bytes before a position and keeps the rest', () => {
  const growing = new GrowingBytes();
  for (let at = 0; at < 100; at += 1) growing.append(new Uint8Array(10_000).fill(at));
  growing.releaseBefore(500_000);
  expect([...growing.slice(5, 7)]).toEqual([0, 0]); // released
  expect([...growing.slice(999_998, 1_000_000)]).toEqual([99, 99]);
  expect(growing.slice(600_000, 600_001)[0]).toBe(60);
});
