// A file takes only the memory it needs, and its reply is rendered as it is read.

import { describe, expect, it, onTestFinished } from 'vitest';
import { override } from '#testing/override.ts';
import { borrowWorker } from '#testing/screening/borrowed-worker.ts';
import { buildTestIndex, createListedEntity } from '#testing/screening/listed-people.ts';
import { openCsv } from '../csv/file.ts';
import type { Task } from '../engine/messages.ts';
import { ScreeningPool } from '../engine/pool.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import { inOrder } from './pass.ts';
import { FileMemory } from './room.ts';
import { Sanctions } from './screen.ts';
import { splitHits } from './write-reply.ts';

const edition = { id: 1, index: buildTestIndex([createListedEntity('a', 'Torvald Eskeland', '1961-04-09')]) };

/** Opens the real pool, with a count of the started tasks. */
function openPool() {
  const real = new ScreeningPool({ size: 1, startWorker: borrowWorker });
  onTestFinished(() => real.close());
  const begun = {
    screen: 0,
    results: 0,
    records: 0,
    match: 0,
    search: 0,
    find: 0,
    entries: 0,
    glue: 0,
    concerned: 0,
  } satisfies Record<Task['kind'], number>;
  const pool = override<ScreeningPool>(real, {
    openLane(editions, owner) {
      const lane = real.openLane(editions, owner);
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
  });
  return { pool, begun };
}

/** Opens a catalog with one list, and counts its releases. */
function openCatalogue() {
  const state = { released: 0 };
  const selection = {
    editions: [edition],
    topic: 'all' as const,
    version: '1',
    warning: undefined as string | undefined,
    release() {
      state.released += 1;
    },
  };
  return { catalogue: { select: async () => selection } as unknown as Catalogue, selection, state };
}

async function orderOf(rows: string, header = 'id,firstname,lastname,dob') {
  const file = await openCsv(new TextEncoder().encode(`${header}\n${rows}`), { extended: true });
  return {
    dataset: 'x',
    threshold: 0.95,
    file,
    owner: { id: 'a', isStranger: false },
    signal: new AbortController().signal,
  };
}

it('releases room with every screened piece, and again with every written piece', async () => {
  const { pool } = openPool();
  let held = 0;
  const heldAfter: number[] = [];
  const room: Pick<FileMemory, 'enter'> = {
    async enter(bytes) {
      held = bytes;
      return {
        shrink(given) {
          held -= given;
          heldAfter.push(held);
        },
        release() {},
      };
    },
  };
  const sanctions = new Sanctions({ catalogue: openCatalogue().catalogue, pool, room });
  const order = await orderOf('1,Torvald,Eskeland,1961-04-09\n'.repeat(128) + '2,Nobody,Known,\n'.repeat(128 * 2));
  const screened = await sanctions.screen(order);
  const most = order.file.bytes.length + 3 * (1024 + 128 * (9 + 5 * 24));
  // One of five hits per row was in the first piece, and none in the others.
  expect(heldAfter).toEqual([most - 128 * 4 * 24, most - 128 * 9 * 24, most - 128 * 14 * 24]);
  for await (const _part of screened.reply());
  expect(heldAfter).toHaveLength(6);
  expect(held).toBe(order.file.bytes.length);
});

it('lists its warnings, those of the lists first, and keeps the first as the warning', async () => {
  const { pool } = openPool();
  const room = new FileMemory({ maxBytes: 1_000_000, smallBytes: 0 });
  const { catalogue, selection } = openCatalogue();
  const sanctions = new Sanctions({ catalogue, pool, room });
  const warningsFor = async (header: string) => {
    const parts: Uint8Array[] = [];
    const screened = await sanctions.screen(await orderOf('1,Torvald,Eskeland,,x,y\n', header));
    for await (const part of screened.reply()) parts.push(part);
    screened.close();
    const { warning, warnings } = JSON.parse(Buffer.concat(parts).toString()).summary;
    expect(warning).toBe(warnings?.[0]);
    return warnings;
  };
  const repeated = 'The header row names more than once: lastname, dob; the first such column was read.';
  expect(await warningsFor('id,firstname,lastname,dob,LastName,dob')).toEqual([repeated]);
  expect(await warningsFor('id,firstname,lastname,dob,countries,addresses')).toEqual([
    'Not read: countries (here it is called country), addresses (here it is called address).',
  ]);
  expect(await warningsFor('id,firstname,lastname,dob,note,note')).toBeUndefined();
  selection.warning = 'Only the demo.';
  expect(await warningsFor('id,firstname,lastname,dob,LastName,dob')).toEqual(['Only the demo.', repeated]);
});

it('stops rendering a reply that is not read any further, and releases its room', async () => {
  const { pool, begun } = openPool();
  const room = new FileMemory({ maxBytes: 1_000_000, smallBytes: 0 });
  const { catalogue, state } = openCatalogue();
  const sanctions = new Sanctions({ catalogue, pool, room });
  const screened = await sanctions.screen(await orderOf('1,Torvald,Eskeland,1961-04-09\n'.repeat(128 * 30)));
  expect(screened).toMatchObject({ total: 128 * 30, matched: 128 * 30 });
  expect(begun).toMatchObject({ screen: 30, results: 0, records: 0, match: 0 });
  const reply = screened.reply();
  await reply.next();
  await reply.next();
  // 16 rows at a time, some of which form one part of 32 KiB. Beyond that, only the read-ahead.
  expect(begun.records).toBeLessThan(40);
  expect(begun.results).toBe(0);
  await reply.return(undefined);
  expect(room.inside).toBe(1);
  screened.close();
  expect([room.inside, state.released]).toEqual([0, 1]);
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

describe('ordered results', () => {
  it('are returned in the order of the items, with a limit on running ones', async () => {
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

  it('include a failure at its position', async () => {
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
