// Long work in pieces: who asks meanwhile is answered before it goes on.
import { expect, test } from 'vitest';
import { takeBreaths } from './take-breaths.ts';

function* work(pieces: number, done: (piece: number) => void): Generator<void, string> {
  for (let piece = 1; piece <= pieces; piece += 1) {
    done(piece);
    yield;
  }
  return 'all';
}

test('there is a breath before the first piece, and after as many as take longer than anybody may wait', async () => {
  const course: (number | 'breath')[] = [];
  let time = 0;
  const clock = { now: () => time, breathe: async () => void course.push('breath') };
  const pieces = work(5, (piece) => {
    time += 15;
    course.push(piece);
  });
  expect(await takeBreaths(pieces, clock)).toBe('all');
  expect(course).toEqual(['breath', 1, 2, 3, 'breath', 4, 5]);
});

test('whatever came before goes first', async () => {
  let isAnswered = false;
  setTimeout(() => {
    isAnswered = true;
  });
  const wasAnswered: boolean[] = [];
  await takeBreaths(work(1, () => void wasAnswered.push(isAnswered)));
  expect(wasAnswered).toEqual([true]);
});
