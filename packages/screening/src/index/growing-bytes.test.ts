// Pieces must not show: what is read and shared is what was appended.
import { expect, it } from 'vitest';
import { GrowingBytes } from './growing-bytes.ts';

it('reads and shares bytes over the ends of pieces', () => {
  const all = Uint8Array.from({ length: 9_000_000 }, (_, at) => (at * 31) % 251);
  const growing = new GrowingBytes();
  for (let at = 0; at < all.length; at += 1_700_003) growing.append(all.subarray(at, at + 1_700_003));
  expect(growing.length).toBe(all.length);
  for (const [from, to] of [
    [0, 5],
    [4_194_300, 4_194_310],
    [100, 8_999_999],
    [7, 7],
  ] as const) {
    expect(Buffer.compare(growing.slice(from, to), all.subarray(from, to))).toBe(0);
  }
  const shared = growing.share();
  expect(shared.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(Buffer.compare(shared, all)).toBe(0);
});
