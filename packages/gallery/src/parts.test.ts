// Unit tests of the parts: directed rounding, arena, heap, change log, shared limit.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createArena } from './arena.ts';
import { createBestHits } from './best-hits.ts';
import { compareHits } from './gallery.ts';
import { ChangeLog } from './memory-gallery.ts';
import { roundDown, roundUp } from './round-outwards.ts';
import { clearLimit, openLimit } from './shared-limit.ts';

test('rounds in the given direction by at most one step', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double({ noNaN: true, min: -1e39, max: 1e39 }), fc.float({ noNaN: true })), (value) => {
      const [down, up] = [roundDown(value), roundUp(value)];
      expect(Math.fround(up)).toBe(up);
      expect(down <= value && value <= up).toBe(true);
      if (Math.fround(value) === value) expect([down, up]).toEqual([value, value]);
      else expect([down, up]).toContain(Math.fround(value));
    }),
    { numRuns: 1000, examples: [[0], [1e-50], [-1e-50]] },
  );
});

test('shares the highest reported limit, or a step below it', () => {
  const cells = new Int32Array(new SharedArrayBuffer(8));
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true }), { minLength: 1 }), (told) => {
      clearLimit(cells, 1);
      const limit = openLimit(cells, 1);
      expect(limit.read()).toBe(-Infinity);
      for (const similarity of told) limit.tell(similarity);
      expect(limit.read()).toBe(roundDown(Math.max(...told)));
    }),
    { examples: [[[-0.25, -0.5]], [[-0.5, -0.25, 0.25]], [[1e300]], [[-1e300]]] },
  );
});

test('allocates pieces without overlap and takes all of them back', () => {
  const actions = fc.array(fc.oneof(fc.integer({ min: 1, max: 3_000_000 }), fc.constant('release' as const)), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(actions, fc.nat(), (list, seed) => {
      const arena = createArena();
      const held: { at: number; bytes: number }[] = [];
      for (const action of list) {
        if (action === 'release') {
          const [piece] = held.splice(seed % Math.max(1, held.length), 1);
          if (piece) arena.release(piece.at, piece.bytes);
          continue;
        }
        const at = arena.allocate(action);
        expect(at + action).toBeLessThanOrEqual(arena.memory.buffer.byteLength);
        for (const other of held) expect(at >= other.at + other.bytes || at + action <= other.at).toBe(true);
        expect([arena.views.bytes[at], arena.views.bytes[at + action - 1]]).toEqual([0, 0]);
        arena.views.bytes[at] = 1;
        arena.views.bytes[at + action - 1] = 1;
        held.push({ at, bytes: action });
      }
      for (const { at, bytes } of held) arena.release(at, bytes);
      expect(arena.used).toBe(0);
      const whole = arena.memory.buffer.byteLength;
      expect(arena.allocate(whole)).toBe(0);
      expect(arena.memory.buffer.byteLength).toBe(whole);
    }),
    { numRuns: 40 },
  );
});

test('keeps the hits in the heap that sorting would keep', () => {
  const hits = fc.uniqueArray(fc.record({ key: fc.nat(1000), similarity: fc.integer({ min: -3, max: 3 }) }), {
    selector: ({ key }) => key,
    maxLength: 60,
  });
  fc.assert(
    fc.property(hits, fc.integer({ min: 1, max: 12 }), fc.constantFrom(-Infinity, 0, 2), (list, k, least) => {
      const best = createBestHits(k, least);
      for (const { key, similarity } of list) best.offer(key, key, similarity);
      const expected = list.filter(({ similarity }) => similarity >= least).toSorted(compareHits);
      expect(best.list()).toEqual(expected.slice(0, k).map((hit) => ({ ...hit, slot: hit.key })));
      expect(best.limit).toBe(expected.length >= k ? expected[k - 1]!.similarity : least);
    }),
  );
});

test('reports changes to every watcher and drops unneeded entries', () => {
  const log = new ChangeLog();
  log.record(1);
  const first = log.begin();
  for (let slot = 0; slot < 5000; slot += 1) log.record(slot);
  const second = log.begin();
  log.record(7);
  expect(log.since(first).size).toBe(5000);
  expect(log.length).toBe(5001);
  log.end(first);
  expect(log.length).toBe(1);
  expect([...log.since(second)]).toEqual([7]);
  log.record(8);
  expect([...log.since(second)]).toEqual([7, 8]);
  log.end(second);
  expect(log.length).toBe(0);
  const third = log.begin();
  expect(log.since(third).size).toBe(0);
});
