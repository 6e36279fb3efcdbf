// A key-holder with throttles and two enrolled people, and sign-ins by them and a stranger.
import { onTestFinished } from 'vitest';
import { THROTTLE_RULES, type ThrottleRules } from '../../src/faces/keyholder/limits.ts';
import { makeToken, randomVector, search } from './faces.ts';
import { openLocalKeyHolder } from './local-key-holder.ts';

export const ada = randomVector();
export const mallory = randomVector();
export const stranger = randomVector();
export const small = { refusals: 2, withinMs: 60_000, atOnce: 10, forgivable: 1 };
export const large = { ...small, refusals: 1_000, atOnce: 1_000 };
const LARGE = Object.fromEntries(Object.keys(THROTTLE_RULES).map((scope) => [scope, large])) as ThrottleRules;
export const vouched = { device: 'handle of a device', person: 'handle of mallory' };

export type ThrottledKeyHolder = Awaited<ReturnType<typeof openWith>>;

/** Opens a key-holder with ada and mallory enrolled, in this order. */
export async function openWith(options: Parameters<typeof openLocalKeyHolder>[0] = {}) {
  const holder = await openLocalKeyHolder(options);
  onTestFinished(() => holder.close());
  const made = [await makeToken(holder, ada), await makeToken(holder, mallory)];
  const among = { epoch: made[0]!.epoch, tokens: made.map(({ token }) => token) };

  /** Completes a sign-in. Returns whether someone was found. */
  async function signIn(vector: Float32Array, person: string, more: object = {}): Promise<'found' | 'nobody'> {
    const { challenge, best } = await search(holder, vector, { ...among, ...more });
    if (best === null) return 'nobody';
    return (await holder.settle(challenge, person)) === 'settled' ? 'found' : 'nobody';
  }
  const verify = (vector: Float32Array, more: object = {}) =>
    search(holder, vector, { ...among, person: 'handle of ada', ...more });

  return { holder, among, signIn, verify };
}

/** Opens a key-holder with these throttles, and no others within a test's reach. */
export const openWithRules = (some: Partial<ThrottleRules>) => openWith({ rules: { ...LARGE, ...some } });
