// Galleries from the caller's view: changes, memory, concurrency and invalid arguments.
import { afterEach, expect, test, vi } from 'vitest';
import { createDraw, drawUnit, expectExact } from '../testing/vectors.ts';
import { createArena } from './arena.ts';
import { arenaBytes, bytesPerVector, createLayout, createOriginals, openBlock } from './block.ts';
import { wipeRow, writeRow } from './encode-row.ts';
import { createGalleryEngine } from './engine.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const ALL = { k: 1000, minSimilarity: -Infinity };

test('finds a vector after its insertion but not after its removal, and reuses its slot', async () => {
  const engine = createGalleryEngine({ threads: 0 });
  const gallery = engine.createGallery(128);
  const draw = createDraw(3);
  const rows = new Map(Array.from({ length: 40 }, (_, key) => [key, drawUnit(draw, 128)]));
  for (const [key, vector] of rows) gallery.insert(key, vector);
  const { bytes } = gallery;
  for (let round = 0; round < 100; round += 1) {
    const key = [...rows.keys()][Math.floor(draw() * rows.size)]!;
    rows.delete(key);
    expect(gallery.remove(key)).toBe(true);
    expect(gallery.has(key)).toBe(false);
    expect(gallery.remove(key)).toBe(false);
    const vector = drawUnit(draw, 128);
    rows.set(1000 + round, vector);
    gallery.insert(1000 + round, vector);
    const hits = await gallery.search(vector, ALL);
    expect(hits[0]?.key).toBe(1000 + round);
    expectExact(hits, rows, vector, ALL);
  }
  expect(gallery.size).toBe(40);
  expect(gallery.bytes).toBe(bytes);
});

test('compares with the existing keys', () => {
  const gallery = createGalleryEngine({ threads: 0 }).createGallery(128);
  const draw = createDraw(4);
  const [near, far] = [drawUnit(draw, 128), drawUnit(draw, 128)];
  gallery.insert(1, far);
  gallery.insert(2, near);
  const hits = gallery.compare(near, [1, 2, 2, 3]);
  expect(hits.map(({ key }) => key)).toEqual([2, 1]);
  expect(hits[0]?.similarity).toBeCloseTo(1);
});

for (const threads of [0, 2])
  test(`leaves no trace of a removed vector that ${threads} threads searched before`, async () => {
    const arena = createArena();
    const engine = createGalleryEngine({ threads, mostBytesInline: 0, arena });
    const gallery = engine.createGallery(200);
    const draw = createDraw(5);
    gallery.insert(1, drawUnit(draw, 200));
    const before = arena.views.bytes.slice();
    const vector = drawUnit(draw, 200);
    gallery.insert(2, vector);
    expect(Buffer.compare(arena.views.bytes, before)).not.toBe(0);
    expect(await gallery.search(vector, { k: 1, minSimilarity: 0.6 })).toMatchObject([{ key: 2 }]);
    gallery.remove(2);
    expect(Buffer.compare(arena.views.bytes, before)).toBe(0);
    await engine.close();
  });

test('leaves no trace of a wiped row in its block, or of a longer one in the next codes', () => {
  const arena = createArena();
  const draw = createDraw(5);
  const long = createLayout(512);
  const at = arena.allocate(arenaBytes(long, 4));
  const other = openBlock(long, { capacity: 4, at, originals: createOriginals(long, 4) });
  writeRow(long, arena.views, other, 0, drawUnit(draw, 512));

  const layout = createLayout(200);
  const originals = createOriginals(layout, 16);
  const block = openBlock(layout, { capacity: 16, at: arena.allocate(arenaBytes(layout, 16)), originals });
  const vector = drawUnit(draw, 200);
  block.vectors.set(vector, 3 * 200);
  block.keys[3] = 77;
  writeRow(layout, arena.views, block, 3, vector);
  const end = block.coarseCodesAt + 4 * layout.coarseStride;
  // The last 32 of 256 levels, because there are 200 dimensions.
  expect([...arena.views.bytes.subarray(end - 16, end)]).toEqual(Array(16).fill(0));
  wipeRow(layout, arena.views, block, 3);
  expect(new Uint8Array(originals).every((byte) => byte === 0)).toBe(true);
});

test('takes room for four vectors for one, and none when emptied', async () => {
  const arena = createArena();
  const engine = createGalleryEngine({ threads: 2, mostBytesInline: 0, arena });
  const { used } = arena;
  const gallery = engine.createGallery(128);
  const draw = createDraw(9);
  const [first, second] = [drawUnit(draw, 128), drawUnit(draw, 128)];
  gallery.insert(1, first);
  expect(gallery.bytes).toBe(4 * bytesPerVector(128));
  expect(await gallery.search(first, ALL)).toMatchObject([{ key: 1 }]);
  gallery.remove(1);
  expect([gallery.bytes, arena.used]).toEqual([0, used]);
  expect(await gallery.search(first, ALL)).toEqual([]);

  // The threads know the former blocks and must not confuse them with the new ones.
  for (let key = 2; key < 40; key += 1) gallery.insert(key, key === 39 ? second : drawUnit(draw, 128));
  expect(await gallery.search(second, { k: 1, minSimilarity: 0.6 })).toMatchObject([{ key: 39 }]);
  // Emptied during a search, which still needs the slots.
  const search = gallery.search(second, ALL);
  for (let key = 2; key < 40; key += 1) gallery.remove(key);
  expect(gallery.bytes).toBeGreaterThan(0);
  expect(await search).toEqual([]);
  expect([gallery.bytes, arena.used]).toEqual([0, used]);
  await engine.close();
});

test('wipes the originals of a dropped gallery', () => {
  const buffers: SharedArrayBuffer[] = [];
  class RecordedBuffer extends SharedArrayBuffer {
    constructor(bytes: number) {
      super(bytes);
      buffers.push(this);
    }
  }
  const engine = createGalleryEngine({ threads: 0 });
  vi.stubGlobal('SharedArrayBuffer', RecordedBuffer);
  const gallery = engine.createGallery(128);
  for (let key = 0; key < 10; key += 1) gallery.insert(key, drawUnit(createDraw(key), 128));
  const isWiped = (buffer: SharedArrayBuffer) => new Uint8Array(buffer).every((byte) => byte === 0);
  expect(buffers.map(isWiped)).toEqual([false, false, false]);
  gallery.drop();
  expect(buffers.map(isWiped)).toEqual([true, true, true]);
});

test('frees and wipes the memory of a dropped gallery and keeps many small ones apart', async () => {
  const arena = createArena();
  const engine = createGalleryEngine({ threads: 0, arena });
  const { used } = arena;
  const draw = createDraw(6);
  const galleries = Array.from({ length: 200 }, (_, at) => {
    const gallery = engine.createGallery(128 + (at % 5) * 16);
    for (let key = 0; key < 10; key += 1) gallery.insert(at * 10 + key, drawUnit(draw, gallery.dimensions));
    return gallery;
  });
  for (const [at, gallery] of galleries.entries()) {
    const hits = await gallery.search(drawUnit(draw, gallery.dimensions), ALL);
    expect(hits.map(({ key }) => Math.floor(key / 10))).toEqual(Array(10).fill(at));
    expect(gallery.bytes).toBe(16 * bytesPerVector(gallery.dimensions));
  }
  const reserved = arena.memory.buffer.byteLength;
  for (const gallery of galleries) gallery.drop();
  expect(arena.used).toBe(used);
  const rest = arena.views.bytes.subarray(used);
  expect(Buffer.compare(rest, new Uint8Array(rest.length))).toBe(0);
  const large = engine.createGallery(128);
  for (let key = 0; key < 3000; key += 1) large.insert(key, drawUnit(draw, 128));
  expect(arena.memory.buffer.byteLength).toBe(reserved);
  await expect(galleries[0]!.search(drawUnit(draw, 128), ALL)).rejects.toThrow('dropped');
});

test('rejects invalid vectors and options', async () => {
  const engine = createGalleryEngine({ threads: 0 });
  for (const dimensions of [127, 513, 128.5, Number.NaN])
    expect(() => engine.createGallery(dimensions)).toThrow(RangeError);
  const gallery = engine.createGallery(128);
  const vector = drawUnit(createDraw(1), 128);
  gallery.insert(1, vector);
  expect(() => gallery.insert(1, vector)).toThrow('already');
  for (const key of [1.5, Number.NaN, 2 ** 53]) expect(() => gallery.insert(key, vector)).toThrow(RangeError);
  for (const bad of [new Float32Array(127), vector.with(5, Number.NaN), vector.with(127, -Infinity)]) {
    expect(() => gallery.insert(2, bad)).toThrow(RangeError);
    expect(() => gallery.compare(bad, [1])).toThrow(RangeError);
    await expect(gallery.search(bad, ALL)).rejects.toThrow(RangeError);
  }
  for (const k of [0, -1, 1.5, Number.NaN])
    await expect(gallery.search(vector, { k, minSimilarity: 0 })).rejects.toThrow(RangeError);
  await expect(gallery.search(vector, { k: 1, minSimilarity: Number.NaN })).rejects.toThrow(RangeError);
  expect(gallery.size).toBe(1);
  await engine.close();
  await expect(gallery.search(vector, ALL)).rejects.toThrow('closed');
});

test('reports full memory and still searches its contents', async () => {
  const arena = createArena();
  const engine = createGalleryEngine({ threads: 2, mostBytesInline: 0, arena });
  const gallery = engine.createGallery(128);
  const vector = drawUnit(createDraw(1), 128);
  for (let key = 0; key < 4; key += 1) gallery.insert(key, vector);
  for (let bytes = 2 ** 31; bytes >= 64; bytes /= 2)
    expect(() => {
      for (;;) arena.allocate(bytes);
    }).toThrow('full');
  expect(() => gallery.insert(4, vector)).toThrow('full');
  expect(await gallery.search(vector, { k: 1, minSimilarity: 0.6 })).toMatchObject([{ key: 0 }]);
  await engine.close();
});
