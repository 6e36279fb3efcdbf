// Whether there is anybody whose proofs could be taken: nobody is asked for what cannot be accepted.
import { createBrokenIssuer, daysFrom, type Fault, oddRootExtensions } from '@limen/wallet/testing/broken-issuer.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { createTrustedAnchors } from './trusted-anchors.ts';

const NOW = new Date(createManualClock().now());
const VALID: [Date, Date] = [daysFrom(NOW, -1), daysFrom(NOW, 1)];

it.each<[string, boolean, Fault]>([
  ['that is valid', true, { rootDates: VALID }],
  ['that has expired', false, { rootDates: [daysFrom(NOW, -9), daysFrom(NOW, -1)] }],
  ['that is not valid yet', false, { rootDates: [daysFrom(NOW, 1), daysFrom(NOW, 9)] }],
  [
    'that may not sign certificates',
    false,
    { rootDates: VALID, root: (x509) => [new x509.BasicConstraintsExtension(true, 0, true)] },
  ],
  ['that asks for more than is understood', false, { rootDates: VALID, root: oddRootExtensions }],
])('an authority %s counts: %s', async (_, expected, fault) => {
  const { anchor } = await createBrokenIssuer(fault);
  const folder = {
    stamp: async () => 'once',
    read: async () => ({ kept: [{ file: 'mdl/root.pem', list: null, anchor }], crls: [], problems: [] }),
  };
  const sealer = { digest: () => Buffer.alloc(32) };
  const log = { warn() {}, info() {} };
  const anchors = createTrustedAnchors({ folder, sealer, clock: createManualClock(), log });
  onTestFinished(() => anchors.close());
  expect(await anchors.of('live')).toEqual([anchor]);
  expect(anchors.has('mdl', 'live')).toBe(expected);
  expect(anchors.has('eu_age', 'live')).toBe(false);
});
