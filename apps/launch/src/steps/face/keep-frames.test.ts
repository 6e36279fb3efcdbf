import { describe, expect, test } from 'vitest';
import { createKeeper } from './keep-frames.ts';

function start() {
  const done: string[] = [];
  const keeper = createKeeper({ keep: () => done.push('keep'), forget: () => done.push('forget') });
  return { keeper, done };
}

describe('the frames that are kept', () => {
  test('are two of each time that the person looks ahead', () => {
    const { keeper } = start();
    for (let time = 0; time < 2_000; time += 200) keeper.consider({ phase: 'resting', index: 0 }, true, time);
    expect(keeper.count).toBe(2);
    for (let time = 2_000; time < 4_000; time += 200) keeper.consider({ phase: 'returning', index: 1 }, true, time);
    expect(keeper.count).toBe(4);
    for (let time = 4_000; time < 6_000; time += 200) keeper.consider({ phase: 'returning', index: 2 }, true, time);
    expect(keeper.count).toBe(6);
  });

  test('are as many as are needed once all is done', () => {
    const { keeper } = start();
    for (let time = 0; time < 2_000; time += 200) keeper.consider({ phase: 'passed', index: 3 }, true, time);
    expect(keeper.count).toBe(10);
  });

  test('are never of a movement, and never bad', () => {
    const { keeper, done } = start();
    keeper.consider({ phase: 'asking', index: 0 }, true, 0);
    keeper.consider({ phase: 'passed', index: 3 }, false, 0);
    expect([keeper.count, done]).toEqual([0, []]);
  });

  test('are a little apart, so that they are not all the same', () => {
    const { keeper } = start();
    for (const time of [0, 149, 150, 299]) keeper.consider({ phase: 'passed', index: 3 }, true, time);
    expect(keeper.count).toBe(2);
  });

  test('are all gone after a new beginning, which may keep as many again', () => {
    const { keeper, done } = start();
    for (const time of [0, 200, 400]) keeper.consider({ phase: 'resting', index: 0 }, true, time);
    keeper.clear();
    expect([keeper.count, done]).toEqual([0, ['keep', 'keep', 'forget']]);
    for (const time of [600, 800, 1_000]) keeper.consider({ phase: 'resting', index: 0 }, true, time);
    expect(keeper.count).toBe(2);
  });
});
