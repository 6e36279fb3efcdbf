// Turns by owner: a crowd of one owner's delays another's by no more than what is under way.
import { expect, it } from 'vitest';
import { TooManyWaiting } from '../../people/store/turnstile.ts';
import { createFairLine, type FairLine } from './fair-line.ts';

/** Pieces that end when they are told to, and the order in which they began. */
function queue(line: FairLine) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const add = (owner: string) =>
    line(owner, async () => {
      begun.push(owner);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const endOne = async () => {
    ends.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, ends, add, endOne };
}

it('one customer’s hundred waiting searches delay another’s one by at most the search under way', async () => {
  const { begun, ends, add, endOne } = queue(createFairLine({ maxAtOnce: 1, maxOfOwner: 100, maxWaiting: 1_000 }));
  const crowd = Array.from({ length: 101 }, () => add('crowd'));
  const other = add('other');
  await endOne();
  expect(begun).toEqual(['crowd', 'other']);
  while (ends.length > 0) await endOne();
  await Promise.all([...crowd, other]);
  expect(begun).toHaveLength(102);
});

it('owners take turns, each in the order in which its pieces came', async () => {
  const { begun, ends, add, endOne } = queue(createFairLine({ maxAtOnce: 2, maxOfOwner: 9, maxWaiting: 99 }));
  const all = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map(add);
  while (ends.length > 0) await endOne();
  await Promise.all(all);
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

it('an owner whose line is full is sent away, and nobody else; all together have a bound too', async () => {
  const { ends, add, endOne } = queue(createFairLine({ maxAtOnce: 1, maxOfOwner: 2, maxWaiting: 3 }));
  const all = [add('a'), add('a'), add('a'), add('b')];
  await expect(add('a')).rejects.toBeInstanceOf(TooManyWaiting);
  await expect(add('b')).rejects.toBeInstanceOf(TooManyWaiting);
  while (ends.length > 0) await endOne();
  await Promise.all(all);
});

it('the next one is let in after a failure', async () => {
  const line = createFairLine({ maxAtOnce: 1, maxOfOwner: 9, maxWaiting: 99 });
  const failing = line('a', async () => {
    throw new Error('no');
  });
  const next = line('a', async () => 'in');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('in');
  expect(await line('b', async () => 'again')).toBe('again');
});
