// How the subjects of a request are split into tasks: in order, none lost, at most a few names per
// task.
import type { Subject } from '@limen/screening';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { LaneClosedError, type ScreeningPool } from '../engine/pool.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import { inParts, Matcher } from './matcher.ts';

const withNames = (names: number): Subject => ({ names: Array.from({ length: names }, (_, at) => `Name ${at}`) });

it('keeps ten subjects with one name together, and separates those with many', () => {
  expect(inParts(Array.from({ length: 25 }, () => withNames(1))).map((part) => part.length)).toEqual([10, 10, 5]);
  expect(inParts(Array.from({ length: 100 }, () => withNames(21)))).toHaveLength(100);
  expect(inParts([10, 10, 1, 30, 1].map(withNames)).map((part) => part.length)).toEqual([2, 1, 1, 1]);
});

it('loses no subject and keeps the order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), (names) => {
      const subjects = names.map(withNames);
      expect(inParts(subjects).flat()).toEqual(subjects);
    }),
  );
});

it('aborts what takes too long, with an explanation, and releases the threads and lists', async () => {
  let workedMs = 1;
  const openLane = () => {
    const closed = Promise.withResolvers<never>();
    closed.promise.catch(() => {}); // Nothing ran in it.
    return { run: () => closed.promise, close: () => closed.reject(new LaneClosedError()), workedMs };
  };
  const pool = { openLane } as unknown as ScreeningPool;
  const release = vi.fn();
  const select = async () => ({ editions: [], lists: [], searched: [], release });
  const matcher = new Matcher({ catalogue: { select } as unknown as Catalogue, pool });
  const order = { dataset: 'north', threshold: 0.9, limit: 5, subjects: [withNames(1)] };
  const { signal } = new AbortController();
  await expect(matcher.match({ ...order, signal, withinMs: 1 })).rejects.toMatchObject({
    statusCode: 413,
    message: expect.stringContaining('Send fewer subjects at once'),
  });
  expect(release).toHaveBeenCalledOnce();
  // Unless other calls took the time.
  workedMs = 0;
  await expect(matcher.match({ ...order, signal, withinMs: 1 })).rejects.toMatchObject({
    statusCode: 503,
    headers: { 'retry-after': '30' },
  });
  // A disconnected client gets no reply.
  const gone = AbortSignal.abort(new LaneClosedError());
  await expect(matcher.match({ ...order, signal: gone, withinMs: 60_000 })).rejects.toThrow(LaneClosedError);
});
