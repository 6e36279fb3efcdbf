// Throttles against account holders, many addresses, new session keys and concurrent sessions.
import { SHAPE_BYTES } from '@limen/token/shared';
import { describe, expect, it } from 'vitest';
import { ask, MODEL_VERSION, makeProbe, shapeOf } from '#testing/faces/faces.ts';
import {
  ada,
  mallory,
  openWith,
  openWithRules,
  small,
  stranger,
  vouched,
} from '#testing/faces/throttled-key-holder.ts';
import { THROTTLE_RULES } from '../limits.ts';
import { ThrottledError } from '../link/calls.ts';

/** Refusals before the throttle engages. */
async function countUntilThrottled(attempt: (nth: number) => Promise<unknown>): Promise<number> {
  for (let times = 0; times < 100; times++) {
    try {
      await attempt(times);
    } catch (error) {
      if (error instanceof ThrottledError) return times;
      throw error;
    }
  }
  throw new Error('it was never throttled');
}

describe('an account holder', () => {
  it('gets no more guesses from an address by signing in as themselves in between', async () => {
    const { signIn } = await openWith();
    const guesses = await countUntilThrottled(async (nth) => {
      expect(await signIn(stranger, '', { session: `s${nth}` })).toBe('nobody');
      if (nth % 5 === 4 && nth < 19) expect(await signIn(mallory, 'handle of mallory')).toBe('found');
    });
    expect(guesses).toBe(20);
  });

  it('gets exactly 13 guesses per hour at a person, even with successes of that person in between', async () => {
    const { verify } = await openWith();
    let refused = 0;
    await countUntilThrottled(async (nth) => {
      // Each from another address.
      await verify(stranger, { address: `address ${nth}` });
      refused += 1;
      if (nth % 2 === 0) await verify(ada, { address: `address ${nth}` }).catch(() => undefined);
    });
    expect(refused).toBe(THROTTLE_RULES.person.refusals + THROTTLE_RULES.person.forgivable);
  });

  it('is counted as the voucher on all their devices', async () => {
    const { holder, signIn } = await openWithRules({ voucher: small });
    for (const device of ['one', 'two']) {
      await signIn(stranger, '', { address: device, vouched: { ...vouched, device } });
    }
    const third = ask('identify', { address: 'three', vouched: { ...vouched, device: 'three' } });
    await expect(holder.openChallenge(third)).rejects.toMatchObject({ name: 'ThrottledError', retryAfter: 60 });
    const another = { ...vouched, person: 'handle of ben' };
    await expect(holder.openChallenge(ask('identify', { vouched: another }))).resolves.toBeDefined();
  });

  it.each(['address', 'customer'] as const)(
    'is counted for at the %s too, where strangers wait then',
    async (scope) => {
      const { holder, signIn } = await openWithRules({ [scope]: small });
      for (let time = 0; time < 2; time++) await signIn(stranger, '', { vouched });
      await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(ThrottledError);
      expect(await signIn(mallory, 'handle of mallory', { vouched })).toBe('found');
    },
  );

  it.each(['device', 'vouched_address', 'vouched_customer'] as const)('is throttled by %s', async (scope) => {
    const { holder, signIn } = await openWithRules({ [scope]: small });
    for (let time = 0; time < 2; time++) await signIn(stranger, '', { vouched });
    await expect(holder.openChallenge(ask('identify', { vouched }))).rejects.toBeInstanceOf(ThrottledError);
    await expect(holder.openChallenge(ask('identify'))).resolves.toBeDefined();
  });
});

describe('a newly enrolled person', () => {
  it('does not lock established people of the customer', async () => {
    const { signIn } = await openWithRules({ vouched_customer: small });
    for (let nth = 0; nth < 3; nth++) {
      const madeUp = { device: `device ${nth}`, person: `made up ${nth}`, isNew: true };
      await signIn(stranger, '', { address: `address ${nth}`, vouched: madeUp });
    }
    expect(await signIn(mallory, 'handle of mallory', { vouched })).toBe('found');
  });
});

describe('a stranger', () => {
  it('has no budget per session, because the session key is ignored', async () => {
    const { holder, signIn } = await openWithRules({ address: small });
    for (const session of ['one', 'two']) await signIn(stranger, '', { session });
    await expect(holder.openChallenge(ask('identify', { session: 'three' }))).rejects.toBeInstanceOf(ThrottledError);
    await expect(holder.openChallenge(ask('identify', { address: 'another' }))).resolves.toBeDefined();
  });

  it('with many addresses is stopped at the customer, but not at another', async () => {
    const { holder, signIn } = await openWithRules({ customer: small });
    for (const address of ['one', 'two']) await signIn(stranger, '', { address });
    await expect(holder.openChallenge(ask('identify', { address: 'three' }))).rejects.toBeInstanceOf(ThrottledError);
    await expect(holder.openChallenge(ask('identify', { customer: 'another' }))).resolves.toBeDefined();
  });

  it('with concurrent sessions gets no more guesses than with sequential ones', async () => {
    const { holder } = await openWithRules({ address: { ...small, refusals: 3 } });
    const opened = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => holder.openChallenge(ask('identify', { session: `s${nth}` }))),
    );
    const begun = await Promise.allSettled(
      opened.map(async (challenge) => {
        const shape = await shapeOf(await makeProbe(stranger, challenge));
        return holder.begin(challenge.challenge, { modelVersion: MODEL_VERSION }, shape);
      }),
    );
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('is refused for an unsettled search', async () => {
    const { holder } = await openWithRules({ address: small });
    for (let time = 0; time < 2; time++) {
      const opened = await holder.openChallenge(ask('identify', { session: `s${time}` }));
      const shape = await shapeOf(await makeProbe(stranger, opened));
      await holder.begin(opened.challenge, { modelVersion: MODEL_VERSION }, shape);
      expect(await holder.finish(opened.challenge)).toEqual({ best: null });
    }
    holder.clock.advance(60_000);
    await expect(holder.openChallenge(ask('identify'))).resolves.toBeDefined(); // which sweeps
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(ThrottledError);
  });

  it('is counted for malformed probes', async () => {
    const { holder } = await openWithRules({ address: small });
    for (let time = 0; time < 2; time++) {
      const { challenge } = await holder.openChallenge(ask('identify'));
      const probe = { bytes: new Uint8Array(SHAPE_BYTES) };
      expect(await holder.begin(challenge, { modelVersion: MODEL_VERSION }, probe)).toBe('malformed');
    }
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(ThrottledError);
  });
});
