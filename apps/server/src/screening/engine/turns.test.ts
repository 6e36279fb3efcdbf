import { describe, expect, it } from 'vitest';
import { createTurns, LITTLE_MS } from './turns.ts';

interface Call {
  name: string;
  costs: number;
  workedMs: number;
  account: { isStranger: boolean; recent: { ms: number } };
}

/** Takes a number of turns, each with the cost of its call. No call ever ends. */
function play(calls: Call[], turns: number): string[] {
  const round = createTurns<Call>();
  for (const call of calls) round.join(call);
  return Array.from({ length: turns }, () => {
    const call = round.next()!;
    call.workedMs += call.costs;
    call.account.recent.ms += call.costs;
    round.join(call);
    return call.name;
  });
}

const account = (ms = 0, isStranger = false) => ({ isStranger, recent: { ms } });
const stranger = (ms = 0) => account(ms, true);
const call = (name: string, costs: number, workedMs = 0, owner = account(workedMs)): Call => ({
  ...{ name, costs, workedMs },
  account: owner,
});

describe('calls of one owner', () => {
  const play1 = (calls: Call[], turns: number) => {
    const owner = account();
    return play(
      calls.map((call) => ({ ...call, account: owner })),
      turns,
    );
  };

  it('alternate while they have used little', () => {
    expect(play1([call('a', 1), call('b', 5), call('c', 1)], 7).join('')).toBe('abcabca');
  });

  it('are served in order of arrival once they have used much, each until it is done', () => {
    expect(play1([call('a', 400, 2_000), call('b', 400, 3_000), call('c', 400, 1_000)], 5).join('')).toBe('aaaaa');
  });

  it('are served first while they have used little, with an occasional turn for the others', () => {
    expect(play1([call('A', 400, 5_000), call('B', 400, 5_000), call('c', 1), call('d', 1)], 11).join('')).toBe(
      'cdcdAcdcdAc',
    );
  });

  it('wait for earlier calls once they have used their share', () => {
    expect(play1([call('A', 400, 5_000), call('b', 600)], 6).join('')).toBe('bbAAAA');
  });
});

describe('several owners', () => {
  it('alternate, however many calls each has', () => {
    const flood = account();
    const calls = Array.from({ length: 100 }, (_, at) => call(`f${at}`, 1, 0, flood));
    expect(play([...calls, call('h', 1), call('i', 1)], 7)).toEqual(['f0', 'h', 'i', 'f1', 'h', 'i', 'f2']);
  });

  it('delay a new call by at most one turn of an owner that used much in the last minute', () => {
    const flood = account(60_000);
    const calls = Array.from({ length: 100 }, (_, at) => call(`f${at}`, 400, 0, flood));
    expect(play([...calls, call('h', 1)], 6)).toEqual(['h', 'h', 'h', 'h', 'f0', 'h']);
  });

  it('pass their usage on to new calls, and the least usage goes first', () => {
    const [flood, honest] = [account(60_000), account(2_000)];
    const calls = Array.from({ length: 24 }, (_, at) => call(`f${at}`, 400, 5_000, flood));
    expect(play([...calls, call('h', 400, 0, honest)], 4)).toEqual(['h', 'h', 'h', 'h']);
  });

  it('leave a thread reserved for light owners if none of them is light', () => {
    const round = createTurns<Call>();
    const hasLittle = ({ recent }: Call['account']) => recent.ms < LITTLE_MS;
    round.join(call('much', 1, 5_000));
    expect(round.next(hasLittle)).toBeUndefined();
    round.join(call('little', 1));
    expect([round.next(hasLittle), round.next(hasLittle), round.next()].map((call) => call?.name)).toEqual([
      'little',
      undefined,
      'much',
    ]);
  });

  it('share equally once their usage is equal', () => {
    expect(
      play([call('a', 400, 2_000), call('b', 400, 2_000)], 6)
        .sort()
        .join(''),
    ).toBe('aaabbb');
  });
});

describe('anonymous callers', () => {
  const crowd = (count: number) => Array.from({ length: count }, (_, at) => call(`s${at}`, 1, 0, stranger()));

  it('wait for a known owner, however many they are and however much it has used', () => {
    expect(play([...crowd(100), call('k', 400, 0, account(60_000))], 4).join('')).toBe('kkkk');
  });

  it('get an occasional turn, in order', () => {
    expect(play([...crowd(2), call('k', 1)], 11).join('')).toBe('kkkks0kkkks1k');
  });

  it('owe no turn to calls that came while no anonymous caller waited', () => {
    const round = createTurns<Call>();
    const known = [1, 2, 3, 4, 5].map((at) => call(`k${at}`, 1));
    for (const each of known) round.join(each);
    for (const _ of known.slice(1)) round.next();
    for (const each of crowd(1)) round.join(each);
    expect([round.next()?.name, round.next()?.name, round.isEmpty]).toEqual(['k5', 's0', true]);
  });

  it('keep their turn while they may not use it', () => {
    const round = createTurns<Call>();
    const known = Array.from({ length: 7 }, (_, at) => call(`k${at}`, 1));
    for (const each of [...known, ...crowd(1)]) round.join(each);
    const isKnown = ({ isStranger }: Call['account']) => !isStranger;
    const begun = Array.from({ length: 6 }, () => round.next(isKnown)?.name);
    expect([...begun, round.next()?.name]).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 's0']);
  });
});

it('get no turn when nothing waits, nor do calls that left', () => {
  const round = createTurns<Call>();
  expect(round.next()).toBeUndefined();
  const [one, other] = [call('a', 1), call('b', 1, 9_000)];
  for (const each of [one, other]) round.join(each);
  round.leave(one);
  round.leave(one);
  expect([round.next(), round.next()]).toEqual([other, undefined]);
  expect(round.isEmpty).toBe(true);
});
