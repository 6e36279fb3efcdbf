// Open challenges: how many there may be, of whom, and that nothing of one stays.
import type { SecretKey } from '@limen/token/keyholder';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ChallengeAsk, Throttled } from '../core/keyholder/keyholder.ts';
import {
  CHALLENGE_TTL_MS,
  type Challenge,
  type Challenges,
  createChallenges,
  MAX_CHALLENGES_OF_ADDRESS,
  MAX_CHALLENGES_OF_CUSTOMER,
  MAX_CHALLENGES_OF_VOUCHER,
  MAX_ENROLMENTS,
  MAX_ENROLMENTS_OF_ADDRESS,
  MAX_ENROLMENTS_OF_CUSTOMER,
  MAX_STRANGERS,
} from './challenges.ts';
import { ask } from './testing/faces.ts';

let now: number;
let dropped: string[];
let challenges: Challenges;

beforeEach(() => {
  now = 0;
  dropped = [];
  challenges = createChallenges(
    () => now,
    ({ id }) => void dropped.push(id),
  );
});

function open(
  id: string,
  customer = 'acme',
  session = id,
  { purpose = 'identify', address = id, vouched }: Pick<Partial<ChallengeAsk>, 'purpose' | 'address' | 'vouched'> = {},
): Challenge {
  const asked = ask(purpose, { customer, session, address, vouched });
  challenges.makeRoom(asked);
  const challenge: Challenge = { id, ask: asked, key: {} as SecretKey, endsAt: now + CHALLENGE_TTL_MS };
  challenges.add(challenge);
  return challenge;
}

describe('challenges', () => {
  it('are dropped when their time is over, and only then', () => {
    open('first');
    now = 30_000;
    open('second');
    now = CHALLENGE_TTL_MS - 1;
    challenges.sweep();
    expect(dropped).toEqual([]);
    now = CHALLENGE_TTL_MS;
    challenges.sweep();
    expect(dropped).toEqual(['first']);
    expect(challenges.size).toBe(1);
  });

  it('of one customer never fill the room of the others', () => {
    for (let count = 0; count < MAX_CHALLENGES_OF_CUSTOMER; count++) open(`a${count}`, 'acme');
    expect(() => open('one more', 'acme')).toThrow(Throttled);
    now = 50_500;
    expect(() => open('one more', 'acme')).toThrow(expect.objectContaining({ retryAfter: 10 }));
    now = CHALLENGE_TTL_MS;
    open('one more', 'acme');
    expect(challenges.size).toBe(1);
  });

  it('of two customers that are flooded keep no third one out: whoever has most gives up the oldest', () => {
    open('begun', 'acme').attempt = {} as never;
    for (let count = 1; count < MAX_CHALLENGES_OF_CUSTOMER; count++) open(`a${count}`, 'acme');
    for (let count = MAX_CHALLENGES_OF_CUSTOMER; count < MAX_STRANGERS; count++) open(`b${count}`, 'other');
    open('third', 'third');
    open('third again', 'third');
    expect(dropped).toEqual(['a1', 'a2']);
    expect(challenges.size).toBe(MAX_STRANGERS);
    // Neither does the flood itself gain by it, nor the third one more than an equal part.
    for (let count = 2; count < MAX_STRANGERS / 3; count++) open(`c${count}`, 'third');
    expect(() => open('one more', 'third')).toThrow(Throttled);
    expect(() => open('one more', 'other')).toThrow(Throttled);
  });

  it('of enrolments that nobody goes on with leave room for sign-ins, of the same customer and of others', () => {
    const enrol = (id: string, customer: string) => open(id, customer, id, { purpose: 'enrol' });
    for (let count = 0; count < MAX_ENROLMENTS_OF_CUSTOMER; count++) enrol(`a${count}`, 'acme');
    expect(() => enrol('one more', 'acme')).toThrow(Throttled);
    open('sign-in', 'acme');
    for (let count = MAX_ENROLMENTS_OF_CUSTOMER; count < MAX_ENROLMENTS; count++) enrol(`b${count}`, 'other');
    expect(() => enrol('one more', 'other')).toThrow(Throttled);
    enrol('of a third', 'third');
    expect(dropped).toEqual(['a0']);
    open('sign-in of a third', 'third');
  });

  it('of one address never fill the room of the others', () => {
    const from = (id: string, address: string) => open(id, 'acme', id, { address });
    for (let count = 0; count < MAX_CHALLENGES_OF_ADDRESS; count++) from(`a${count}`, 'one');
    expect(() => from('one more', 'one')).toThrow(Throttled);
    from('elsewhere', 'another');
    now = CHALLENGE_TTL_MS;
    from('again', 'one');
  });

  it('of enrolments at one address leave room for sign-ins there', () => {
    const from = (id: string, purpose: 'enrol' | 'identify') => open(id, 'acme', id, { address: 'one', purpose });
    for (let count = 0; count < MAX_ENROLMENTS_OF_ADDRESS; count++) from(`a${count}`, 'enrol');
    expect(() => from('one more', 'enrol')).toThrow(Throttled);
    from('sign-in', 'identify');
  });

  it('of strangers leave room for whoever is vouched for, at the same address, customer and in all', () => {
    const asVouched = (id: string, person: string) => {
      open(id, 'acme', id, { address: 'one', vouched: { device: `device of ${person}`, person } });
    };
    for (let count = 0; count < MAX_CHALLENGES_OF_ADDRESS; count++)
      open(`a${count}`, 'acme', `a${count}`, { address: 'one' });
    for (let count = MAX_CHALLENGES_OF_ADDRESS; count < MAX_CHALLENGES_OF_CUSTOMER; count++) open(`a${count}`, 'acme');
    for (let count = MAX_CHALLENGES_OF_CUSTOMER; count < MAX_STRANGERS; count++) open(`b${count}`, 'other');
    for (let count = 0; count < MAX_CHALLENGES_OF_VOUCHER; count++) asVouched(`v${count}`, 'ada');
    expect(() => asVouched('one more', 'ada')).toThrow(Throttled);
    asVouched('of another', 'ben');
  });

  it('of people who were made up just now leave room for whoever was there before', () => {
    const asVouched = (id: string, person: string, isNew: boolean) =>
      open(id, 'acme', id, { vouched: { device: `device of ${person}`, person, isNew } });
    for (let count = 0; count < MAX_CHALLENGES_OF_CUSTOMER; count++) asVouched(`m${count}`, `made up ${count}`, true);
    expect(() => asVouched('one more', 'one more', true)).toThrow(Throttled);
    asVouched('of ada', 'ada', false);
  });

  it('take the place of the one that the same session left unbegun', () => {
    open('first', 'acme', 'session');
    open('second', 'acme', 'session');
    expect(dropped).toEqual(['first']);
    open('third', 'other', 'session');
    expect(dropped).toEqual(['first']);
  });

  it('leave one alone that was begun', () => {
    open('first', 'acme', 'session').attempt = {} as never;
    open('second', 'acme', 'session');
    expect(dropped).toEqual([]);
  });
});
