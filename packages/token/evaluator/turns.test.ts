import { expect, test } from 'vitest';
import { createReadGuard } from './read-guard.ts';
import { createTurns } from './turns.ts';

test('no more than so many work at a time, and the others come in their order, also after failures', async () => {
  const turns = createTurns(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const ended = gates.map(({ promise }, index) =>
    turns
      .take(async () => {
        begun.push(index);
        await promise;
        if (index === 0) throw new Error('failed');
        return index;
      })
      .catch(() => -1),
  );
  expect(begun).toEqual([0, 1]);
  gates[0]!.resolve();
  await ended[0];
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const gate of gates) gate.resolve();
  expect(await Promise.all(ended)).toEqual([-1, 1, 2, 3, 4]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(await turns.take(async () => 'free')).toBe('free');
});

test('what must not happen while somebody reads waits for those who read then, and for no others', () => {
  const guard = createReadGuard();
  const done: string[] = [];
  guard.afterReaders(() => done.push('at once'));
  expect(done).toEqual(['at once']);
  const endFirst = guard.begin();
  const endSecond = guard.begin();
  guard.afterReaders(() => done.push('after two'));
  const endThird = guard.begin();
  guard.afterReaders(() => done.push('after three'));
  endFirst();
  endFirst();
  expect(done).toEqual(['at once']);
  endSecond();
  expect(done).toEqual(['at once', 'after two']);
  endThird();
  expect(done).toEqual(['at once', 'after two', 'after three']);
});
