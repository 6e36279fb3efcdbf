// VICALs: accepted if their provider signed them, refused otherwise.
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestIssuer, type TestIssuer } from '../../test-issuer/test-issuer.ts';
import { daysFrom } from '../../testing/broken-issuer.ts';
import { createListProvider, type ListProvider, makeVical } from '../../testing/make-lists.ts';
import { NOW } from '../../testing/requests.ts';
import { encodeCbor } from '../cbor/codec.ts';
import { AnchorError, describeAnchor, importVical, readAnchors, type TrustAnchor, writeAnchor } from '../index.ts';

const MDL = 'org.iso.18013.5.1.mDL';
const DATES = { issuedAt: NOW, nextUpdate: daysFrom(NOW, 10) };
let authority: TestIssuer;
let lists: ListProvider;
let provider: TrustAnchor;

beforeAll(async () => {
  authority = await createTestIssuer({ profile: 'mdl', now: NOW, country: 'UT' });
  lists = await createListProvider(NOW);
  provider = (await readAnchors(lists.root, 'mdl'))[0]!;
});

describe('a VICAL', () => {
  it('returns the authorities of the profile and counts unusable ones', async () => {
    const certificate = authority.anchor.certificate.native.raw;
    const entries = [
      { certificate, docTypes: [MDL] },
      { certificate, docTypes: ['org.example.other'] },
      { certificate: lists.signer, docTypes: [MDL] },
    ];
    const list = await makeVical(lists, entries, DATES);
    const imported = await importVical(list, { profile: 'mdl', providers: [provider], now: NOW });
    expect(imported).toMatchObject({ skipped: 1, issuedAt: NOW, nextUpdate: daysFrom(NOW, 10) });
    expect(imported.anchors.map(describeAnchor)).toMatchObject([{ profile: 'mdl', isTest: false, country: 'UT' }]);
  });

  it('is refused if another provider is trusted', async () => {
    const list = await makeVical(lists, [], DATES);
    await expect(importVical(list, { profile: 'mdl', providers: [authority.anchor], now: NOW })).rejects.toThrow(
      'issuer_untrusted',
    );
  });

  it('is refused after a modification', async () => {
    const list = await makeVical(lists, [], DATES);
    const altered = list.with(-1, list.at(-1)! ^ 1);
    await expect(importVical(altered, { profile: 'mdl', providers: [provider], now: NOW })).rejects.toThrow(
      AnchorError,
    );
  });

  it('is refused if it is outdated', async () => {
    const list = await makeVical(lists, [], DATES);
    const now = daysFrom(NOW, 11);
    await expect(importVical(list, { profile: 'mdl', providers: [provider], now })).rejects.toThrow('out of date');
  });

  it('is refused if it is not a VICAL', async () => {
    const nothing = encodeCbor(['no', 'list']);
    await expect(importVical(nothing, { profile: 'mdl', providers: [provider], now: NOW })).rejects.toThrow(
      AnchorError,
    );
  });
});

describe('anchors in files', () => {
  it('survive a round trip', async () => {
    const pem = writeAnchor(authority.anchor) + writeAnchor(provider);
    const read = await readAnchors(`A note above.\n${pem}`, 'mdl', { isTest: true });
    expect(read.map(describeAnchor)).toMatchObject([
      { isTest: true, fingerprint: describeAnchor(authority.anchor).fingerprint },
      { isTest: true, name: 'C=UT, CN=Provider', notAfter: daysFrom(NOW, 30) },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ])('are refused: %s', async (_, pem) => {
    await expect(readAnchors(pem, 'mdl')).rejects.toThrow(AnchorError);
  });

  it('are refused if the certificate is not that of an authority', async () => {
    await expect(readAnchors(lists.signerPem, 'mdl')).rejects.toThrow('not that of an authority');
  });
});
