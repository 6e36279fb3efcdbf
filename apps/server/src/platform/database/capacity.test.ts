// Limits a store, with a fake clock and count. The limit is exact for one process, approximate for
// several.
import { describe, expect, it } from 'vitest';
import { type Amount, createCapacity } from './capacity.ts';

const MAX = { rows: 100, bytes: 1_000 };
const SECOND = 1_000;

/** Opens one store for any number of processes. */
function openStore(max: Amount = MAX) {
  const stored = { rows: 0, bytes: 0 };
  const state = { now: 0, counts: 0 };
  const openProcess = () => {
    const capacity = createCapacity({
      max,
      now: () => state.now,
      async count() {
        state.counts += 1;
        return { ...stored };
      },
    });
    return {
      capacity,
      async add(amount: Amount): Promise<boolean> {
        await capacity.refresh();
        const end = capacity.reserve(amount);
        if (!end) return false;
        stored.rows += amount.rows;
        stored.bytes += amount.bytes;
        end(amount);
        return true;
      },
      remove(amount: Amount) {
        stored.rows -= amount.rows;
        stored.bytes -= amount.bytes;
        capacity.removed(amount);
      },
    };
  };
  return { stored, state, openProcess };
}

const one = { rows: 1, bytes: 1 };

it('accepts what fits in rows and bytes, and as much again as was removed', async () => {
  const { openProcess } = openStore();
  const { add, remove } = openProcess();
  expect(await add({ rows: 1, bytes: 1_000 })).toBe(true);
  expect(await add(one)).toBe(false);
  remove({ rows: 1, bytes: 1_000 });
  expect(await add({ rows: 100, bytes: 100 })).toBe(true);
  expect(await add(one)).toBe(false);
  remove(one);
  expect([await add(one), await add(one)]).toEqual([true, false]);
});

it('counts pending writes as used, and releases them if they fail', async () => {
  const { openProcess } = openStore();
  const { capacity } = openProcess();
  await capacity.refresh();
  const ends = [capacity.reserve({ rows: 60, bytes: 1 }), capacity.reserve({ rows: 60, bytes: 1 })];
  expect(ends[1]).toBeUndefined();
  ends[0]!({ rows: 10, bytes: 1 });
  expect(capacity.freeRows).toBe(90);
});

it('does not count the rows at each write', async () => {
  const { openProcess, state } = openStore();
  const { add } = openProcess();
  for (let write = 0; write < 10; write++) {
    state.now += 2 * SECOND;
    await add(one);
  }
  expect(state.counts).toBe(1);
  state.now += 60 * SECOND;
  await add(one);
  expect(state.counts).toBe(2);
});

it('notices rows that are removed during a count', async () => {
  const counted = Promise.withResolvers<Amount>();
  const counts = [counted.promise, Promise.resolve({ rows: 99, bytes: 0 })];
  const capacity = createCapacity({ max: MAX, count: () => counts.shift()!, now: () => 0 });
  const first = capacity.refresh();
  capacity.removed(one);
  counted.resolve({ rows: 100, bytes: 0 });
  await first;
  expect(capacity.freeRows).toBe(1);
});

describe('several processes', () => {
  it('exceed the limit by at most one second of writes', async () => {
    const { openProcess, state, stored } = openStore({ rows: 10_000, bytes: 1_000_000 });
    const processes = [openProcess(), openProcess(), openProcess()];
    const perTick = 10;
    for (let tick = 0; tick < 1_000; tick++) {
      state.now += SECOND / 10;
      for (const { add } of processes) await add({ rows: perTick, bytes: 1 });
    }
    expect(stored.rows).toBeGreaterThanOrEqual(10_000 - perTick);
    expect(stored.rows).toBeLessThanOrEqual(10_000 + processes.length * perTick * 11);
  });

  it('see within a second what another process removed', async () => {
    const { openProcess, state } = openStore();
    const [a, b] = [openProcess(), openProcess()];
    await a.add({ rows: 100, bytes: 1 });
    expect(await b.add(one)).toBe(false);
    a.remove(one);
    expect(await b.add(one)).toBe(false);
    state.now += SECOND;
    expect(await b.add(one)).toBe(true);
  });
});
