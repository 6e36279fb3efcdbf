// Mutated responses: none is accepted, and none causes anything but a refusal.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerRequest, createTestIssuer, issueAttestation, type TestIssuer } from '../test-issuer/index.ts';
import { mutate } from '../testing/mutate.ts';
import { ask, NOW, ORIGIN } from '../testing/requests.ts';
import { encodeCbor } from './cbor/codec.ts';
import { scanCbor } from './cbor/scan.ts';
import { PROFILES, REFUSALS, type RequestState, verifyResponse } from './index.ts';

const MINOR = '0'.charCodeAt(0);
const ROUNDS = onlyWhenLong(1000, 120);

describe.each(Object.values(PROFILES))('profile $id', ({ id }) => {
  let issuer: TestIssuer;
  let state: RequestState;
  let response: Uint8Array;
  let sealedState: RequestState;
  let sealed: Uint8Array;

  beforeAll(async () => {
    issuer = await createTestIssuer({ profile: id, now: NOW });
    const attestation = await issueAttestation(issuer, { elements: { age_over_18: true }, now: NOW });
    const open = await ask({ profile: id, protocol: 'redirect-unsigned', encrypted: false });
    const { fields } = await answerRequest(open.request, attestation, { origin: ORIGIN });
    state = open.state;
    response = Buffer.from(JSON.parse(String(fields['vp_token'])).proof_of_age[0], 'base64url');
    const encrypted = await ask({ profile: id, protocol: 'org-iso-mdoc' });
    const answer = await answerRequest(encrypted.request, attestation, { origin: ORIGIN });
    sealedState = encrypted.state;
    sealed = Buffer.from(String(answer.fields['response']), 'base64url');
  });

  it('accepts an unmodified response', async () => {
    expect(await verifyOpen(response)).toMatchObject({ ok: true });
    expect(await verifySealed(sealed)).toMatchObject({ ok: true });
  });

  it(`refuses ${ROUNDS} mutated device responses`, async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const { name, bytes } = mutate(response, id, n);
      if (isOtherMinorVersion(bytes)) continue;
      const verdict = await verifyOpen(bytes);
      expect(verdict, `${name} ${n}`).toMatchObject({ ok: false });
      if (!verdict.ok) expect(Object.keys(REFUSALS)).toContain(verdict.refusal);
    }
  });

  it(`refuses ${ROUNDS} mutated encrypted responses`, async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const { name, bytes } = mutate(sealed, `${id} sealed`, n);
      expect(await verifySealed(bytes), `${name} ${n}`).toMatchObject({ ok: false });
    }
  });

  it('accepts another minor version, which a flipped bit may produce', async () => {
    for (const digit of '1248') {
      const bytes = response.with(versionAt(), digit.charCodeAt(0));
      expect(isOtherMinorVersion(bytes)).toBe(true);
      expect(await verifyOpen(bytes)).toMatchObject({ ok: true });
    }
    expect(isOtherMinorVersion(response.with(-1, 1))).toBe(false);
  });

  /** ISO/IEC 18013-5:2021, 8.3.2.1.2.2: a reader of 1.0 accepts all 1.x. */
  function isOtherMinorVersion(bytes: Uint8Array): boolean {
    const at = versionAt();
    const isDigit = /^\d$/.test(String.fromCharCode(bytes[at] ?? 0));
    return isDigit && bytes.length === response.length && Buffer.compare(bytes.with(at, MINOR), response) === 0;
  }

  /** Flips a bit of the last digit. */
  function versionAt(): number {
    const version = Buffer.from(encodeCbor(new Map([['version', '1.0']])).subarray(1));
    return Buffer.from(response).indexOf(version) + version.length - 1;
  }

  function verifyOpen(bytes: Uint8Array) {
    const presentation = Buffer.from(bytes).toString('base64url');
    return verify(state, { vp_token: JSON.stringify({ proof_of_age: [presentation] }) });
  }

  function verifySealed(bytes: Uint8Array) {
    return verify(sealedState, { response: Buffer.from(bytes).toString('base64url') });
  }

  function verify(kept: RequestState, answer: unknown) {
    return verifyResponse(kept, answer, { anchors: [issuer.anchor], now: NOW, acceptTestIssuers: true });
  }
});

describe('the scan', () => {
  it.each([
    ['an indefinite array', '9f01ff'],
    ['an indefinite map', 'bf6161 01ff'],
    ['an indefinite byte string', '5f4101ff'],
    ['an indefinite text', '7f6161ff'],
    ['a key twice', 'a2 6161 01 6161 02'],
    ['a number in the long form', '1801'],
    ['a length in the long form', '5801 00'],
    ['a length beyond the end', '5bffffffffffffffff'],
    ['a count beyond the end', '9affffffff'],
    ['a map beyond the end', 'bb7fffffffffffffff'],
    ['bytes after the end', '0101'],
    ['nothing', ''],
    ['a reserved length', '1c'],
    ['a break alone', 'ff'],
    ['a simple value that nobody knows', 'f8ff'],
    ['undefined', 'f7'],
    ['text that is not UTF-8', '61ff'],
    ['a tag that would make the decoder do things', 'd81c 01'],
    ['a shared reference', 'd81d 00'],
    ['a typed array', 'd840 41 01'],
    ['a date with a fraction', 'c0 78 18 323032362d31312d31365431323a30303a30302e3030305a'],
    ['a date that is no text', 'c0 01'],
    ['a big number of many bytes', `c2 5828 ${'01'.repeat(40)}`],
    ['a byte string as a key', 'a1 4101 01'],
    ['depth', `${'81'.repeat(17)}01`],
    ['many items', `99${(5000).toString(16)}${'00'.repeat(5000)}`],
  ])('refuses %s', (_, hex) => {
    expect(() => scanCbor(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toThrow('cbor_malformed');
  });

  it.each([
    ['a map', 'a2 6161 01 6162 02'],
    ['as deep as may be', `${'81'.repeat(16)}01`],
    ['a date', 'c0 74 323032362d31312d31365431323a30303a30305a'],
    ['a float', 'fb3ff199999999999a'],
    ['a serial number', `c2 54 ${'7f'.repeat(20)}`],
  ])('accepts %s', (_, hex) => {
    expect(() => scanCbor(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).not.toThrow();
  });
});
