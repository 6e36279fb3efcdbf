// Wallets are offered only if some proof could be accepted. Files may appear at runtime.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { createBrokenIssuer, daysFrom, type Fault, oddRootExtensions } from '@limen/wallet/testing/broken-issuer.ts';
import { makeCrl } from '@limen/wallet/testing/make-crl.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { createTrustFolder } from './folder.ts';
import { createTrustedAnchors } from './trusted-anchors.ts';

const NOW = new Date(createManualClock().now());
const VALID: [Date, Date] = [daysFrom(NOW, -1), daysFrom(NOW, 1)];

const PARTS = {
  sealer: { digest: () => Buffer.alloc(32) },
  clock: createManualClock(),
  log: { warn() {}, info() {} },
};

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
])('counts an issuer that is %s: %s', async (_, expected, fault) => {
  const { anchor } = await createBrokenIssuer(fault);
  const folder = {
    stamp: async () => 'once',
    read: async () => ({ kept: [{ file: 'mdl/root.pem', list: null, anchor }], crls: [], problems: [] }),
  };
  const anchors = createTrustedAnchors({ ...PARTS, folder });
  onTestFinished(() => anchors.close());
  expect(await anchors.of('live')).toEqual([anchor]);
  expect(anchors.has('mdl', 'live')).toBe(expected);
  expect(anchors.has('eu_age', 'live')).toBe(false);
});

it('finds revocation lists next to the issuers, each for its profile', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-crl-files-'));
  const anchors = createTrustedAnchors({ ...PARTS, folder: createTrustFolder(dataDir), lookEveryMs: 5 });
  onTestFinished(() => {
    anchors.close();
    rmSync(dataDir, { recursive: true });
  });
  expect(await anchors.crls('mdl')).toEqual([]);
  mkdirSync(join(dataDir, 'trust', 'mdl'), { recursive: true });
  const bytes = await makeCrl(await createTestIssuer({ profile: 'mdl', now: NOW }), { thisUpdate: NOW });
  writeFileSync(join(dataDir, 'trust', 'mdl', 'own.crl'), bytes);
  await expect
    .poll(() => anchors.crls('mdl'))
    .toMatchObject([{ file: 'mdl/own.crl', description: { thisUpdate: NOW } }]);
  const [found] = await anchors.crls('mdl');
  expect((await anchors.crls('mdl'))[0]).toBe(found);
  expect(await anchors.crls('eu_age')).toEqual([]);
  expect(await anchors.of('live')).toEqual([]);
});
