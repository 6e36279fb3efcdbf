// HPKE, checked with its RFC's vectors and with another implementation.
import { randomBytes } from 'node:crypto';
import { Aes128Gcm, Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { describe, expect, it } from 'vitest';
import { generateKeys, importPrivateKey } from './keys.ts';
import { openHpke } from './open-hpke.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const PLAINTEXT = 'Beauty is truth, truth beauty';

/** RFC 9180, A.3.1. */
const VECTOR = {
  d: 'f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2',
  point:
    '04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0',
  enc: '04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4',
  info: 'Ode on a Grecian Urn',
  associatedData: 'Count-0',
  sealed: '5ad590bb8baa577f8619db35a36311226a896e7342a6d836d8b7bcd2f20b6c7f9076ac232e3ab2523f39513434',
};

function contextOfVector() {
  const point = hex(VECTOR.point);
  return {
    aead: 'aes-128-gcm',
    privateKey: importPrivateKey({ scalar: hex(VECTOR.d), point }),
    publicPoint: point,
    enc: hex(VECTOR.enc),
    info: Buffer.from(VECTOR.info),
    associatedData: Buffer.from(VECTOR.associatedData),
  } as const;
}

describe('openHpke', () => {
  it("opens the RFC's vector", () => {
    expect(Buffer.from(openHpke(contextOfVector(), hex(VECTOR.sealed))!).toString()).toBe(PLAINTEXT);
  });

  it.each(
    [['aes-128-gcm', new Aes128Gcm()] as const, ['aes-256-gcm', new Aes256Gcm()] as const].flatMap(([name, cipher]) =>
      [0, 1, 1000, 20_000].map((length) => ({ name, cipher, length })),
    ),
  )('opens a message by another implementation: $name, $length bytes', async ({ name, cipher, length }) => {
    const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: cipher });
    const [message, info, associatedData] = [randomBytes(length), randomBytes(80), randomBytes(40)];
    const keys = generateKeys();
    const recipientPublicKey = await suite.kem.deserializePublicKey(Uint8Array.from(keys.point).buffer);
    const sender = { recipientPublicKey, info: Uint8Array.from(info) };
    const sealed = await suite.seal(sender, Uint8Array.from(message), Uint8Array.from(associatedData));
    const own = { aead: name, privateKey: importPrivateKey(keys), publicPoint: keys.point };
    const opened = openHpke(
      { ...own, enc: new Uint8Array(sealed.enc), info, associatedData },
      new Uint8Array(sealed.ct),
    );
    expect(Buffer.from(opened!).equals(message)).toBe(true);
  });
});

describe('openHpke rejects', () => {
  const offCurve = hex(VECTOR.enc);
  offCurve[64]! ^= 1;
  const hybrid = hex(VECTOR.enc);
  hybrid[0] = 6 | (hybrid[64]! & 1);
  const compressed = Buffer.concat([Buffer.of(2), hex(VECTOR.enc).subarray(1, 33)]);

  it.each<[string, Partial<ReturnType<typeof contextOfVector>>]>([
    ['in another context', { info: Buffer.from('Ode to a Nightingale') }],
    ['with other associated data', { associatedData: Buffer.from('Count-1') }],
    ['for another key', { publicPoint: hex(VECTOR.enc) }],
    ['from a point that is not on the curve', { enc: offCurve }],
    ['from a compressed point', { enc: compressed }],
    ['from a point in the hybrid form', { enc: hybrid }],
    ['from the point at infinity', { enc: Buffer.of(0) }],
    ['from nothing', { enc: Buffer.alloc(0) }],
  ])('%s', (_, changed) => {
    expect(openHpke({ ...contextOfVector(), ...changed }, hex(VECTOR.sealed))).toBeNull();
  });

  it('a message with any byte changed or missing', () => {
    const [context, sealed] = [contextOfVector(), hex(VECTOR.sealed)];
    for (let at = 0; at < sealed.length; at += 4) {
      const altered = Buffer.from(sealed);
      altered[at]! ^= 1;
      expect(openHpke(context, altered)).toBeNull();
      expect(openHpke(context, sealed.subarray(0, at))).toBeNull();
    }
  });
});
