// Requests reach the key-holder unchanged.
import { expect, it } from 'vitest';
import { keyHolderOver, type Link } from './link.ts';

function recordCalls() {
  const asked: unknown[] = [];
  const call = async (name: string, ask: object) => {
    asked.push([name, ask]);
    return { reply: { challenge: 'c', expiresAt: 1 }, blobs: [1, 2, 3].map(() => new Uint8Array(1)) };
  };
  const link = { call, state: () => 'ready', close: async () => {} } as unknown as Link;
  return { asked, holder: keyHolderOver(link) };
}

it('passes all throttle inputs with a challenge request', async () => {
  const { asked, holder } = recordCalls();
  const ask = { customer: 'acme', purpose: 'identify', session: 's', address: 'a' } as const;
  await holder.openChallenge(ask);
  const vouched = { device: 'd', person: 'p' };
  await holder.openChallenge({ ...ask, vouched });
  expect(asked).toEqual([
    ['openChallenge', ask],
    ['openChallenge', { ...ask, vouched }],
  ]);
});
