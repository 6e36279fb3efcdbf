// Hourly budgets of sign-in answers per address, person and customer.
import { describe, expect, it } from 'vitest';
import { ask } from '#testing/faces/faces.ts';
import { ada, mallory, openWith, stranger } from '#testing/faces/throttled-key-holder.ts';
import { ThrottledError } from '../link/calls.ts';
import { shareOut } from './hourly-budgets.ts';

describe('the sign-in answer budget', () => {
  const ofAda = { device: 'device of ada', person: 'handle of ada' };

  it('used up by one address leaves that of other addresses and known devices', async () => {
    const { holder, signIn } = await openWith({ budgets: { sign_in_address: 3 } });
    for (let time = 0; time < 3; time++) expect(await signIn(mallory, 'handle of mallory')).toBe('found');
    const refused = await holder.openChallenge(ask('identify')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'ThrottledError', retryAfter: 3_600 });
    expect(holder.warnings).toEqual([expect.stringContaining('one address has had all 3 answers')]);
    expect(await signIn(ada, 'handle of ada', { address: 'another' })).toBe('found');
    for (let time = 0; time < 6; time++) {
      expect(await signIn(ada, 'handle of ada', { vouched: ofAda })).toBe('found');
    }
    await expect(holder.openChallenge(ask('identify', { vouched: ofAda }))).rejects.toBeInstanceOf(ThrottledError);
    await expect(holder.openChallenge(ask('enrol'))).resolves.toBeDefined();
  });

  it('used up for one person makes them look like a stranger, and wait when verified', async () => {
    const { holder, signIn, verify } = await openWith({ budgets: { sign_in_person: 3 } });
    for (let time = 0; time < 2; time++) {
      expect(await signIn(ada, 'handle of ada', { address: `address ${time}` })).toBe('found');
    }
    expect((await verify(ada)).best).not.toBeNull();
    expect(await signIn(ada, 'handle of ada', { address: 'fourth' })).toBe('nobody');
    for (const vector of [ada, stranger]) {
      await expect(verify(vector)).rejects.toMatchObject({ name: 'PersonLockedError', retryAfter: 3_600 });
    }
    expect(await signIn(mallory, 'handle of mallory')).toBe('found');
    // Others who use a photo of her do not exhaust the budget of her own device.
    for (let time = 0; time < 3; time++) {
      expect(await signIn(ada, 'handle of ada', { vouched: ofAda })).toBe('found');
    }
    await expect(holder.openChallenge(ask('identify', { vouched: ofAda }))).rejects.toBeInstanceOf(ThrottledError);
    holder.clock.advance(3_600_000);
    expect(await signIn(ada, 'handle of ada')).toBe('found');
  });

  it('used up by newly enrolled people at few addresses leaves some for established ones', async () => {
    const { signIn } = await openWith({ budgets: { sign_in: 16 } }); // 12 for strangers, 4 for one person, 2 through an address of known devices
    const devicesOf = (count: number, more: object) =>
      Array.from({ length: count }, (_, nth) => ({
        address: `office ${Math.floor(nth / 2)}`,
        vouched: { device: `device ${nth}`, person: `made up ${nth}`, ...more },
      }));
    const matched = async (attempts: ReturnType<typeof devicesOf>) => {
      let times = 0;
      for (const attempt of attempts) {
        const outcome = await signIn(mallory, attempt.vouched.person, attempt).catch((error: Error) => error.name);
        if (outcome === 'found') times += 1;
      }
      return times;
    };
    expect(await matched(devicesOf(20, { isNew: true }))).toBe(12);
    // People who waited a day cannot take the rest through one address.
    const atOne = devicesOf(8, {}).map((attempt) => ({ ...attempt, address: 'one office' }));
    expect(await matched(atOne)).toBe(2);
    for (let time = 0; time < 2; time++) {
      expect(await signIn(ada, 'handle of ada', { address: 'at home', vouched: ofAda })).toBe('found');
    }
  });

  it("of one person or address is never most of a customer's, in any configuration", () => {
    const set = { sign_in: 60, sign_in_address: 600, sign_in_person: 120, enrol: 30, enrol_address: 30 };
    expect(shareOut(set)).toEqual({
      ...set,
      sign_in_strangers: 45,
      sign_in_address: 30,
      sign_in_vouched_address: 8,
      sign_in_person: 15,
      sign_in_voucher: 15,
    });
  });
});
