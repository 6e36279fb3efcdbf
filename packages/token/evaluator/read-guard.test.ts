import { expect, test } from 'vitest';
import { createReadGuard } from './read-guard.ts';

test('defers an action until current readers, and no later ones, have finished', () => {
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
