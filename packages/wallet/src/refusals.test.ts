// One response per check that only this check refuses, with its clause.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { Tag } from 'cbor-x/index-no-eval';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Attestation,
  answerRequest,
  createTestIssuer,
  issueAttestation,
  type TestIssuer,
  type WalletConduct,
} from '../test-issuer/index.ts';
import { encodeItem, encodeValidity } from '../test-issuer/issue-attestation.ts';
import { signCose } from '../test-issuer/sign-cose.ts';
import { createBrokenIssuer, daysFrom, type Fault } from '../testing/broken-issuer.ts';
import { ask, NOW, ORIGIN } from '../testing/requests.ts';
import { decodeCbor, encodeCbor, encodeDate, wrapEncoded } from './cbor/codec.ts';
import {
  type CreatedRequest,
  REFUSALS,
  type RefusalCode,
  type TrustAnchor,
  type Verdict,
  verifyResponse,
} from './index.ts';
import type { X509 } from './trust/certificate.ts';

type Parts = Map<string, unknown>;

interface Case {
  elements?: Record<string, unknown>;
  /** Changes the mobile security object before it is signed. */
  object?: (object: Parts) => void;
  attestation?: (attestation: Attestation, issuer: TestIssuer) => Attestation | Promise<Attestation>;
  conduct?: WalletConduct;
  issuer?: Fault;
  anchors?: (issuer: TestIssuer, others: TrustAnchor[]) => TrustAnchor[];
  acceptTestIssuers?: boolean;
  now?: Date;
  profile?: 'eu_age' | 'mdl';
  validDays?: number;
  answer?: (answer: Record<string, unknown>, created: CreatedRequest) => unknown;
  encrypted?: boolean;
}

const document = (response: Parts) => (response.get('documents') as Parts[])[0]!;
const issuerSigned = (response: Parts) => document(response).get('issuerSigned') as Parts;
const deviceSigned = (response: Parts) => document(response).get('deviceSigned') as Parts;
const deviceAuth = (response: Parts) => deviceSigned(response).get('deviceAuth') as Parts;
const issuerAuth = (response: Parts) => issuerSigned(response).get('issuerAuth') as unknown[];
const items = (response: Parts) => issuerSigned(response).get('nameSpaces') as Map<string, unknown[]>;
const MDL = 'org.iso.18013.5.1';

function tamper(change: (response: Parts) => void): Case {
  return { conduct: { tamper: change } };
}

/** Keeps the signature, which becomes invalid. Earlier checks come first. */
function replaceAuth(at: number, value: unknown): Case {
  return tamper((response) => {
    issuerSigned(response).set('issuerAuth', issuerAuth(response).with(at, value));
  });
}

function validity(name: string, date: Date): Case {
  return { object: (object) => (object.get('validityInfo') as Parts).set(name, encodeDate(date)) };
}

function flip(bytes: Uint8Array): Uint8Array {
  return bytes.with(0, bytes[0]! ^ 1);
}

const presentation = (bytes: Uint8Array) => ({
  vp_token: JSON.stringify({ proof_of_age: [Buffer.from(bytes).toString('base64url')] }),
});

/** keyUsage values of the library that creates certificates. */
const [SIGNS, SIGNS_CERTIFICATES] = [1, 32];

const CASES: Record<
  Exclude<
    RefusalCode,
    `status_list_${string}` | 'status_out_of_range' | 'status_revoked' | `crl_${string}` | 'certificate_revoked'
  >,
  Case[]
> = {
  declined: [{ answer: () => ({ error: 'access_denied' }) }],
  answer_malformed: [
    { answer: () => null },
    { answer: () => 'text' },
    { answer: () => [] },
    { answer: () => ({ vp_token: { proof_of_age: [1] } }) },
    { answer: () => ({}) },
    { answer: () => ({ vp_token: '{' }) },
    { answer: () => ({ vp_token: { other: ['aa'] } }) },
    { answer: () => ({ vp_token: { proof_of_age: [] } }) },
    { answer: () => ({ vp_token: { proof_of_age: ['aa', 'aa'] } }) },
    { answer: () => ({ vp_token: { proof_of_age: ['a+a/'] } }) },
    { encrypted: true, answer: () => ({ response: 'aa.bb' }) },
  ],
  answer_too_large: [{ answer: () => ({ vp_token: 'a'.repeat(200_000) }) }],
  answer_not_encrypted: [{ encrypted: true, answer: () => ({ vp_token: {} }) }],
  answer_not_decryptable: [
    {
      encrypted: true,
      answer: ({ response }) => ({ response: String(response).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')) }),
    },
  ],
  cbor_malformed: [{ answer: () => presentation(Uint8Array.of(0x9f, 0xff)) }],
  response_malformed: [
    { answer: () => presentation(encodeCbor([])) },
    tamper((response) => response.set('documents', 1)),
    tamper((response) => response.set('documents', [1])),
    tamper((response) => document(response).delete('docType')),
    tamper((response) => issuerSigned(response).set('nameSpaces', 1)),
    tamper((response) => items(response).set(MDL, [1])),
    // Carried as something other than encoded CBOR.
    tamper((response) => items(response).set(MDL, [new Tag(Uint8Array.of(0), 61)])),
    tamper((response) => document(response).set('issuerSigned', 1)),
    tamper((response) => document(response).set('deviceSigned', 1)),
  ],
  response_version: [
    tamper((response) => response.set('version', '2.0')),
    tamper((response) => response.delete('version')),
    tamper((response) => response.set('version', 1.5)),
  ],
  response_status: [tamper((response) => response.set('status', 10)), tamper((response) => response.delete('status'))],
  document_missing: [
    tamper((response) => response.delete('documents')),
    tamper((response) => response.set('documents', [])),
  ],
  document_repeated: [
    tamper((response) => response.set('documents', [document(response), new Map(document(response))])),
  ],
  doctype_unasked: [tamper((response) => document(response).set('docType', 'eu.europa.ec.av.1'))],
  certificate_missing: [
    replaceAuth(1, new Map()),
    replaceAuth(1, new Map([[33, []]])),
    replaceAuth(1, new Map([[33, Array(5).fill(new Uint8Array(9))]])),
  ],
  certificate_malformed: [
    replaceAuth(1, new Map([[33, Uint8Array.of(0x30, 0)]])),
    replaceAuth(1, new Map([[33, new Uint8Array(5000)]])),
    // Valid except for trailing bytes, or for its size.
    tamper((response) => {
      const header = issuerAuth(response)[1] as Map<number, Uint8Array>;
      header.set(33, Uint8Array.of(...header.get(33)!, 0));
    }),
    {
      issuer: {
        signer: (x509) => [
          new x509.KeyUsagesExtension(SIGNS, true),
          new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.2'], true),
          new x509.Extension('1.2.3.4', false, new Uint8Array(4096).buffer),
        ],
      },
    },
  ],
  issuer_untrusted: [
    { anchors: () => [] },
    { anchors: (_, others) => others },
    // The authority itself, in place of a document signer.
    {
      attestation: async (made, issuer) => ({
        ...made,
        issuerAuth: made.issuerAuth.with(1, new Map([[33, issuer.anchor.certificate.native.raw]])),
      }),
    },
    { anchors: ({ anchor }) => [{ ...anchor, profile: 'eu_age' }] },
  ],
  certificate_names: [
    {
      issuer: {
        middle: (x509) => [
          new x509.BasicConstraintsExtension(true, 0, true),
          new x509.KeyUsagesExtension(SIGNS_CERTIFICATES, true),
        ],
        issuerName: 'C=UT, CN=Nobody',
      },
    },
  ],
  // Signed by another key, and with a broken hash.
  certificate_signature: [{ issuer: { otherRootKey: true } }, { issuer: { signerHash: 'SHA-1' } }],
  certificate_dates: [
    { issuer: { signerDates: [daysFrom(NOW, -9), daysFrom(NOW, -1)] } },
    { issuer: { signerDates: [daysFrom(NOW, 1), daysFrom(NOW, 9)] } },
    { issuer: { rootDates: [daysFrom(NOW, -9), daysFrom(NOW, -1)] } },
  ],
  certificate_not_authority: [
    { issuer: { root: authority(1), middle: (x509) => [new x509.KeyUsagesExtension(SIGNS_CERTIFICATES, true)] } },
    {
      issuer: {
        signer: (x509) => [
          new x509.BasicConstraintsExtension(true, 0, true),
          new x509.KeyUsagesExtension(SIGNS | SIGNS_CERTIFICATES, true),
          new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.2'], true),
        ],
      },
    },
  ],
  certificate_path_length: [{ issuer: { root: authority(0), middle: authority(0) } }],
  certificate_key_usage: [
    { issuer: { root: (x509) => [new x509.BasicConstraintsExtension(true, 0, true)] } },
    {
      issuer: {
        root: (x509) => [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(SIGNS, true)],
      },
    },
    { issuer: { signer: (x509) => [new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.2'], true)] } },
  ],
  certificate_purpose: [
    { issuer: { signer: (x509) => [new x509.KeyUsagesExtension(SIGNS, true)] } },
    {
      issuer: {
        signer: (x509) => [
          new x509.KeyUsagesExtension(SIGNS, true),
          new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1'], true),
        ],
      },
    },
  ],
  certificate_critical_extension: [
    {
      issuer: {
        signer: (x509) => [
          new x509.KeyUsagesExtension(SIGNS, true),
          new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.2'], true),
          new x509.Extension('1.2.3.4', true, Uint8Array.of(5, 0).buffer),
        ],
      },
    },
  ],
  test_issuer: [{ acceptTestIssuers: false }],
  issuer_auth_malformed: [
    tamper((response) => issuerSigned(response).delete('issuerAuth')),
    tamper((response) => issuerSigned(response).set('issuerAuth', [1, 2, 3])),
    replaceAuth(2, null),
    replaceAuth(0, 'text'),
    replaceAuth(0, encodeCbor([1, -7])),
    replaceAuth(1, []),
    replaceAuth(2, 'text'),
    replaceAuth(3, 'text'),
    tamper((response) => issuerSigned(response).set('issuerAuth', [...issuerAuth(response), 1])),
    { attestation: signObject(encodeCbor(wrapEncoded(encodeCbor([])))) },
    { attestation: signObject(encodeCbor([])) },
    { object: (object) => object.set('valueDigests', new Map([[MDL, 1]])) },
    { object: (object) => object.set('valueDigests', new Map([[MDL, new Map([[0, 'text']])]])) },
    // An unknown critical header.
    replaceAuth(
      0,
      encodeCbor(
        new Map<number, unknown>([
          [1, -7],
          [2, [99]],
        ]),
      ),
    ),
    // A response without a signature.
    tamper((response) => (issuerAuth(response)[1] as Map<number, unknown>).set(2, [99])),
    // Repeated in the signed and the unsigned header.
    tamper((response) => (issuerAuth(response)[1] as Map<number, unknown>).set(1, -7)),
    { object: (object) => object.delete('docType') },
    { object: (object) => object.delete('validityInfo') },
    { object: (object) => object.set('valueDigests', 1) },
    { object: (object) => (object.get('validityInfo') as Parts).set('validFrom', '2026-01-01T00:00:00Z') },
  ],
  issuer_algorithm: [
    replaceAuth(0, encodeCbor(new Map([[1, -257]]))),
    replaceAuth(0, encodeCbor(new Map([[1, -35]]))),
    replaceAuth(0, new Uint8Array(0)),
  ],
  issuer_signature: [
    tamper((response) =>
      issuerSigned(response).set(
        'issuerAuth',
        issuerAuth(response).with(3, flip(issuerAuth(response)[3] as Uint8Array)),
      ),
    ),
    tamper((response) => {
      const payload = issuerAuth(response)[2] as Uint8Array;
      issuerSigned(response).set('issuerAuth', issuerAuth(response).with(2, payload.with(-1, payload.at(-1)! ^ 1)));
    }),
    replaceAuth(3, new Uint8Array(0)),
  ],
  mso_version: [{ object: (object) => object.set('version', '2.0') }],
  digest_algorithm: [
    { object: (object) => object.set('digestAlgorithm', 'SHA-1') },
    { profile: 'eu_age', object: (object) => object.set('digestAlgorithm', 'SHA-512') },
  ],
  doctype_mismatch: [{ object: (object) => object.set('docType', 'org.iso.18013.5.1.other') }],
  signed_outside_certificate: [validity('signed', daysFrom(NOW, -3000)), validity('signed', daysFrom(NOW, 9000))],
  not_yet_valid: [
    validity('validFrom', daysFrom(NOW, 1)),
    validity('validFrom', new Date(NOW.getTime() + 301_000)),
    {
      object: (object) => {
        for (const name of ['signed', 'validFrom'])
          (object.get('validityInfo') as Parts).set(name, encodeDate(daysFrom(NOW, 1)));
      },
    },
  ],
  valid_before_signed: [validity('signed', NOW), validity('signed', daysFrom(NOW, 1))],
  expired: [validity('validUntil', daysFrom(NOW, -1)), { now: daysFrom(NOW, 40) }],
  validity_too_long: [{ profile: 'eu_age', validDays: 93 }],
  status_malformed: [
    { object: (object) => object.set('status', 1) },
    { object: (object) => object.set('status', new Map()) },
    { object: (object) => object.set('status', statusOf('http://issuer.example/list', 1)) },
    { object: (object) => object.set('status', statusOf('https://issuer.example/list', -1)) },
  ],
  element_missing: [
    { elements: { age_over_21: true } },
    // The next lower one does not answer the request, and the European profile accepts none above.
    { elements: { age_over_17: true }, conduct: { smuggle: ['age_over_17'] } },
    { profile: 'eu_age', elements: { age_over_21: true }, conduct: { smuggle: ['age_over_21'] } },
    tamper((response) => items(response).clear()),
    tamper((response) => issuerSigned(response).delete('nameSpaces')),
    tamper((response) => items(response).set('other', items(response).get(MDL)!) && items(response).delete(MDL)),
  ],
  element_repeated: [
    tamper((response) => items(response).set(MDL, [...items(response).get(MDL)!, ...items(response).get(MDL)!])),
  ],
  element_malformed: [
    { attestation: withItem(encodeCbor(['elementIdentifier', 'age_over_18'])) },
    { attestation: withItem(encodeCbor(new Map([['elementIdentifier', 'age_over_18']]))) },
    { attestation: withItem(itemOf({ digestID: '0' })) },
    // Too short to hide the value from its digest.
    { attestation: withItem(itemOf({ random: randomBytes(15) })) },
    // The name occurs in the value of another element.
    {
      attestation: withItem(encodeItem(0, 'portrait', encodeCbor(new Map([['elementIdentifier', 'age_over_18']])))),
    },
  ],
  digest_missing: [{ object: (object) => object.set('valueDigests', new Map()) }],
  digest_mismatch: [
    { attestation: withItem(encodeItem(0, 'age_over_18', true)) },
    { object: (object) => object.set('valueDigests', new Map([[MDL, new Map([[0, randomBytes(32)]])]])) },
  ],
  element_not_true: [
    { elements: { age_over_18: false } },
    { elements: { age_over_18: 1 } },
    { elements: { age_over_18: 'true' } },
    { elements: { age_over_18: null } },
    { elements: { age_over_18: [true] } },
    // The exact element counts if present, otherwise the next one above.
    { elements: { age_over_18: false, age_over_21: true }, conduct: { smuggle: ['age_over_21'] } },
    { elements: { age_over_21: false, age_over_65: true }, conduct: { smuggle: ['age_over_65', 'age_over_21'] } },
  ],
  device_key: [
    { object: (object) => object.set('deviceKeyInfo', new Map()) },
    { object: (object) => object.set('deviceKeyInfo', new Map([['deviceKey', keyOf({ 1: 2, '-1': 8 })]])) },
    // A valid point, with another kind of key.
    { object: (object) => object.set('deviceKeyInfo', new Map([['deviceKey', otherDeviceKey().set(1, 1)]])) },
    {
      object: (object) =>
        object.set('deviceKeyInfo', new Map([['deviceKey', keyOf({ 1: 2, '-1': 1, '-2': pad(1), '-3': pad(1) })]])),
    },
  ],
  device_auth_missing: [
    tamper((response) => deviceSigned(response).delete('deviceAuth')),
    tamper((response) => deviceAuth(response).clear()),
    tamper((response) => deviceAuth(response).set('deviceMac', deviceAuth(response).get('deviceSignature'))),
  ],
  device_auth_malformed: [
    tamper((response) => deviceAuth(response).set('deviceSignature', [1])),
    tamper((response) => deviceSigned(response).delete('nameSpaces')),
    tamper((response) =>
      deviceAuth(response).set(
        'deviceSignature',
        (deviceAuth(response).get('deviceSignature') as unknown[]).with(2, pad(1)),
      ),
    ),
  ],
  device_algorithm: [
    tamper((response) =>
      deviceAuth(response).set(
        'deviceSignature',
        (deviceAuth(response).get('deviceSignature') as unknown[]).with(0, encodeCbor(new Map([[1, -35]]))),
      ),
    ),
    // A MAC needs one of our keys, and therefore an encrypted response.
    replaceDeviceAuth({ deviceMac: macOf(5) }),
    { ...replaceDeviceAuth({ deviceMac: macOf(4) }), encrypted: true },
    // It also needs a device key on the same curve.
    {
      ...replaceDeviceAuth({ deviceMac: macOf(5) }),
      encrypted: true,
      object: (object) => object.set('deviceKeyInfo', new Map([['deviceKey', deviceKeyOf('P-384', 2)]])),
    },
    // A signature instead of a MAC.
    tamper((response) => {
      deviceAuth(response).set('deviceMac', deviceAuth(response).get('deviceSignature'));
      deviceAuth(response).delete('deviceSignature');
    }),
  ],
  device_signature: [
    tamper((response) => {
      const signature = deviceAuth(response).get('deviceSignature') as unknown[];
      deviceAuth(response).set('deviceSignature', signature.with(3, flip(signature[3] as Uint8Array)));
    }),
    // Content that the device did not sign.
    tamper((response) =>
      deviceSigned(response).set(
        'nameSpaces',
        wrapEncoded(encodeCbor(new Map([[MDL, new Map([['age_over_18', true]])]]))),
      ),
    ),
    { object: (object) => object.set('deviceKeyInfo', new Map([['deviceKey', otherDeviceKey()]])) },
  ],
  device_mac: [
    {
      encrypted: true,
      conduct: {
        tamper: (response) => {
          deviceAuth(response).clear();
          deviceAuth(response).set('deviceMac', [encodeCbor(new Map([[1, 5]])), new Map(), null, randomBytes(32)]);
        },
      },
    },
  ],
};

function authority(pathLength: number): NonNullable<Fault['root']> {
  return (x509) => [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(SIGNS_CERTIFICATES, true),
  ];
}

function statusOf(uri: string, idx: number): Parts {
  return new Map([
    [
      'status_list',
      new Map<string, unknown>([
        ['idx', idx],
        ['uri', uri],
      ]),
    ],
  ]);
}

function withItem(item: Uint8Array): NonNullable<Case['attestation']> {
  return (attestation) => ({ ...attestation, items: new Map([['age_over_18', item]]) });
}

function keyOf(labels: Record<string, unknown>): Map<number, unknown> {
  return new Map(Object.entries(labels).map(([label, value]) => [Number(label), value]));
}

function signObject(payload: Uint8Array): NonNullable<Case['attestation']> {
  return async (attestation, issuer) => ({
    ...attestation,
    issuerAuth: await signCose(issuer.signingKey, payload, { x5chain: issuer.chain[0] }),
  });
}

function itemOf(changes: Record<string, unknown>): Uint8Array {
  const item = { digestID: 0, random: randomBytes(32), elementIdentifier: 'age_over_18', elementValue: true };
  return encodeCbor(new Map(Object.entries({ ...item, ...changes })));
}

function macOf(algorithm: number): unknown[] {
  return [encodeCbor(new Map([[1, algorithm]])), new Map(), null, randomBytes(32)];
}

function replaceDeviceAuth(by: Record<string, unknown>): Case {
  return tamper((response) => deviceSigned(response).set('deviceAuth', new Map(Object.entries(by))));
}

function otherDeviceKey(): Map<number, unknown> {
  return deviceKeyOf('P-256', 1);
}

function deviceKeyOf(namedCurve: string, curve: number): Map<number, unknown> {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
  return keyOf({ 1: 2, '-1': curve, '-2': Buffer.from(x, 'base64url'), '-3': Buffer.from(y, 'base64url') });
}

function pad(value: number): Uint8Array {
  return new Uint8Array(32).fill(value);
}

const issuers = new Map<string, TestIssuer>();

beforeAll(async () => {
  for (const profile of ['eu_age', 'mdl'] as const) issuers.set(profile, await createTestIssuer({ profile, now: NOW }));
});

describe.each(Object.entries(CASES))('%s', (code, cases) => {
  it.each(cases.map((one, at) => ({ one, at })))('is refused in case $at', async ({ one }) => {
    const verdict = await play(one);
    expect(verdict).toEqual({ ok: false, refusal: code, clause: REFUSALS[code as RefusalCode].clause });
  });
});

describe('an unmodified response', () => {
  it.each([
    {},
    { encrypted: true },
    { profile: 'eu_age' as const, validDays: 92 },
    { issuer: {} },
    { issuer: { root: authority(1), middle: authority(0) } },
    // The authority has renewed its certificate, and the wallet sends the other one.
    { issuer: { root: authority(0), renewed: true } },
    // By a clock that is ahead of ours.
    validity('validFrom', new Date(NOW.getTime() + 300_000)),
    {
      issuer: {
        signer: (x509: X509) => [
          new x509.KeyUsagesExtension(SIGNS, true),
          new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.2'], true),
          new x509.CRLDistributionPointsExtension(['http://authority.example/revoked.crl'], true),
        ],
      },
    },
    { elements: { age_over_21: true }, conduct: { smuggle: ['age_over_21'] } },
    { elements: { age_over_21: true, age_over_65: false }, conduct: { smuggle: ['age_over_65', 'age_over_21'] } },
  ])('is accepted: %j', async (one: Case) => {
    expect(await play(one)).toMatchObject({ ok: true, ageOver: 18 });
  });

  it('has its unrequested elements counted but not read', async () => {
    const elements = { age_over_18: true, family_name: 'Doe', portrait: Uint8Array.of(0xff, 0xd8) };
    const verdict = await play({ elements, conduct: { smuggle: ['family_name', 'portrait'] } });
    expect(verdict).toMatchObject({ ok: true, extraElements: 2 });
    expect(JSON.stringify(verdict)).not.toContain('Doe');
  });

  it("has the device's own elements counted", async () => {
    const deviceElements = new Map([
      [MDL, new Map([['age_over_21', true]])],
      [
        'org.example',
        new Map<string, unknown>([
          ['name', 'Doe'],
          ['at', 1],
        ]),
      ],
    ]);
    const verdict = await play({ conduct: { deviceElements } });
    expect(verdict).toMatchObject({ ok: true, extraElements: 3 });
    expect(JSON.stringify(verdict)).not.toContain('Doe');
    const odd = new Map([[MDL, 1]]) as unknown as typeof deviceElements;
    expect(await play({ conduct: { deviceElements: odd } })).toMatchObject({ refusal: 'response_malformed' });
  });

  it('reports the location of the status', async () => {
    const status = { uri: 'https://issuer.example/list', index: 7 };
    const verdict = await play({ object: (object) => object.set('status', statusOf(status.uri, status.index)) });
    expect(verdict).toMatchObject({ ok: true, status });
  });

  it('expires at the exact second', async () => {
    const end = (encodeValidity(NOW, 30).get('validUntil') as { value: string }).value;
    expect(await play({ now: new Date(end) })).toMatchObject({ ok: true });
    expect(await play({ now: new Date(new Date(end).getTime() + 1000) })).toMatchObject({ refusal: 'expired' });
  });

  it('keeps its state in a round trip', () => {
    expect(decodeCbor(encodeCbor(new Map([['a', [1, null, true, pad(1)]]])))).toEqual(
      new Map([['a', [1, null, true, pad(1)]]]),
    );
  });
});

async function play(one: Case): Promise<Verdict> {
  const profile = one.profile ?? 'mdl';
  const issuer = one.issuer ? await createBrokenIssuer(one.issuer) : issuers.get(profile)!;
  const made = await issueAttestation(issuer, {
    elements: one.elements ?? { age_over_18: true },
    now: NOW,
    ...(one.validDays === undefined ? {} : { validDays: one.validDays }),
    ...(one.object ? { change: one.object } : {}),
  });
  const created = await ask({ profile, protocol: 'redirect-unsigned', encrypted: one.encrypted ?? false });
  const attestation = (await one.attestation?.(made, issuer)) ?? made;
  const { fields } = await answerRequest(created.request, attestation, { origin: ORIGIN, ...one.conduct });
  const others = [...issuers.values()].filter((other) => other !== issuer).map(({ anchor }) => anchor);
  return verifyResponse(created.state, one.answer ? one.answer(fields, created) : fields, {
    anchors: one.anchors?.(issuer, others) ?? [issuer.anchor, ...others],
    now: one.now ?? NOW,
    acceptTestIssuers: one.acceptTestIssuers ?? true,
  });
}
