// Coverage of a signature, and the canonical form of its parts.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyCall } from './signature.ts';

const SESSION = '5198b3aa-8308-464b-93bf-c4755db792c4';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function pointOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}

/** In base64url, the end of 64 bytes differs in bits that no byte uses. */
function nextLetter(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters[letters.indexOf(letter) + 1]!;
}

function signedCall(operation = 'log', counter = '1700000000000') {
  const body = Buffer.from('{}');
  const path = `/device/sessions/${SESSION}${operation && `/${operation}`}`;
  const hash = createHash('sha256').update(body).digest('hex');
  const text = `limen-device-v1\nPOST\n${path}\n${hash}\n${counter}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return {
    method: 'POST',
    sessionId: SESSION,
    operation,
    body,
    counter,
    key: pointOf(publicKey).toString('base64url'),
    signature: signature.toString('base64url'),
  };
}

describe('a signature', () => {
  it('returns its key and counter if valid', async () => {
    const call = signedCall();
    expect(await verifyCall(call)).toEqual({ key: call.key, counter: 1_700_000_000_000 });
    expect(await verifyCall(signedCall(''))).toBeDefined();
  });

  it.each([
    ['method', { method: 'GET' }],
    ['session', { sessionId: SESSION.replace('5', '6') }],
    ['operation', { operation: 'cancel' }],
    ['body', { body: Buffer.from('{ }') }],
    ['counter', { counter: '1700000000001' }],
    ['key', { key: pointOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey).toString('base64url') }],
  ])('covers the %s', async (_what, change) => {
    expect(await verifyCall({ ...signedCall(), ...change })).toBe(undefined);
  });

  it.each(['', '0', '01', '-1', '1.5', '1e3', '9007199254740992', ' 1', 'undefined'])(
    'has a counter that is a plain number, not %j',
    async (counter) => {
      expect(await verifyCall(signedCall('log', counter))).toBe(undefined);
    },
  );

  it('has a key with one encoding only', async () => {
    const call = signedCall();
    const spare = call.key.slice(0, -1) + String.fromCharCode(call.key.charCodeAt(86) + 1);
    expect(Buffer.from(spare, 'base64url')).toEqual(pointOf(publicKey));
    for (const key of [spare, `${call.key}=`, `${call.key}\n`, call.key.slice(0, -1), '']) {
      expect(await verifyCall({ ...call, key })).toBe(undefined);
    }
  });

  it('has one encoding only', async () => {
    const call = signedCall();
    const spare = call.signature.slice(0, -1) + nextLetter(call.signature.at(-1)!);
    expect(Buffer.from(spare, 'base64url')).toEqual(Buffer.from(call.signature, 'base64url'));
    for (const signature of [spare, `${call.signature}=`, `${call.signature}==`, ` ${call.signature}`]) {
      expect(await verifyCall({ ...call, signature })).toBe(undefined);
    }
  });

  it('may have either of the two values of s', async () => {
    const call = signedCall();
    const bytes = Buffer.from(call.signature, 'base64url');
    const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
    const other = (order - BigInt(`0x${bytes.toString('hex', 32)}`)).toString(16).padStart(64, '0');
    const signature = Buffer.concat([bytes.subarray(0, 32), Buffer.from(other, 'hex')]).toString('base64url');
    expect(await verifyCall({ ...call, signature })).toBeDefined();
  });

  it('has an uncompressed key on the curve', async () => {
    const call = signedCall();
    const off = pointOf(publicKey);
    off[64] = off[64]! ^ 1;
    const compressed = Buffer.concat([Buffer.of(2 + (off[64]! & 1)), off.subarray(1)]);
    for (const point of [off, compressed, Buffer.alloc(65), Buffer.concat([Buffer.of(4), Buffer.alloc(64)])]) {
      expect(await verifyCall({ ...call, key: point.toString('base64url') })).toBe(undefined);
    }
  });

  it('has 64 bytes, not the longer DER form', async () => {
    const call = signedCall();
    const der = sign('sha256', Buffer.from('anything'), privateKey).toString('base64url');
    for (const signature of [der, '', `${call.signature}A`, 'A'.repeat(86), call.signature.replace(/^./, '+')]) {
      expect(await verifyCall({ ...call, signature })).toBe(undefined);
    }
  });
});
