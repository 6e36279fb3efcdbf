// Certificate revocation lists: their content, and every reason to refuse one.
import { KeyObject, sign } from 'node:crypto';
import type { Extension } from '@peculiar/x509';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerRequest, createTestIssuer, issueAttestation, type TestIssuer } from '../../test-issuer/index.ts';
import { listExtensions, signerExtensions } from '../../test-issuer/make-certificates.ts';
import { createBrokenIssuer, daysFrom } from '../../testing/broken-issuer.ts';
import { type CrlOptions, makeCrl, pointOf, serialOf } from '../../testing/make-crl.ts';
import { ask, NOW, ORIGIN } from '../../testing/requests.ts';
import {
  checkRevocation,
  openRevocationList,
  PROFILES,
  REFUSALS,
  type RefusalCode,
  type RevocationReference,
  type TrustAnchor,
  verifyResponse,
} from '../index.ts';
import type { X509 } from '../trust/certificate.ts';
import { DER, readDer, readSequence } from './read-crl.ts';

const ADDRESS = 'http://authority.example/revoked.crl';
const SIGNS_CERTIFICATES = 32;

let issuer: TestIssuer;
let reference: RevocationReference;

beforeAll(async () => {
  issuer = await createTestIssuer({ profile: 'mdl', now: NOW, revocationLists: [ADDRESS] });
  [reference] = (await referencesOf(issuer)) as [RevocationReference];
});

describe('a certificate', () => {
  it('names the URL of its revocation list', () => {
    expect(reference.addresses).toEqual([ADDRESS]);
  });

  it('needs no lookup if it does not name one', async () => {
    expect(await referencesOf(await createTestIssuer({ profile: 'mdl', now: NOW }))).toEqual([]);
  });

  it('between the signer and the anchor is checked too', async () => {
    const between = await createBrokenIssuer({
      root: (x509) => authorityOf(x509, 1),
      middle: (x509) => [...authorityOf(x509, 0), ...listExtensions(x509, [ADDRESS])],
    });
    expect(await referencesOf(between)).toMatchObject([{ addresses: [ADDRESS] }]);
  });

  it.each<[string, string[], string[]]>([
    [
      'more than four',
      Array.from({ length: 6 }, (_, at) => `${ADDRESS}?${at}`),
      [0, 1, 2, 3].map((at) => `${ADDRESS}?${at}`),
    ],
    ['what is neither http nor https', ['ldap://authority.example/cn=list', ADDRESS], [ADDRESS]],
    ['what is no address', ['http://'], []],
  ])('is treated as unlisted if it names %s', async (_, named, addresses) => {
    const naming = await createTestIssuer({ profile: 'mdl', now: NOW, revocationLists: named });
    expect(await referencesOf(naming)).toMatchObject([{ addresses }]);
  });

  it('is treated as unlisted if it names a list of some reasons, or of another authority', async () => {
    const naming = await createBrokenIssuer({
      signer: (x509) => {
        const [extension] = listExtensions(x509, [ADDRESS, ADDRESS]) as [
          InstanceType<X509['CRLDistributionPointsExtension']>,
        ];
        const [first, second] = [...extension.distributionPoints];
        first!.cRLIssuer = first!.distributionPoint!.fullName!;
        return [...signerExtensions(x509, PROFILES.mdl), new x509.CRLDistributionPointsExtension([first!, second!])];
      },
    });
    expect((await referencesOf(naming))[0]?.addresses).toEqual([ADDRESS]);
  });
});

describe('a revocation list', () => {
  it('confirms a certificate that it does not contain', async () => {
    expect(await look({ serials: ['01', '7f00'] })).toEqual({ ok: true });
    expect(await look({})).toEqual({ ok: true });
  });

  it('refuses a certificate that it contains', async () => {
    const clause = REFUSALS.certificate_revoked.clause;
    const revoked = { ok: false, refusal: 'certificate_revoked', clause };
    expect(await look({ serials: ['01', await serialOf(issuer), '02'] })).toEqual(revoked);
  });

  it('refuses a certificate with a negative number', async () => {
    const number = 'f3'.padEnd(40, '5');
    const signer = await resign(issuer.chain[0]!, issuer, (signed) => {
      const at = [...readDer(signed)].findIndex(({ tag }) => tag === DER.integer);
      return replaceAt(signed, at, Buffer.concat([Buffer.of(DER.integer, 20), Buffer.from(number, 'hex')]));
    });
    const negative = { ...issuer, chain: [signer] };
    const [own] = (await referencesOf(negative)) as [RevocationReference];
    const positive = number.replace('f', '7');
    const list = await makeCrl(issuer, { serials: [positive] });
    expect(await judge(list, { own })).toEqual({ ok: true });
    const named = await resign(list, issuer, (signed) => replaceLast(signed, positive, number));
    expect(await judge(named, { own })).toMatchObject({ refusal: 'certificate_revoked' });
    // Listed by an authority that treats the number as positive.
    expect(await judge(await makeCrl(issuer, { serials: [number] }), { own })).toMatchObject({ ok: false });
  });

  it('may have hundreds of entries', async () => {
    const serials = Array.from({ length: 300 }, (_, at) => (0x10_0000 + at).toString(16));
    expect(await look({ serials })).toEqual({ ok: true });
    expect(await look({ serials: [...serials, await serialOf(issuer)] })).toMatchObject({
      refusal: 'certificate_revoked',
    });
  });

  it('may be PEM text', async () => {
    const der = await makeCrl(issuer, { serials: [await serialOf(issuer)] });
    const pem = `-----BEGIN X509 CRL-----\n${Buffer.from(der).toString('base64')}\n-----END X509 CRL-----\n`;
    expect(await judge(Buffer.from(pem))).toMatchObject({ refusal: 'certificate_revoked' });
  });

  it.each<[RefusalCode, string, () => CrlOptions | Promise<CrlOptions>]>([
    ['crl_issuer', 'of another authority', () => ({ issuer: 'CN=Somebody else' })],
    [
      'crl_signature',
      'that another key signed',
      async () => ({ key: (await createTestIssuer({ profile: 'mdl', now: NOW })).authorityKey }),
    ],
    ['crl_signature', 'that the document signer signed itself', () => ({ key: issuer.signingKey })],
    ['crl_expired', 'that has ended', () => ({ thisUpdate: daysFrom(NOW, -9), nextUpdate: NOW })],
    ['crl_expired', 'that begins tomorrow', () => ({ thisUpdate: daysFrom(NOW, 1) })],
    ['crl_expired', 'that never ends', () => ({ nextUpdate: undefined })],
    ['crl_critical_extension', 'of changes only', () => ({ extensions: critical('2.5.29.27') })],
    ['crl_critical_extension', 'of changes only that is not called critical', () => ({ extensions: deltaOf(false) })],
    ['crl_critical_extension', 'of some certificates only', () => ({ extensions: pointOf(ADDRESS, [0x81, 1, 0xff]) })],
    [
      'crl_critical_extension',
      'of some certificates only that is not called critical',
      () => ({ extensions: pointOf(ADDRESS, [0x81, 1, 0xff], false) }),
    ],
    ['crl_critical_extension', 'of another address', () => ({ extensions: pointOf(`${ADDRESS}?2`) })],
    [
      'crl_critical_extension',
      'of several authorities',
      () => ({ serials: ['01'], entryExtensions: critical('2.5.29.29') }),
    ],
  ])('is refused with %s: one %s', async (refusal, _, options) => {
    expect(await look(await options())).toEqual({ ok: false, refusal, clause: REFUSALS[refusal].clause });
  });

  it('may name its own URL', async () => {
    expect(await look({ extensions: pointOf(ADDRESS) })).toEqual({ ok: true });
    expect(await look({ extensions: pointOf(ADDRESS), serials: [await serialOf(issuer)] })).toMatchObject({
      refusal: 'certificate_revoked',
    });
  });

  it('is refused after a modification', async () => {
    const der = await makeCrl(issuer, { serials: ['7f01'] });
    const at = Buffer.from(der).indexOf(Buffer.from('7f01', 'hex'));
    expect(await judge(der.with(at, 0x7e))).toMatchObject({ refusal: 'crl_signature' });
  });

  it('is refused if the authority’s key must not sign lists', async () => {
    const unable = await createBrokenIssuer({
      root: (x509) => authorityOf(x509, 0),
      signer: (x509) => [...signerExtensions(x509, PROFILES.mdl), ...listExtensions(x509, [ADDRESS])],
    });
    const [own] = (await referencesOf(unable)) as [RevocationReference];
    expect(await judge(await makeCrl(unable), { own, anchors: [unable.anchor] })).toMatchObject({
      refusal: 'crl_key_usage',
    });
  });
});

describe('an unparsable list', () => {
  it.each<[string, (der: Uint8Array) => Uint8Array]>([
    ['nothing', () => new Uint8Array(0)],
    ['a page', () => Buffer.from('<html>Sign in to the network</html>')],
    ['one that is cut off', (der) => der.subarray(0, -1)],
    ['one with something after it', (der) => Uint8Array.of(...der, 5, 0)],
    ['one with a part too many', (der) => append(der, [5, 0])],
    ['one that names another algorithm outside', (der) => replaceLast(der, ES256, ES384)],
    ['an entry without a number', (der) => replaceLast(der, '020201ff', '040201ff')],
    ['an entry without a date', (der) => replaceLast(der, '020201ff17', '020201ff04')],
    [
      'a date that is none',
      (der) => replaceLast(der, Buffer.from('2611').toString('hex'), Buffer.from('2x11').toString('hex')),
    ],
    ['an indefinite length', (der) => Uint8Array.of(0x30, 0x80, ...der, 0, 0)],
    ['a length that is longer than need be', () => Uint8Array.of(0x30, 0x81, 0x02, 0x05, 0x00)],
    ['a length of gigabytes', () => Uint8Array.of(0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0)],
    ['a certificate', () => issuer.chain[0]!],
    ['one that is too long', () => Buffer.concat([Buffer.of(0x30, 0x83, 0x10, 0, 0), Buffer.alloc(2 ** 20)])],
  ])('is refused: %s', async (_, spoil) => {
    const der = await makeCrl(issuer, {
      serials: ['01ff'],
      thisUpdate: new Date('2026-03-01T00:00:00Z'),
      nextUpdate: daysFrom(NOW, 1),
    });
    expect(await judge(der)).toEqual({ ok: true });
    expect(await judge(spoil(der))).toMatchObject({ refusal: 'crl_malformed' });
  });

  it('is refused above a megabyte, even if valid', async () => {
    const padded = (bytes: number) =>
      look({ extensions: (x509) => [new x509.Extension('1.2.3.4', false, new Uint8Array(bytes).buffer)] });
    expect(await padded(2 ** 20 - 1000)).toEqual({ ok: true });
    expect(await padded(2 ** 20)).toMatchObject({ refusal: 'crl_malformed' });
  });

  it('never causes another error, whichever byte is wrong', async () => {
    const der = await makeCrl(issuer, { serials: ['01'] });
    for (let at = 0; at < der.length; at++) {
      expect(await judge(der.with(at, der[at]! ^ 0x41))).toMatchObject({ ok: false });
    }
  });
});

describe('a verified list', () => {
  const open = async (own = reference, anchors = [issuer.anchor]) => {
    const opened = await openRevocationList(await makeCrl(issuer), own, { profile: 'mdl', anchors, now: NOW });
    return opened.ok ? opened.list : expect.fail(opened.refusal);
  };

  it('is valid until it expires', async () => {
    const options = { profile: 'mdl' as const, anchors: [issuer.anchor], now: daysFrom(NOW, 1) };
    const list = await open();
    expect(checkRevocation(list, reference, { ...options, now: new Date(options.now.getTime() - 1) })).toEqual({
      ok: true,
    });
    expect(checkRevocation(list, reference, options)).toMatchObject({ refusal: 'crl_expired' });
  });

  it('is valid only for its own authority', async () => {
    const other = await createTestIssuer({ profile: 'mdl', now: NOW, country: 'UV', revocationLists: [ADDRESS] });
    const [foreign] = (await referencesOf(other)) as [RevocationReference];
    const options = { profile: 'mdl' as const, anchors: [issuer.anchor, other.anchor], now: NOW };
    expect(checkRevocation(await open(), foreign, options)).toMatchObject({ refusal: 'crl_issuer' });
  });

  it('may be signed with the authority’s new key while that is trusted for this profile', async () => {
    const renewed = await createTestIssuer({ profile: 'mdl', now: NOW, revocationLists: [ADDRESS] });
    const [before] = (await referencesOf(renewed)) as [RevocationReference];
    const options = { profile: 'mdl' as const, now: NOW };
    const list = await open(before, [issuer.anchor]);
    expect(checkRevocation(list, before, { ...options, anchors: [issuer.anchor] })).toEqual({ ok: true });
    const refused = { refusal: 'crl_signature' };
    expect(checkRevocation(list, before, { ...options, anchors: [] })).toMatchObject(refused);
    const ofOthers: TrustAnchor[] = [{ ...issuer.anchor, profile: 'eu_age' }];
    expect(checkRevocation(list, before, { ...options, anchors: ofOthers })).toMatchObject(refused);
  });
});

const [ES256, ES384] = ['06082a8648ce3d040302', '06082a8648ce3d040303'];

/** Replaces bytes without changing any length. */
function replaceLast(der: Uint8Array, before: string, after: string): Uint8Array {
  const bytes = Buffer.from(der);
  const at = bytes.lastIndexOf(Buffer.from(before, 'hex'));
  if (at < 0) throw new Error('There is nothing to replace.');
  bytes.write(after, at, 'hex');
  return bytes;
}

/** Returns the content of the outermost sequence. */
function append(der: Uint8Array, more: readonly number[]): Uint8Array {
  const [list] = readDer(Buffer.from(der));
  return sequence(list!.content, Buffer.from(more));
}

/** Replaces one of the values. */
function replaceAt(values: Buffer, at: number, by: Buffer): Buffer {
  return Buffer.concat([...readDer(values)].map(({ whole }, index) => (index === at ? by : whole)));
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length > 0xff ? [0x82, content.length >> 8, content.length & 0xff] : [0x81, content.length];
  return Buffer.concat([Buffer.of(DER.sequence, ...length), content]);
}

/** Replaces something in the signed part of a certificate or list. */
async function resign(
  der: Uint8Array,
  { authorityKey }: TestIssuer,
  change: (signed: Buffer) => Uint8Array,
): Promise<Uint8Array> {
  const [whole] = readDer(Buffer.from(der));
  const [signed, algorithm] = readSequence(whole);
  const changed = sequence(change(signed!.content));
  const signature = sign('sha256', changed, KeyObject.from(authorityKey));
  const bits = Buffer.concat([Buffer.of(DER.bitString, signature.length + 1, 0), signature]);
  return new Uint8Array(sequence(changed, algorithm!.whole, bits));
}

function authorityOf(x509: X509, pathLength: number): Extension[] {
  return [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(SIGNS_CERTIFICATES, true),
  ];
}

function deltaOf(isCritical: boolean): (x509: X509) => Extension[] {
  return (x509) => [new x509.Extension('2.5.29.27', isCritical, Uint8Array.of(DER.integer, 1, 1).buffer)];
}

function critical(type: string): (x509: X509) => Extension[] {
  return (x509) => [new x509.Extension(type, true, Uint8Array.of(5, 0).buffer)];
}

/** In the form of a complete wallet response. */
async function referencesOf(of: TestIssuer): Promise<readonly RevocationReference[]> {
  const attestation = await issueAttestation(of, { elements: { age_over_18: true }, now: NOW });
  const { request, state } = await ask({ profile: 'mdl', protocol: 'redirect-unsigned', encrypted: false });
  const { fields } = await answerRequest(request, attestation, { origin: ORIGIN });
  const verdict = await verifyResponse(state, fields, { anchors: [of.anchor], now: NOW, acceptTestIssuers: true });
  return verdict.ok ? verdict.revocation : expect.fail(verdict.refusal);
}

async function look(options: CrlOptions) {
  return judge(await makeCrl(issuer, options));
}

async function judge(bytes: Uint8Array, { own = reference, anchors = [issuer.anchor] } = {}) {
  const options = { profile: 'mdl' as const, anchors, now: NOW };
  const opened = await openRevocationList(bytes, own, options);
  return opened.ok ? checkRevocation(opened.list, own, options) : opened;
}
