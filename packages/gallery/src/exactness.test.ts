// The promise of the index: for any data, the result of a plain scan in double precision.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  coarseResidueOf,
  createDraw,
  createSource,
  drawUnit,
  expectExact,
  fineResidueOf,
  SHAPES,
  scanNaively,
} from '../testing/vectors.ts';
import { createGalleryEngine } from './engine.ts';
import { multiply } from './multiply.ts';
import { MOST_POSTPONED } from './postponed-rows.ts';

const engines = {
  'the calling thread, dot products': createGalleryEngine({ threads: 0, kernel: 'dot' }),
  'the calling thread, pairs': createGalleryEngine({ threads: 0, kernel: 'pairs' }),
  'the calling thread, plain SIMD': createGalleryEngine({ threads: 0, kernel: 'plain' }),
  'threads, dot products': createGalleryEngine({ threads: 2, mostBytesInline: 0, kernel: 'dot' }),
  'threads, pairs': createGalleryEngine({ threads: 2, mostBytesInline: 0, kernel: 'pairs' }),
  'threads, plain SIMD': createGalleryEngine({ threads: 2, mostBytesInline: 0, kernel: 'plain' }),
};

/** One engine per kernel. */
const inline = Object.entries(engines).flatMap(([name, engine]) => (name.startsWith('the calling') ? [engine] : []));

afterAll(async () => {
  for (const engine of Object.values(engines)) await engine.close();
});

const cases = fc.record({
  seed: fc.nat(),
  dimensions: fc.oneof(fc.constantFrom(128, 256, 512), fc.integer({ min: 128, max: 512 })),
  size: fc.integer({ min: 0, max: 150 }),
  shape: fc.constantFrom(...SHAPES),
  probe: fc.constantFrom('own shape', 'random', 'coarse residue', 'fine residue', 'a row', 'zero'),
  k: fc.oneof(fc.constantFrom(1, 10, 1000), fc.integer({ min: 1, max: 40 })),
  // The n-th best similarity, or a constant.
  limit: fc.oneof(fc.constantFrom(-Infinity, -1, 0, 0.6, Infinity), fc.record({ justBelow: fc.nat(20) })),
});
type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

function makeCase({ seed, dimensions, size, shape, probe, limit }: Case) {
  const draw = createDraw(seed);
  const next = createSource(shape, draw, dimensions);
  const rows = new Map<number, Float32Array>();
  while (rows.size < size) rows.set(Math.floor(draw() * 2 ** 50) - 2 ** 49, next());
  const row = rows.values().next().value ?? next();
  const probes = {
    'own shape': next,
    random: createSource('random', draw, dimensions),
    'coarse residue': () => coarseResidueOf(row),
    'fine residue': () => fineResidueOf(row),
    'a row': () => row.slice(),
    zero: () => new Float32Array(dimensions),
  };
  const query = probes[probe]();
  const minSimilarity =
    typeof limit === 'number' ? limit : (scanNaively(rows, query)[limit.justBelow]?.similarity ?? 0) * (1 - 1e-9);
  return { rows, query, minSimilarity };
}

for (const [name, engine] of Object.entries(engines))
  test(`equals a scan in double precision: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (parameters) => {
        const { rows, query, minSimilarity } = makeCase(parameters);
        const gallery = engine.createGallery(parameters.dimensions);
        for (const [key, vector] of rows) gallery.insert(key, vector);
        const options = { k: parameters.k, minSimilarity };
        expectExact(await gallery.search(query, options), rows, query, options);
        gallery.drop();
      }),
      { numRuns: onlyWhenLong(60, 20) },
    );
  });

test('finds each mate among several thousand rows in several blocks, with any limit', async () => {
  const draw = createDraw(7);
  const next = createSource('clustered', draw, 160);
  const rows = new Map(Array.from({ length: 4500 }, (_, key) => [key, next()]));
  for (const engine of Object.values(engines).slice(0, onlyWhenLong(Object.keys(engines).length, 2))) {
    const gallery = engine.createGallery(160);
    for (const [key, vector] of rows) gallery.insert(key, vector);
    for (const [k, minSimilarity] of [
      [1, -Infinity],
      [10, 0.6],
      [100, 0.99],
      [5000, -1],
    ] as const) {
      const query = rows.get(Math.floor(draw() * rows.size))!;
      const hits = await gallery.search(query, { k, minSimilarity });
      expectExact(hits, rows, query, { k, minSimilarity });
    }
    gallery.drop();
  }
});

test('finds the best of more rows than can be postponed, although its codes underestimate it', async () => {
  const draw = createDraw(11);
  const query = drawUnit(draw, 128).map((value) => Math.sign(value));
  // All of its similarity is in the coarse codes' error.
  const findPoor = (): Float32Array => {
    const levels = drawUnit(draw, 128).map((value) => Math.floor((value * Math.sqrt(128)) / 0.3352) + 0.5);
    return Math.abs(multiply(query, levels, 0)) < 5 ? levels.map((level, at) => level + 0.3 * query[at]!) : findPoor();
  };
  const crowd = () => query.map((value) => value * (0.15 + 0.001 * draw()));
  const rows = new Map<number, Float32Array>();
  while (rows.size < MOST_POSTPONED * 1.1) rows.set(rows.size, rows.size === 1000 ? findPoor() : crowd());
  while (rows.size < MOST_POSTPONED * 1.2) rows.set(rows.size, drawUnit(draw, 128));
  const gallery = engines['the calling thread, pairs'].createGallery(128);
  for (const [key, vector] of rows) gallery.insert(key, vector);
  const options = { k: 10, minSimilarity: -1 };
  const hits = await gallery.search(query, options);
  expect(hits[0]?.key).toBe(1000);
  expectExact(hits, rows, query, options);
  gallery.drop();
});

for (const lossy of ['row', 'query'])
  test(`finds a row whose bound equals its similarity, with the error in the ${lossy}`, async () => {
    const draw = createDraw(2);
    for (const engine of inline)
      for (const dimensions of [128, 320, 512])
        for (let round = 0; round < 20; round += 1) {
          const spread = drawUnit(draw, dimensions).map((value) => (value * Math.sqrt(dimensions)) / 0.3352);
          const levels = spread.map((value) => Math.max(-7.5, Math.min(7.5, Math.floor(value) + 0.5)));
          const signs = levels.map(() => (draw() < 0.5 ? -1 : 1));
          // The error of one points in the direction of the other, whose coarse form is exact.
          // Cauchy-Schwarz is then an equality, and only the stored error keeps the row.
          const row = lossy === 'row' ? levels.map((level, at) => level + 0.3 * signs[at]!) : levels;
          const query = signs.map((sign, at) =>
            lossy === 'row' || at === 0 ? sign * 127 : Math.round(100 * (draw() - 0.5)) + 0.05 * levels[at]!,
          );
          const gallery = engine.createGallery(dimensions);
          gallery.insert(1, row);
          const similarity = multiply(query, row, 0);
          expect(await gallery.search(query, { k: 1, minSimilarity: similarity })).toEqual([{ key: 1, similarity }]);
          gallery.drop();
        }
  });

test('does not overflow if all of a vector is in dimensions that are summed together', async () => {
  for (const engine of inline)
    for (const together of [2, 16])
      for (const sign of [1, -1]) {
        const at = (index: number) => index % 32 < together;
        const row = Float32Array.from({ length: 512 }, (_, index) => (at(index) ? sign : 0));
        const gallery = engine.createGallery(512);
        gallery.insert(1, row);
        gallery.insert(
          2,
          row.map((value) => -value),
        );
        const similarity = multiply(row, row, 0);
        expect(await gallery.search(row, { k: 2, minSimilarity: similarity })).toEqual([{ key: 1, similarity }]);
        gallery.drop();
      }
});

test('finds the longest vectors, however dissimilar', async () => {
  const draw = createDraw(8);
  for (const engine of Object.values(engines)) {
    const gallery = engine.createGallery(128);
    const query = drawUnit(draw, 128).map((value) => (value < 0 ? -1.35 : 1.35));
    const row = query.map((value) => -Math.sign(value) * (3e38 / Math.sqrt(128)));
    gallery.insert(1, row);
    expect(await gallery.search(query, { k: 1, minSimilarity: -Infinity })).toMatchObject([{ key: 1 }]);
    gallery.drop();
  }
});

test('orders equal vectors by key and keeps the lowest keys', async () => {
  for (const engine of Object.values(engines)) {
    const gallery = engine.createGallery(128);
    const vector = createSource('random', createDraw(1), 128)();
    const keys = Array.from({ length: 100 }, (_, at) => (at * 37) % 101);
    for (const key of keys) gallery.insert(key, vector);
    const hits = await gallery.search(vector, { k: 10, minSimilarity: 0.5 });
    expect(hits.map(({ key }) => key)).toEqual(keys.toSorted((a, b) => a - b).slice(0, 10));
    gallery.drop();
  }
});
