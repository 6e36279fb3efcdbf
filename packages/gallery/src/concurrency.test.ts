// Searches on threads while the gallery changes under them, and threads that end.
import { execFileSync } from 'node:child_process';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { createGalleryEngine } from './engine.ts';
import type { Gallery, GalleryEngine } from './gallery.ts';
import { createDraw, drawUnit, expectExact, scanNaively } from './test-vectors.ts';

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

test('an answer is that of the moment in which it is given, whatever changed meanwhile', async () => {
  const { gallery, model } = openGallery(700);
  const draw = createDraw(11);
  const underWay = new Set<Float32Array>();
  const searches: Promise<void>[] = [];
  let key = model.size;

  function beginSearch(): void {
    const query = drawUnit(draw, DIMENSIONS);
    const options = { k: 1 + Math.floor(draw() * 8), minSimilarity: draw() < 0.4 ? -Infinity : 0.6 };
    underWay.add(query);
    // No change can come between the answer and this check: changes are made in turns of their own.
    const check = async () => {
      expectExact(await gallery.search(query, options), model, query, options);
      underWay.delete(query);
    };
    searches.push(check());
  }

  /** Takes out the best hit of a search under way, or puts in a better one, often into the slot of the former. */
  function change(query: Float32Array): void {
    // This takes as long as a thread takes to pass over some of the slots: it may have seen the old ones or the new.
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

  for (let round = 0; round < 140; round += 1) {
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

test('many searches at once over several galleries each get their own answer', async () => {
  const { gallery, model } = openGallery(2500);
  const other = engine.createGallery(DIMENSIONS);
  other.insert(-1, model.get(0)!);
  const queries = Array.from({ length: 25 }, (_, at) => model.get(at * 100)!);
  const answers = await Promise.all(queries.map((query) => gallery.search(query, { k: 1, minSimilarity: 0.6 })));
  expect(answers.map(([hit]) => hit?.key)).toEqual(queries.map((_, at) => at * 100));
  expect((await other.search(model.get(0)!, { k: 5, minSimilarity: -1 })).map(({ key }) => key)).toEqual([-1]);
  expect(workers).toHaveLength(2);
});

test('a search whose thread ends is refused, and another thread takes its place', async () => {
  const { gallery, model } = openGallery(2500);
  const query = model.get(42)!;
  const options = { k: 1, minSimilarity: 0.6 };
  await gallery.search(query, options);
  const searches = Array.from({ length: 6 }, () => gallery.search(query, options));
  const settled = Promise.allSettled(searches);
  await Promise.all(workers.slice(0, 2).map((worker) => worker.terminate()));
  const outcomes = await settled;
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('try again');
    else expect(outcome.value[0]?.key).toBe(42);
  }
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  expect((await gallery.search(query, options))[0]?.key).toBe(42);
  expect(workers.length).toBeGreaterThan(2);
});

test('drop and close refuse the searches under way', async () => {
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

test('idle threads let a process end, busy ones do not', () => {
  engine = createGalleryEngine({ threads: 0 });
  const index = new URL('./index.ts', import.meta.url).href;
  const program = `
    const { createGalleryEngine } = await import(${JSON.stringify(index)});
    const gallery = createGalleryEngine({ threads: 2, mostBytesInline: 0 }).createGallery(128);
    for (let key = 0; key < 20; key += 1) gallery.insert(key, new Float32Array(128).fill(1 + key));
    const hits = await gallery.search(new Float32Array(128).fill(1), { k: 1, minSimilarity: 0 });
    console.log(hits[0].key);`;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })).toBe('19\n');
});
