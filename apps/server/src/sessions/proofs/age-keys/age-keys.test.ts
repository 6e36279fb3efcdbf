// Concurrent uses of an age key: the row changes once.
import type { Logger } from 'pino';
import { expect, it } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { ownerFrom } from '../../../platform/api-keys/owner.ts';
import { named } from '../../../platform/base/ids.ts';
import { AgeKeys } from './age-keys.ts';
import { formatMonth } from './rules.ts';

const clock = createManualClock();
const earned = {
  ageOver: 18,
  method: 'document',
  month: formatMonth(clock.now()),
  requirements: [],
  light: 'not_asked',
};
const customer = Buffer.alloc(32).toString('base64url');
const key = { ...earned, customer, minted: '', publicKey: '', counter: 0 };
type Options = ConstructorParameters<typeof AgeKeys>[0];

it('accepts the use that changed the row and refuses the other', async () => {
  const changed: boolean[] = [true, false];
  const ageKeys = new AgeKeys({
    scope: 'customer',
    store: {
      find: async () => ({ id: 'key', revision: 1, key }),
      change: async () => changed.shift(),
    } as unknown as Options['store'],
    ceremony: {
      // A synced passkey always reports zero, so its counter does not help.
      verifyAssertion: async (_challenge: Buffer, _response: unknown, find: (id: string) => Promise<unknown>) => ({
        known: await find('id'),
        counter: 0,
      }),
    } as unknown as Options['ceremony'],
    embedders: async () => [],
    sealer: { digest: () => Buffer.alloc(32) } as unknown as Options['sealer'],
    clock,
    log: { info() {} } as unknown as Logger,
  });
  const owner = ownerFrom({ customer: named('shop'), world: 'live' });
  const thresholds = { ageThreshold: 18, documentAgeThreshold: 18 };
  const asker = { owner, maxDays: 90, strength: 'face', needsLight: false, ...thresholds } as const;
  const tryOnce = () => ageKeys.use({ sessionId: 'session', attempt: 1 }, asker, {});
  expect(await tryOnce()).toMatchObject({ proven: { ageOver: 18 } });
  expect(await tryOnce()).toEqual({ refused: 'not_valid' });
  expect([...ageKeys.counts].filter(([, count]) => count > 0)).toEqual([
    ['used', 1],
    ['not_valid', 1],
  ]);
});
