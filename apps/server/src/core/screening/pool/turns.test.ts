import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

/** Takes so many turns, each of which costs what its taker says; everybody goes on for ever. */
function play(takers: { name: string; costs: number; workedMs: number }[], turns: number): string[] {
  const round = createTurns<(typeof takers)[number]>();
  for (const one of takers) round.join(one);
  return Array.from({ length: turns }, () => {
    const one = round.next()!;
    one.workedMs += one.costs;
    round.join(one);
    return one.name;
  });
}

const taker = (name: string, costs: number, workedMs = 0) => ({ name, costs, workedMs });

it('goes round among those that have had little', () => {
  expect(play([taker('a', 1), taker('b', 5), taker('c', 1)], 7).join('')).toBe('abcabca');
});

it('goes to the one that came first among those that have had much, until it is done', () => {
  expect(play([taker('a', 400, 2_000), taker('b', 400, 3_000), taker('c', 400, 1_000)], 5).join('')).toBe('aaaaa');
});

it('goes to those that have had little first, and now and then to the others', () => {
  expect(play([taker('A', 400, 5_000), taker('B', 400, 5_000), taker('c', 1), taker('d', 1)], 11).join('')).toBe(
    'cdcdAcdcdAc',
  );
});

it('makes one that has had its little wait for those that came before it', () => {
  expect(play([taker('A', 400, 5_000), taker('b', 600)], 6).join('')).toBe('bbAAAA');
});

it('is nobody’s where nobody waits, and not that of one that has left', () => {
  const round = createTurns();
  expect(round.next()).toBeUndefined();
  const [one, other] = [taker('a', 1), taker('b', 1, 9_000)];
  for (const each of [one, other]) round.join(each);
  round.leave(one);
  round.leave(one);
  expect([round.next(), round.next()]).toEqual([other, undefined]);
});
