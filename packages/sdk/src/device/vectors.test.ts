// The published vectors of the device protocol, checked against the SDK, the HPKE library and
// Node's primitives.

import { createPublicKey, verify } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { describe, expect, it } from 'vitest';
import { type SignedVector, vectors } from '../../testing/device-vectors.ts';
import { isLegal } from '../../testing/judge-log.ts';
import { openEnvelope, unpad } from '../../testing/open-envelope.ts';
import {
  ANSWER_MAX_BYTES,
  ENVELOPE_BYTES,
  exportDeviceKey,
  LOG_MAX_ENTRIES,
  padAnswer,
  planHash,
  sealAnswer,
  signCall,
  signedText,
} from '../device.ts';

const { signing, sealing, padding, logs } = vectors;
const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });

it('has the documented limits', () => {
  expect([ENVELOPE_BYTES, LOG_MAX_ENTRIES]).toEqual([2_048, 160]);
  expect(ANSWER_MAX_BYTES).toBe(1_965);
});

describe('signing', () => {
  it.each(signing.signed)('$name: has the vector’s text and a valid signature', async (vector) => {
    expect(await signedText({ ...vector, body: bodyOf(vector) })).toBe(vector.text);
    expect(isSigned(vector.text, vector.signature)).toBe(true);
  });

  it.each(signing.refused)('$name: does not verify', ({ text, signature }) => {
    expect(isSigned(text, signature)).toBe(false);
  });

  it.each(signing.signed)('$name: verifies if signed by the SDK', async (vector) => {
    const point = Buffer.from(signing.publicKeyHex, 'hex');
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      d: Buffer.from(signing.privateKey, 'hex').toString('base64url'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    };
    const { d: _, ...publicJwk } = jwk;
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const pair = {
      privateKey: await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']),
      publicKey: await crypto.subtle.importKey('jwk', publicJwk, algorithm, true, ['verify']),
    };
    expect(await exportDeviceKey(pair.publicKey)).toBe(signing.publicKey);
    const headers = await signCall(pair, { ...vector, body: bodyOf(vector) });
    expect(headers).toEqual({
      'limen-device-key': signing.publicKey,
      'limen-device-counter': String(vector.counter),
      'limen-device-signature': expect.stringMatching(/^[\w-]{86}$/),
    });
    expect(isSigned(vector.text, headers['limen-device-signature'] ?? '')).toBe(true);
  });
});

it.each(vectors.planHash)('hashes the plan’s text to $hash', async ({ planText, hash }) => {
  expect(await planHash(planText)).toBe(hash);
});

describe('sealing', () => {
  it.each(sealing.sealed)('$name: opens by hand and with the library', async (vector) => {
    const { info, aad, plaintext, answer } = vector;
    const envelope = Buffer.from(vector.envelope, 'hex');
    expect(envelope).toHaveLength(ENVELOPE_BYTES);
    const opened = openEnvelope({ envelope, privateKey: vector.recipientPrivateKey, aad });
    expect(opened.toString('hex')).toBe(plaintext);
    expect(unpad(opened)).toBe(answer);
    expect(Buffer.from(padAnswer(answer)).toString('hex')).toBe(plaintext);
    expect(aad).toBe(`${info}\n${JSON.parse(answer).sessionId}\n${await planHash(vector.planText)}`);

    const recipientKey = await suite.kem.deserializePrivateKey(bytesOf(vector.recipientPrivateKey));
    const sealed = { recipientKey, enc: bytesOf(vector.envelope.slice(0, 130)), info: Buffer.from(info) };
    const byLibrary = await suite.open(sealed, bytesOf(vector.envelope.slice(130)), Buffer.from(aad));
    expect(Buffer.from(byLibrary).toString('hex')).toBe(plaintext);
  });

  it.each(sealing.sealed)(
    '$name: seals to the same bytes with the library and the same ephemeral key',
    async (vector) => {
      const ekm = {
        privateKey: await suite.kem.deserializePrivateKey(bytesOf(vector.ephemeralPrivateKey)),
        publicKey: await suite.kem.deserializePublicKey(bytesOf(vector.ephemeralPublicKey)),
      };
      const recipientPublicKey = await suite.kem.deserializePublicKey(bytesOf(vector.recipientPublicKey));
      const params = { recipientPublicKey, info: Buffer.from(vector.info), ekm };
      const { enc, ct } = await suite.seal(params, bytesOf(vector.plaintext), Buffer.from(vector.aad));
      expect(Buffer.concat([Buffer.from(enc), Buffer.from(ct)]).toString('hex')).toBe(vector.envelope);
    },
  );

  it.each(sealing.sealed)(
    '$name: opens by hand if sealed by the SDK, with different bytes each time',
    async (vector) => {
      const { planText, aad, recipientPrivateKey: privateKey } = vector;
      const answer = JSON.parse(vector.answer);
      const [envelope, another] = [await sealAnswer({ planText, answer }), await sealAnswer({ planText, answer })];
      expect([envelope.length, another.length]).toEqual([ENVELOPE_BYTES, ENVELOPE_BYTES]);
      expect(unpad(openEnvelope({ envelope, privateKey, aad }))).toBe(vector.answer);
      expect(envelope).not.toEqual(another);
    },
  );

  it.each(sealing.refused)('$name: $reason', async ({ envelope, reason }) => {
    const { recipientPrivateKey: privateKey, aad, info } = sealing.sealed[0]!;
    if (reason === 'not 2,048 bytes') {
      expect(envelope.length / 2).not.toBe(ENVELOPE_BYTES);
      return;
    }
    expect(() => openEnvelope({ envelope: bytesOf(envelope), privateKey, aad })).toThrow();
    const recipientKey = await suite.kem.deserializePrivateKey(bytesOf(privateKey));
    const sealed = { recipientKey, enc: bytesOf(envelope.slice(0, 130)), info: Buffer.from(info) };
    await expect(suite.open(sealed, bytesOf(envelope.slice(130)), Buffer.from(aad))).rejects.toThrow();
  });
});

describe('padding', () => {
  it.each(padding.accepted)('$name', ({ json, bytes, plaintext }) => {
    expect(Buffer.byteLength(json)).toBe(bytes);
    expect(Buffer.from(padAnswer(json)).toString('hex')).toBe(plaintext);
    expect(unpad(bytesOf(plaintext))).toBe(json);
  });

  it.each(padding.refused)('is refused: $name', ({ plaintext }) => {
    expect(() => JSON.parse(unpad(bytesOf(plaintext)))).toThrow();
  });

  it('refuses an answer that is a byte too long before sealing, with both sizes', () => {
    expect(Buffer.byteLength(padding.tooLong.json)).toBe(ANSWER_MAX_BYTES + 1);
    expect(() => padAnswer(padding.tooLong.json)).toThrow(/^The answer has 1966 bytes, but only 1965 fit/);
  });
});

describe('logs', () => {
  it.each(logs.cases)('$name', ({ plan, log, legal, reason, ...due }) => {
    expect(isLegal(log, { steps: logs.plans[plan]!, ...due })).toBe(legal);
    expect(reason === undefined).toBe(legal);
  });
});

function isSigned(text: string, signature: string): boolean {
  const head = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
  const key = createPublicKey({
    key: Buffer.concat([head, bytesOf(signing.publicKeyHex)]),
    format: 'der',
    type: 'spki',
  });
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.toString('base64url') !== signature) return false;
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes);
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

function bodyOf({ body, bodyHex }: SignedVector): string | Uint8Array<ArrayBuffer> | undefined {
  return bodyHex === undefined ? body : bytesOf(bodyHex);
}
