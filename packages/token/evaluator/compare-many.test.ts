import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkShape, scoreRows } from '../keyholder/index.ts';
import type { BlindedRows } from '../shared/index.ts';
import { encryptPolynomial } from '../testing/forge.ts';
import { encryptBody, openParties, type Parties } from '../testing/parties.ts';
import { ERROR_BAND } from '../testing/score-errors.ts';
import { randomVector, vectorNear } from '../testing/vectors.ts';
import { Evaluator, type EvaluatorOptions, type TokenArena, TokenMemoryFull } from './index.ts';

/** Eight chunks, the last one smaller. */
const TOKENS = 330;

let parties: Parties;
let probe: Uint8Array;
/** With a cosine of 0.8 to the probe; and strangers. */
let mate: Uint8Array;
let strangers: Uint8Array[];
/** Shared threads. Tests that end threads, fill the memory or close use their own. */
let evaluator: Evaluator;
const opened: Evaluator[] = [];

beforeAll(async () => {
  parties = await openParties();
  evaluator = new Evaluator({ threads: 2 });
  const { device, enrol: enroll, challenge } = parties;
  const vector = randomVector();
  probe = encryptBody(device, vector, challenge);
  mate = encryptBody(device, vectorNear(vector, 0.8), enroll);
  strangers = Array.from({ length: 4 }, () => encryptBody(device, vectorNear(vector, 0), enroll));
});

afterAll(() => evaluator.close());

afterEach(async () => {
  await Promise.all(opened.splice(0).map((evaluator) => evaluator.close()));
});

function open(options: EvaluatorOptions = {}): Evaluator {
  const own = new Evaluator({ threads: 2, ...options });
  opened.push(own);
  return own;
}

/** An arena with the mate at one position among strangers. */
function fill(owner: Evaluator, count: number, mateAt: number): { arena: TokenArena; slots: Uint32Array } {
  const arena = owner.createArena();
  const body = (index: number) => (index === mateAt ? mate : strangers[index % strangers.length]!);
  return { arena, slots: Uint32Array.from({ length: count }, (_, index) => arena.add(body(index))) };
}

function scoreAll(rows: BlindedRows): number[] {
  const out = new Float64Array(rows.count);
  scoreRows(rows, parties.enrol.key, parties.challenge.key, out);
  return [...out];
}

async function search(owner: Evaluator, arena: TokenArena, slots: Uint32Array, body = probe): Promise<number[]> {
  const scores: number[] = [];
  await owner.compareMany(arena, slots, body, async (rows, from) => {
    expect(from).toBe(scores.length);
    scores.push(...scoreAll(rows));
  });
  return scores;
}

test('returns rows in the order of the slots, each of the right token', async () => {
  const { arena, slots } = fill(evaluator, TOKENS, 200);
  const shuffled = slots.toReversed();
  for (const [list, mateAt] of [[slots, 200] as const, [shuffled, TOKENS - 1 - 200] as const]) {
    const scores = await search(evaluator, arena, list);
    expect(scores).toHaveLength(TOKENS);
    for (const [index, score] of scores.entries())
      expect(Math.abs(score - (index === mateAt ? 0.8 : 0))).toBeLessThan(ERROR_BAND);
  }
  expect(await search(evaluator, arena, new Uint32Array(0))).toEqual([]);
});

test('runs searches of different probes concurrently without interference', async () => {
  const { device, challenge } = parties;
  const { arena, slots } = fill(evaluator, TOKENS, 5);
  const stranger = encryptBody(device, randomVector(), challenge);
  const found = await Promise.all(
    Array.from({ length: 12 }, (_, index) => search(evaluator, arena, slots, index % 2 === 0 ? probe : stranger)),
  );
  for (const [index, scores] of found.entries()) {
    if (index % 2 === 0) expect(scores.indexOf(Math.max(...scores))).toBe(5);
    else expect(Math.max(...scores)).toBeLessThan(0.4);
  }
});

test('computes shapes between searches without interference or changes to its input', async () => {
  const { challenge } = parties;
  const { arena, slots } = fill(evaluator, TOKENS, 5);
  const given = Buffer.from(probe);
  const searches = Array.from({ length: 3 }, () => search(evaluator, arena, slots, given));
  const shapes = await Promise.all(Array.from({ length: 6 }, () => evaluator.shape(given)));
  for (const shape of shapes) expect(checkShape(shape, challenge.key)).toBe(true);
  for (const scores of await Promise.all(searches)) expect(scores.indexOf(Math.max(...scores))).toBe(5);
  expect(given.equals(probe)).toBe(true);
});

test('waits for each chunk to be taken and prepares only a few ahead', async () => {
  const { arena, slots } = fill(evaluator, TOKENS, 0);
  const buffers = new Set<ArrayBufferLike>();
  let isTaking = false;
  await evaluator.compareMany(arena, slots, probe, async ({ bytes }) => {
    expect(isTaking).toBe(false);
    isTaking = true;
    buffers.add(bytes.buffer);
    const before = bytes.slice();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    // No one writes to it while it is being taken.
    expect(Buffer.compare(before, Buffer.from(bytes))).toBe(0);
    isTaking = false;
  });
  expect(buffers.size).toBe(3);
});

test('ends a search if its consumer throws, and continues with the next one', async () => {
  const { arena, slots } = fill(evaluator, TOKENS, 7);
  let taken = 0;
  const refused = evaluator.compareMany(arena, slots, probe, async () => {
    taken += 1;
    if (taken === 2) throw new Error('gone away');
  });
  await expect(refused).rejects.toThrow('gone away');
  expect(taken).toBe(2);
  const scores = await search(evaluator, arena, slots);
  expect(scores.indexOf(Math.max(...scores))).toBe(7);
});

test('fails only the search of an invalid probe and keeps its thread', async () => {
  const started: Worker[] = [];
  const own = open({ onStart: (worker) => started.push(worker) });
  const { arena, slots } = fill(own, TOKENS, 7);
  const outOfRange = probe.slice().fill(255, 50, 60);
  for (let round = 0; round < 3; round++)
    await expect(search(own, arena, slots, outOfRange)).rejects.toThrow('out of range');
  const scores = await search(own, arena, slots);
  expect(scores.indexOf(Math.max(...scores))).toBe(7);
  expect(started.length).toBeLessThanOrEqual(2);
});

test('fails the search of an ended thread and replaces the thread', async () => {
  const started: Worker[] = [];
  // Ends the first thread before its first order. Later, it might be between two orders.
  const onStart = (worker: Worker) => {
    if (started.push(worker) === 1) void worker.terminate();
  };
  const own = open({ threads: 1, onStart });
  const { arena, slots } = fill(own, TOKENS, 7);
  await expect(search(own, arena, slots)).rejects.toThrow('ended');
  const scores = await search(own, arena, slots);
  expect(scores.indexOf(Math.max(...scores))).toBe(7);
  expect(started).toHaveLength(2);
});

test('keeps a removed token readable for running searches and its slot reserved until then', async () => {
  const { arena, slots } = fill(evaluator, TOKENS, TOKENS - 1);
  const scores: number[] = [];
  const added: number[] = [];
  await evaluator.compareMany(arena, slots, probe, async (rows, from) => {
    if (from === 0) {
      for (const slot of slots) arena.remove(slot);
      for (let index = 0; index < 10; index++) added.push(arena.add(mate));
    }
    scores.push(...scoreAll(rows));
  });
  expect(scores.indexOf(Math.max(...scores))).toBe(TOKENS - 1);
  expect(scores.filter((score) => score > 0.5)).toHaveLength(1);
  expect(added.some((slot) => slots.includes(slot))).toBe(false);
  expect(arena.size).toBe(10);
  // Free again.
  expect(slots).toContain(arena.add(mate));
});

test('counts, returns and reuses slots, and refuses slots of other arenas', async () => {
  const [arena, other] = [evaluator.createArena(), evaluator.createArena()];
  const slots = [arena.add(mate), arena.add(mate), arena.add(mate)];
  expect([arena.size, arena.bytes]).toEqual([3, 3 * 16_384]);
  arena.remove(slots[1]!);
  expect(() => arena.remove(slots[1]!)).toThrow(RangeError);
  expect(() => other.remove(slots[0]!)).toThrow(RangeError);
  expect(other.add(mate)).toBe(slots[1]);
  const noChunk = async () => expect.unreachable();
  for (const list of [[slots[1]!], [slots[0]!, 0], [2 ** 31]])
    await expect(evaluator.compareMany(arena, Uint32Array.from(list), probe, noChunk)).rejects.toThrow(RangeError);
  const foreign = open().createArena();
  await expect(evaluator.compareMany(foreign, new Uint32Array(0), probe, noChunk)).rejects.toThrow(
    'belongs to another',
  );
});

test('bounds its memory, and frees it when an arena is closed', () => {
  const own = open({ maxBytes: 20 * 16_384 });
  const { arena } = fill(own, 20, 0);
  const other = own.createArena();
  expect(() => other.add(mate)).toThrow(TokenMemoryFull);
  arena.close();
  expect([arena.size, arena.bytes]).toEqual([0, 0]);
  expect(() => arena.add(mate)).toThrow('closed');
  for (let index = 0; index < 20; index++) other.add(mate);
  expect(() => other.add(mate)).toThrow(TokenMemoryFull);
});

test('allocates nothing for a refused body', () => {
  const own = open({ maxBytes: 16_384 });
  const arena = own.createArena();
  for (let round = 0; round < 5; round++) expect(() => arena.add(mate.subarray(1))).toThrow();
  expect(arena.size).toBe(0);
  arena.add(mate);
});

test('ends a search if its arena or evaluator is closed', async () => {
  const own = open();
  const first = fill(own, TOKENS, 0);
  const closingArena = own.compareMany(first.arena, first.slots, probe, async () => first.arena.close());
  await expect(closingArena).rejects.toThrow('closed');
  const second = fill(own, TOKENS, 0);
  const closing = Promise.withResolvers<void>();
  const ended = own.compareMany(second.arena, second.slots, probe, async () => {
    own.close().then(closing.resolve, closing.reject);
  });
  await expect(ended).rejects.toThrow();
  await closing.promise;
  expect(second.arena.size).toBe(0);
  expect(() => own.createArena()).toThrow('closed');
  expect(() => own.compareOne(mate, probe)).toThrow('closed');
  await expect(search(own, second.arena, second.slots)).rejects.toThrow('closed');
});

test('returns arbitrary scores between -1.1 and 1.1 for rows read with another key', async () => {
  const { enrol: enroll } = parties;
  // Zero tokens, whose score is 0 with the right keys.
  const arena = evaluator.createArena();
  const slots = Uint32Array.from({ length: 64 }, () => arena.add(encryptPolynomial([], enroll.key)));
  const scores: number[] = [];
  await evaluator.compareMany(arena, slots, probe, async (rows) => {
    const out = new Float64Array(rows.count);
    scoreRows(rows, parties.challenge.key, parties.challenge.key, out);
    scores.push(...out);
  });
  expect(Math.max(...scores) - Math.min(...scores)).toBeGreaterThan(1.5);
});
