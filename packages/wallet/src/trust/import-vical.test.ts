// A list of authorities: read where its provider signed it, refused otherwise.
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate, rootExtensions } from '../../test-issuer/make-certificates.ts';
import { signCose } from '../../test-issuer/sign-cose.ts';
import { createTestIssuer, deriveSigningKeys, type TestIssuer } from '../../test-issuer/test-issuer.ts';
import { daysFrom } from '../../testing/broken-issuer.ts';
import { NOW } from '../../testing/requests.ts';
import { encodeCbor, encodeDate } from '../cbor/codec.ts';
import { AnchorError, describeAnchor, importVical, readAnchors, type TrustAnchor, writeAnchor } from '../index.ts';
import { readAnchor } from './anchors.ts';
import { loadX509 } from './load-x509.ts';

const MDL = 'org.iso.18013.5.1.mDL';
let authority: TestIssuer;
let provider: TrustAnchor;
let signer: Uint8Array;
let keys: Awaited<ReturnType<typeof deriveSigningKeys>>;

beforeAll(async () => {
  const x509 = await loadX509();
  authority = await createTestIssuer({ profile: 'mdl', now: NOW, country: 'UT' });
  const rootKeys = await deriveSigningKeys(new Uint8Array(32), 20);
  keys = await deriveSigningKeys(new Uint8Array(32), 21);
  const shared = {
    issuerName: 'C=UT, CN=Provider',
    notBefore: NOW,
    notAfter: daysFrom(NOW, 30),
    signingKey: rootKeys.privateKey,
  };
  const root = await makeCertificate({
    ...shared,
    name: 'C=UT, CN=Provider',
    publicKey: rootKeys.publicKey,
    extensions: rootExtensions(x509),
  });
  provider = await readAnchor(root, 'mdl');
  signer = await makeCertificate({
    ...shared,
    name: 'C=UT, CN=Signer of lists',
    publicKey: keys.publicKey,
    extensions: [new x509.KeyUsagesExtension(1, true), new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.8'], true)],
  });
});

describe('a VICAL', () => {
  it('gives the authorities of the profile, and counts what cannot be one', async () => {
    const list = await makeVical([
      entry(authority.anchor.certificate.native.raw, [MDL]),
      entry(authority.anchor.certificate.native.raw, ['org.example.other']),
      entry(signer, [MDL]),
    ]);
    const imported = await importVical(list, { profile: 'mdl', providers: [provider], now: NOW });
    expect(imported).toMatchObject({ skipped: 1, issuedAt: NOW, nextUpdate: daysFrom(NOW, 10) });
    expect(imported.anchors.map(describeAnchor)).toMatchObject([{ profile: 'mdl', isTest: false, country: 'UT' }]);
  });

  it('is refused where another provider is believed', async () => {
    const list = await makeVical([]);
    await expect(importVical(list, { profile: 'mdl', providers: [authority.anchor], now: NOW })).rejects.toThrow(
      'issuer_untrusted',
    );
  });

  it('is refused when it was altered', async () => {
    const list = await makeVical([]);
    const altered = list.with(-1, list.at(-1)! ^ 1);
    await expect(importVical(altered, { profile: 'mdl', providers: [provider], now: NOW })).rejects.toThrow(
      AnchorError,
    );
  });

  it('is refused when it is out of date', async () => {
    const list = await makeVical([]);
    const now = daysFrom(NOW, 11);
    await expect(importVical(list, { profile: 'mdl', providers: [provider], now })).rejects.toThrow('out of date');
  });

  it('is refused when it is none', async () => {
    const nothing = encodeCbor(['no', 'list']);
    await expect(importVical(nothing, { profile: 'mdl', providers: [provider], now: NOW })).rejects.toThrow(
      AnchorError,
    );
  });
});

describe('anchors in files', () => {
  it('are read as they were written', async () => {
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

  it('are refused where the certificate is not that of an authority', async () => {
    const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(signer).toString('base64')}\n-----END CERTIFICATE-----`;
    await expect(readAnchors(pem, 'mdl')).rejects.toThrow('not that of an authority');
  });
});

function entry(certificate: Uint8Array, docTypes: string[]): Map<string, unknown> {
  return new Map<string, unknown>([
    ['certificate', certificate],
    ['docType', docTypes],
  ]);
}

async function makeVical(entries: unknown[]): Promise<Uint8Array> {
  const list = new Map<string, unknown>([
    ['version', '1.0'],
    ['vicalProvider', 'Provider'],
    ['date', encodeDate(NOW)],
    ['nextUpdate', encodeDate(daysFrom(NOW, 10))],
    ['certificateInfos', entries],
  ]);
  return encodeCbor(await signCose(keys.privateKey, encodeCbor(list), { x5chain: signer }));
}
