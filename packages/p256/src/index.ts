// Keys on P-256 and HPKE, with Node's ciphers.
export { generateKeys, importPrivateKey, POINT_BYTES, readPoint, writePem } from './keys.ts';
export { openHpke } from './open-hpke.ts';
export { SIGNATURE_BYTES, verifySignature } from './verify-signature.ts';
