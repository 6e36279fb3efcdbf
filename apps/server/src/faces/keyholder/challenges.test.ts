// Open challenges: limits per owner, and complete removal.
import { beforeEach, describe, expect, it } from 'vitest';
import { ask } from '#testing/faces/faces.ts';
import { openTestStore } from '#testing/faces/file-store.ts';
import { makeFolder } from '#testing/faces/folder.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { CHALLENGE_LIMITS, type Challenges, createChallenges, shareOutChallenges } from './challenges.ts';
import {
  CHALLENGE_TTL_MS,
  MAX_CHALLENGES_OF_ADDRESS,
  MAX_CHALLENGES_OF_VOUCHER,
  MAX_ENROLLMENTS_OF_ADDRESS,
} from './limits.ts';
import { type ChallengeRequest, ThrottledError } from './link/calls.ts';
import type { KeyHolderStore } from './store/store.ts';

/** An eighth of the production limits. */
const LIMITS = shareOutChallenges(512);
let clock: ManualClock;
let store: KeyHolderStore;
let challenges: Challenges;

beforeEach(async () => {
  clock = createManualClock();
  store = await openTestStore(makeFolder(), { clock });
  challenges = createChallenges(store.sealer, LIMITS);
  return () => store.close();
});

async function open(
  id: string,
  customer = 'acme',
  session = id,
  {
    purpose = 'identify',
    address = id,
    vouched,
  }: Pick<Partial<ChallengeRequest>, 'purpose' | 'address' | 'vouched'> = {},
): Promise<void> {
  const asked = ask(purpose, { customer, session, address, vouched });
  await store.transact(async (rows) => {
    await challenges.makeRoom(rows, asked);
    await challenges.add(rows, id, asked, Buffer.alloc(8));
  });
}

const begin = (id: string) => store.transact((rows) => challenges.begin(rows, id));

/** The ids that no longer exist. */
async function goneOf(...ids: string[]): Promise<string[]> {
  const all = await store.read((rows) => rows.all<{ id: string }>`select id from challenges`);
  return ids.filter((id) => !all.some((one) => one.id === id));
}

async function size(): Promise<number> {
  return (await store.read((rows) => rows.get<{ n: number }>`select count(*) as n from challenges`))!.n;
}

describe('challenges', () => {
  it('are limited as documented', () => {
    expect(CHALLENGE_LIMITS).toEqual({
      all: 4_096,
      strangers: 3_072,
      ofCustomer: 2_048,
      vouchedOfCustomer: 1_024,
      enrolments: 1_024,
      enrolmentsOfCustomer: 512,
    });
  });

  it('expire exactly at the end of their time', async () => {
    await open('first');
    clock.advance(30_000);
    await open('second');
    clock.advance(CHALLENGE_TTL_MS - 30_001);
    await store.transact(challenges.sweep);
    expect(await goneOf('first', 'second')).toEqual([]);
    clock.advance(1);
    await store.transact(challenges.sweep);
    expect(await goneOf('first', 'second')).toEqual(['first']);
  });

  it('start once, and only before they expire', async () => {
    await open('first');
    const find = () => store.read((rows) => challenges.find(rows, 'first'));
    expect(await find()).toMatchObject({ ask: { customer: 'acme', purpose: 'identify' } });
    clock.advance(CHALLENGE_TTL_MS - 1);
    expect(await begin('first')).toEqual(Buffer.alloc(8));
    await expect(find()).rejects.toMatchObject({ reason: 'used' });
    clock.advance(1);
    await expect(find()).rejects.toMatchObject({ reason: 'expired' });
    await store.transact(challenges.sweep);
    await expect(find()).rejects.toMatchObject({ reason: 'unknown' });
  });

  it('of one customer leave room for others', async () => {
    for (let count = 0; count < LIMITS.ofCustomer; count++) await open(`a${count}`, 'acme');
    await expect(open('one more', 'acme')).rejects.toThrow(ThrottledError);
    clock.advance(50_500);
    await expect(open('one more', 'acme')).rejects.toThrow(expect.objectContaining({ retryAfter: 10 }));
    clock.advance(CHALLENGE_TTL_MS - 50_500);
    await open('one more', 'acme');
    expect(await size()).toBe(1);
  });

  it('of two flooding customers leave room for a third; the largest holder loses its oldest', async () => {
    await open('begun', 'acme');
    await begin('begun');
    for (let count = 1; count < LIMITS.ofCustomer; count++) await open(`a${count}`, 'acme');
    for (let count = LIMITS.ofCustomer; count < LIMITS.strangers; count++) await open(`b${count}`, 'other');
    await open('third', 'third');
    await open('third again', 'third');
    expect(await goneOf('begun', 'a1', 'a2', 'a3', `b${LIMITS.ofCustomer}`)).toEqual(['a1', 'a2']);
    expect(await size()).toBe(LIMITS.strangers);
    // The flood gains nothing, and the third customer gets at most an equal share.
    for (let count = 2; count < LIMITS.strangers / 3; count++) await open(`c${count}`, 'third');
    await expect(open('one more', 'third')).rejects.toThrow(ThrottledError);
    await expect(open('one more', 'other')).rejects.toThrow(ThrottledError);
  });

  it('of abandoned enrollments leave room for sign-ins of any customer', async () => {
    const enroll = (id: string, customer: string) => open(id, customer, id, { purpose: 'enrol' });
    for (let count = 0; count < LIMITS.enrolmentsOfCustomer; count++) await enroll(`a${count}`, 'acme');
    await expect(enroll('one more', 'acme')).rejects.toThrow(ThrottledError);
    await open('sign-in', 'acme');
    for (let count = LIMITS.enrolmentsOfCustomer; count < LIMITS.enrolments; count++)
      await enroll(`b${count}`, 'other');
    await expect(enroll('one more', 'other')).rejects.toThrow(ThrottledError);
    await enroll('of a third', 'third');
    expect(await goneOf('a0', 'a1', `b${LIMITS.enrolmentsOfCustomer}`)).toEqual(['a0']);
    await open('sign-in of a third', 'third');
  });

  it('of one address leave room for others', async () => {
    const from = (id: string, address: string) => open(id, 'acme', id, { address });
    for (let count = 0; count < MAX_CHALLENGES_OF_ADDRESS; count++) await from(`a${count}`, 'one');
    await expect(from('one more', 'one')).rejects.toThrow(ThrottledError);
    await from('elsewhere', 'another');
    clock.advance(CHALLENGE_TTL_MS);
    await from('again', 'one');
  });

  it('of enrollments at one address leave room for sign-ins there', async () => {
    const from = (id: string, purpose: 'enrol' | 'identify') => open(id, 'acme', id, { address: 'one', purpose });
    for (let count = 0; count < MAX_ENROLLMENTS_OF_ADDRESS; count++) await from(`a${count}`, 'enrol');
    await expect(from('one more', 'enrol')).rejects.toThrow(ThrottledError);
    await from('sign-in', 'identify');
  });

  it('of strangers leave room for vouched sign-ins at the same address and customer, and overall', async () => {
    const asVouched = (id: string, person: string) =>
      open(id, 'acme', id, { address: 'one', vouched: { device: `device of ${person}`, person } });
    for (let count = 0; count < MAX_CHALLENGES_OF_ADDRESS; count++)
      await open(`a${count}`, 'acme', `a${count}`, { address: 'one' });
    for (let count = MAX_CHALLENGES_OF_ADDRESS; count < LIMITS.ofCustomer; count++) await open(`a${count}`, 'acme');
    for (let count = LIMITS.ofCustomer; count < LIMITS.strangers; count++) await open(`b${count}`, 'other');
    for (let count = 0; count < MAX_CHALLENGES_OF_VOUCHER; count++) await asVouched(`v${count}`, 'ada');
    await expect(asVouched('one more', 'ada')).rejects.toThrow(ThrottledError);
    await asVouched('of another', 'ben');
  });

  it('of newly enrolled people leave room for established ones', async () => {
    const asVouched = (id: string, person: string, isNew: boolean) =>
      open(id, 'acme', id, { vouched: { device: `device of ${person}`, person, isNew } });
    for (let count = 0; count < LIMITS.ofCustomer; count++) await asVouched(`m${count}`, `made up ${count}`, true);
    await expect(asVouched('one more', 'one more', true)).rejects.toThrow(ThrottledError);
    await asVouched('of ada', 'ada', false);
  });

  it('replace an unstarted challenge of the same session', async () => {
    await open('first', 'acme', 'session');
    await open('second', 'acme', 'session');
    expect(await goneOf('first', 'second')).toEqual(['first']);
    await open('third', 'other', 'session');
    expect(await goneOf('first', 'second')).toEqual(['first']);
  });

  it('do not replace a started one', async () => {
    await open('first', 'acme', 'session');
    await begin('first');
    await open('second', 'acme', 'session');
    expect(await goneOf('first', 'second')).toEqual([]);
  });
});
