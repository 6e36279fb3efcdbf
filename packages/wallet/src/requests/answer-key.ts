// Key pair for encrypting one response, derived from the entropy of its request.
import { Aes128Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { calculateJwkThumbprint, type JWK } from 'jose';

/** ISO/IEC 18013-7, Annex C. */
export const ANSWER_SUITE = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes128Gcm(),
});

export interface AnswerKey {
  privateJwk: JWK;
  publicJwk: JWK;
  thumbprint: string;
}

export async function deriveAnswerKey(seed: Uint8Array<ArrayBuffer>): Promise<AnswerKey> {
  const pair = await ANSWER_SUITE.kem.deriveKeyPair(seed.buffer.slice(seed.byteOffset, seed.byteOffset + seed.length));
  const d = Buffer.from(await ANSWER_SUITE.kem.serializePrivateKey(pair.privateKey)).toString('base64url');
  // An uncompressed point: 4, x, y.
  const point = Buffer.from(await ANSWER_SUITE.kem.serializePublicKey(pair.publicKey));
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicJwk = { kty: 'EC', crv: 'P-256', x, y };
  return { publicJwk, privateJwk: { ...publicJwk, d }, thumbprint: await calculateJwkThumbprint(publicJwk) };
}
