import { describe, expect, test } from 'vitest';
import type { Tie, TieWish } from '../../models/face-engine.ts';
import { createTiedPerson } from './tied-person.ts';

function start(...ties: Tie[]) {
  let forgets = 0;
  const person = createTiedPerson({
    tie: async () => ties.shift()!,
    forget: () => {
      forgets += 1;
    },
  });
  return { person, forgets: () => forgets };
}

describe('createTiedPerson', () => {
  test('keeps frames that look ahead, and only ties moving ones', async () => {
    const { person } = start('tied', 'tied', 'tied');
    expect([await person.tie(true), await person.tie(false), await person.tie(true)]).toEqual(['same', 'same', 'same']);
    expect(person.kept).toBe(2);
  });

  test('ties lit frames as strictly but does not keep them', async () => {
    const wishes: TieWish[] = [];
    const tie = async (wish: TieWish) => {
      wishes.push(wish);
      return 'tied' as const;
    };
    const person = createTiedPerson({ tie, forget() {} });
    for (const [isAhead, isLit] of [[true, false] as const, [true, true] as const, [false, true] as const])
      await person.tie(isAhead, isLit);
    expect(wishes).toEqual([{ isAhead: true }, { isAhead: true, isLit: true }, { isAhead: false, isLit: true }]);
    expect(person.kept).toBe(1);
  });

  test('reports a change after two mismatches in a row', async () => {
    const { person } = start('tied', 'unlike', 'unlike');
    await person.tie(true);
    expect([await person.tie(true), person.isDoubted, await person.tie(true)]).toEqual(['unknown', true, 'changed']);
    expect(person.kept).toBe(1);
  });

  test('reports no change after one bad frame', async () => {
    const { person } = start('tied', 'unlike', 'tied', 'unlike');
    for (const isAhead of [true, false, true, true]) expect(await person.tie(isAhead)).not.toBe('changed');
  });

  test('stays in doubt while no face is visible', async () => {
    const { person } = start('unlike', 'unseen', 'unlike');
    expect([await person.tie(true), await person.tie(true)]).toEqual(['unknown', 'unknown']);
    expect(person.isDoubted).toBe(true);
    expect(await person.tie(true)).toBe('changed');
  });

  test('accepts anyone after a reset', async () => {
    const { person, forgets } = start('tied', 'unlike', 'unlike');
    await person.tie(true);
    await person.tie(true);
    person.clear();
    expect([person.kept, person.isDoubted, forgets()]).toEqual([0, false, 1]);
    expect(await person.tie(true)).toBe('unknown');
  });
});
