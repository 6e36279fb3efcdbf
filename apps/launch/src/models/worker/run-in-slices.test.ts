import { expect, test } from 'vitest';
import { runInSlices } from './run-in-slices.ts';

function* work(pieces: number, done: (piece: number) => void): Generator<void, string> {
  for (let piece = 1; piece <= pieces; piece += 1) {
    done(piece);
    yield;
  }
  return 'all';
}

test('yields before the first slice, and whenever the time limit is exceeded', async () => {
  const course: (number | 'breath')[] = [];
  let time = 0;
  const clock = { now: () => time, yieldToEvents: async () => void course.push('breath') };
  const pieces = work(5, (piece) => {
    time += 15;
    course.push(piece);
  });
  expect(await runInSlices(pieces, clock)).toBe('all');
  expect(course).toEqual(['breath', 1, 2, 3, 'breath', 4, 5]);
});

test('runs earlier events first', async () => {
  let isAnswered = false;
  setTimeout(() => {
    isAnswered = true;
  });
  const wasAnswered: boolean[] = [];
  await runInSlices(work(1, () => void wasAnswered.push(isAnswered)));
  expect(wasAnswered).toEqual([true]);
});
