// Searches on threads while the gallery changes, and threads that end.
import { execFileSync } from 'node:child_process';
import type { Worker } from 'node:worker_threads';
import { PATIENCE_MS } from '@limen/testing/patience.ts';
import { afterEach, expect, test } from 'vitest';
import { createDraw, drawUnit, expectExact, scanNaively } from '../testing/vectors.ts';
import { createArena } from './arena.ts';
import { createLayout } from './block.ts';
import { createGalleryEngine } from './engine.ts';
import type { Gallery, GalleryEngine } from './gallery.ts';
import { chooseKernel, loadKernel } from './kernel/kernel.ts';
import { MemoryGallery } from './memory-gallery.ts';
import { scratchBytes } from './scan.ts';
import { ThreadPool } from './thread-pool.ts';

const DIMENSIONS = 128;
const workers: Worker[] = [];
let engine: GalleryEngine;

afterEach(() => engine.close());

function openGallery(rows: number): { gallery: Gallery; model: Map<number, Float32Array> } {
  workers.length = 0;
  engine = createGalleryEngine({ threads: 2, mostBytesInline: 0, onThread: (worker) => workers.push(worker) });
  const gallery = engine.createGallery(DIMENSIONS);
  const draw = createDraw(rows);
  const model = new Map(Array.from({ length: rows }, (_, key) => [key, drawUnit(draw, DIMENSIONS)]));
  for (const [key, vector] of model) gallery.insert(key, vector);
  return { gallery, model };
}

test('answers as of the moment of the reply, whatever changed during the search', async () => {
  const { gallery, model } = openGallery(700);
  const draw = createDraw(11);
  const underWay = new Set<Float32Array>();
  const searches: Promise<void>[] = [];
  let key = model.size;

  function beginSearch(): void {
    const query = drawUnit(draw, DIMENSIONS);
    const options = { k: 1 + Math.floor(draw() * 8), minSimilarity: draw() < 0.4 ? -Infinity : 0.6 };
    underWay.add(query);
    // No change can come between the reply and this check, because changes run in separate turns.
    const check = async () => {
      expectExact(await gallery.search(query, options), model, query, options);
      underWay.delete(query);
    };
    searches.push(check());
  }

  /** Removes the best hit of a running search, or inserts a better one into the same slot. */
  function change(query: Float32Array): void {
    // Takes as long as a thread needs for some of the slots, so that it may see old or new ones.
    const [best] = scanNaively(model, query);
    if (draw() < 0.6) {
      model.delete(best!.key);
      expect(gallery.remove(best!.key)).toBe(true);
    }
    if (draw() < 0.6) {
      key += 1;
      const noise = drawUnit(draw, DIMENSIONS);
      const vector = query.map((value, at) => value + (0.5 + 2 * draw()) * noise[at]!);
      model.set(key, vector);
      gallery.insert(key, vector);
    }
  }

  for (let round = 0; round < 60; round += 1) {
    while (underWay.size < 4) beginSearch();
    for (const query of underWay) change(query);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(searches);
  expect(gallery.size).toBe(model.size);
  const options = { k: model.size, minSimilarity: -Infinity };
  const query = drawUnit(draw, DIMENSIONS);
  expectExact(await gallery.search(query, options), model, query, options);
});

test('answers concurrent searches over several galleries independently', async () => {
  const { gallery, model } = openGallery(2500);
  const other = engine.createGallery(DIMENSIONS);
  other.insert(-1, model.get(0)!);
  const queries = Array.from({ length: 25 }, (_, at) => model.get(at * 100)!.slice());
  const answers = queries.map((query) => gallery.search(query, { k: 1, minSimilarity: 0.6 }));
  // Callers may reuse their array while the search waits.
  for (const query of queries) query.fill(0);
  expect((await Promise.all(answers)).map(([hit]) => hit?.key)).toEqual(queries.map((_, at) => at * 100));
  expect((await other.search(model.get(0)!, { k: 5, minSimilarity: -1 })).map(({ key }) => key)).toEqual([-1]);
  expect(workers).toHaveLength(2);
});

test('retries a search on another thread, with its own memory, if its thread ends', async () => {
  const { gallery, model } = openGallery(2500);
  const options = { k: 1, minSimilarity: 0.6 };
  await gallery.search(model.get(0)!, options);
  const keys = Array.from({ length: 80 }, (_, key) => key);
  const searchMany = async () => {
    const answers = await Promise.all(keys.map((key) => gallery.search(model.get(key)!, options)));
    return answers.map(([hit]) => hit?.key);
  };
  const answers = searchMany();
  // Ends the older thread, so that its replacement works next to an existing one.
  await workers[0]!.terminate();
  expect(await answers).toEqual(keys);
  for (let round = 0; round < 5; round += 1) expect(await searchMany()).toEqual(keys);
  expect(workers).toHaveLength(3);
});

test('gives up a search after several threads ended, and continues others', async () => {
  let isFatal = true;
  let started = 0;
  const onThread = (worker: Worker) => {
    started += 1;
    if (isFatal) void worker.terminate();
  };
  engine = createGalleryEngine({ threads: 1, mostBytesInline: 0, onThread });
  const gallery = engine.createGallery(DIMENSIONS);
  const vector = drawUnit(createDraw(1), DIMENSIONS);
  gallery.insert(1, vector);
  const options = { k: 1, minSimilarity: 0.6 };
  // After three threads each. The waiting search must not be forgotten when the other is given up.
  const searches = [gallery.search(vector, options), gallery.search(vector, options)];
  for (const search of searches) search.catch(() => {});
  for (const search of searches) await expect(search).rejects.toThrow('Try again');
  expect(started).toBe(6);
  isFatal = false;
  expect(await gallery.search(vector, options)).toMatchObject([{ key: 1 }]);
});

test('rejects a search once if no thread can be started', async () => {
  const onThread = () => {
    throw new Error('no thread');
  };
  engine = createGalleryEngine({ threads: 1, mostBytesInline: 0, onThread });
  const gallery = engine.createGallery(DIMENSIONS);
  const vector = drawUnit(createDraw(1), DIMENSIONS);
  gallery.insert(1, vector);
  await expect(gallery.search(vector, { k: 1, minSimilarity: 0.6 })).rejects.toThrow('no thread');
  // Would reject waiting searches unnoticed.
  gallery.drop();
  await new Promise((resolve) => setImmediate(resolve));
});

/** Runs a gallery that changes during every search, and counts searches with threads. */
async function searchWhileChanging(change: (gallery: Gallery, turn: number) => void) {
  const arena = createArena();
  const kind = chooseKernel();
  const pool = new ThreadPool({ threads: 1, arena, kind });
  engine = { createGallery: () => gallery, close: () => pool.close() };
  const counts = { byThreads: 0, inline: 0 };
  const kernel = loadKernel(kind, arena.memory);
  const gallery: Gallery = new MemoryGallery({
    id: 1,
    dimensions: DIMENSIONS,
    arena,
    kernel: {
      ...kernel,
      scanCoarse: (...call) => {
        counts.inline = 1;
        return kernel.scanCoarse(...call);
      },
    },
    scratchAt: arena.allocate(scratchBytes(createLayout(DIMENSIONS))),
    pool: {
      forget: (id) => pool.forget(id),
      search: async (job) => {
        const outcome = await pool.search(job);
        counts.byThreads += 1;
        change(gallery, counts.byThreads);
        return outcome;
      },
    },
    mostBytesInline: 0,
    checkOpen: () => {},
  });
  const query = drawUnit(createDraw(1), DIMENSIONS);
  gallery.insert(0, query);
  const hits = await gallery.search(query, { k: 1, minSimilarity: -1 });
  return { keys: hits.map(({ key }) => key), ...counts };
}

test('tries a search with constantly changing hits three times, then runs it on the calling thread', async () => {
  const outcome = await searchWhileChanging((gallery, turn) => {
    gallery.insert(turn, drawUnit(createDraw(1), DIMENSIONS));
    gallery.remove(turn - 1);
    // Into the slot of the hit.
    gallery.insert(-turn, drawUnit(createDraw(2), DIMENSIONS));
  });
  expect(outcome).toEqual({ keys: [3], byThreads: 3, inline: 1 });
});

test('tries a search next to thousands of other changes three times, but not on the calling thread', async () => {
  const far = drawUnit(createDraw(1), DIMENSIONS).map((value) => -value);
  const outcome = await searchWhileChanging((gallery, turn) => {
    for (let key = 1; key <= 2001; key += 1) gallery.insert(turn * 10_000 + key, far);
  });
  expect(outcome).toEqual({ keys: [0], byThreads: 3, inline: 0 });
});

test('rejects running searches on drop and close', async () => {
  const { gallery, model } = openGallery(2500);
  const kept = engine.createGallery(DIMENSIONS);
  kept.insert(9, model.get(0)!);
  const options = { k: 1, minSimilarity: 0.6 };
  const dropped = Array.from({ length: 5 }, () => gallery.search(model.get(0)!, options));
  const refusals = Promise.allSettled(dropped);
  gallery.drop();
  for (const outcome of await refusals) expect(outcome).toMatchObject({ status: 'rejected' });
  expect(await kept.search(model.get(0)!, options)).toMatchObject([{ key: 9 }]);
  const last = kept.search(model.get(0)!, options);
  const refused = expect(last).rejects.toThrow('closed');
  await engine.close();
  await refused;
});

/** Runs a program with a gallery of twenty, whose last vector is most similar to the query. */
function run(program: string): string {
  engine = createGalleryEngine({ threads: 0 });
  const index = new URL('./index.ts', import.meta.url).href;
  const opening = `
    const { createGalleryEngine } = await import(${JSON.stringify(index)});
    const gallery = createGalleryEngine({ threads: 2, mostBytesInline: 0 }).createGallery(128);
    for (let key = 0; key < 20; key += 1) gallery.insert(key, new Float32Array(128).fill(1 + key));
    const search = gallery.search(new Float32Array(128).fill(1), { k: 1, minSimilarity: 0 });`;
  const options = { encoding: 'utf8', timeout: PATIENCE_MS } as const;
  return execFileSync(process.execPath, ['--input-type=module', '-e', opening + program], options);
}

test('lets a process end if its threads are idle', () => {
  const program = `
    const timer = setInterval(() => {}, 1000);
    console.log((await search)[0].key);
    clearInterval(timer);`;
  expect(run(program)).toBe('19\n');
});

test('keeps a process alive if its threads are busy', () => {
  const program = `
    search.then(([hit]) => {
      console.log(hit.key);
      process.exit();
    });`;
  expect(run(program)).toBe('19\n');
});
