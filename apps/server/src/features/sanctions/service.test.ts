// The reply is made as it is read: what nobody takes is not rendered.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Catalogue } from './catalogue.ts';
import { openCsv } from './csv-file.ts';
import { createFileRoom } from './file-room.ts';
import { inOrder } from './in-order.ts';
import { createScreeningPool, type ScreeningPool } from './screening-pool.ts';
import { createSanctions, splitHits } from './service.ts';
import { indexOf, listed } from './testing/listed-people.ts';
import type { Task } from './worker-messages.ts';

const edition = { id: 1, index: indexOf([listed('a', 'Torvald Eskeland', '1961-04-09')]) };

/** The real pool, with a count of the tasks that were begun. */
function openPool() {
  const real = createScreeningPool({ size: 1 });
  onTestFinished(() => real.close());
  const begun: Record<Task['kind'], number> = { screen: 0, results: 0, records: 0 };
  const pool: ScreeningPool = {
    ...real,
    openLane(editions) {
      const lane = real.openLane(editions);
      return {
        ...lane,
        run: (make) =>
          lane.run(() => {
            const task = make();
            begun[task.kind] += 1;
            return task;
          }),
      };
    },
  };
  return { pool, begun };
}

it('a reply that is not read any further is not rendered any further, and leaves its room', async () => {
  const { pool, begun } = openPool();
  const room = createFileRoom(1_000_000);
  let released = 0;
  const catalogue = {
    select: async () => ({
      editions: [edition],
      topic: 'all' as const,
      version: '1',
      warning: undefined,
      release: () => {
        released += 1;
      },
    }),
  } as unknown as Catalogue;
  const sanctions = createSanctions({ catalogue, pool, room });
  const rows = '1,Torvald,Eskeland,1961-04-09\n'.repeat(128 * 30);
  const file = await openCsv(new TextEncoder().encode(`id,firstname,lastname,dob\n${rows}`));
  const order = { dataset: 'x', threshold: 0.95, file, signal: new AbortController().signal };
  const screened = await sanctions.screen(order);
  expect(screened).toMatchObject({ total: 128 * 30, matched: 128 * 30 });
  expect(begun).toEqual({ screen: 30, results: 0, records: 0 });
  const reply = screened.reply();
  await reply.next();
  await reply.next();
  // 16 rows at a time, of which some make one part of 32 KiB; beyond that only what is ahead.
  expect(begun.records).toBeLessThan(40);
  expect(begun.results).toBe(0);
  await reply.return(undefined);
  expect(room.inside).toBe(1);
  screened.close();
  expect([room.inside, released]).toEqual([0, 1]);
});

describe('hits', () => {
  it('are split by rows and never within one', () => {
    const rows = Array.from({ length: 40 }, (_, row) => Array<number>((row % 5) + 1).fill(row * 3)).flat();
    const hits = Uint32Array.from(rows.flatMap((row, hit) => [row, 0, hit, 7]));
    const hitScores = Float64Array.from(rows.map((_, hit) => hit));
    const parts = [...splitHits({ hits, hitScores })];
    expect(parts.map((part) => new Set(part.hits.filter((_, place) => place % 4 === 0)).size)).toEqual([16, 16, 8]);
    expect(parts.flatMap((part) => [...part.hits])).toEqual([...hits]);
    expect(parts.flatMap((part) => [...part.hitScores])).toEqual([...hitScores]);
    expect([...splitHits({ hits: new Uint32Array(), hitScores: new Float64Array() })]).toEqual([]);
  });
});

describe('in order', () => {
  it('hands results out as the items came, never with more begun than allowed', async () => {
    let open = 0;
    let most = 0;
    const results: number[] = [];
    const work = async (item: number) => {
      open += 1;
      most = Math.max(most, open);
      for (let turns = 0; turns < 20 - item; turns += 1) await Promise.resolve();
      open -= 1;
      return item;
    };
    for await (const result of inOrder(
      Array.from({ length: 20 }, (_, index) => index),
      3,
      work,
    ))
      results.push(result);
    expect(results).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(most).toBe(3);
  });

  it('throws a failure where its turn comes', async () => {
    const seen: number[] = [];
    const work = async (item: number) => {
      if (item === 2) throw new Error('two');
      return item;
    };
    await expect(async () => {
      for await (const result of inOrder([0, 1, 2, 3], 4, work)) seen.push(result);
    }).rejects.toThrow('two');
    expect(seen).toEqual([0, 1]);
  });
});
