// Opens a sealed answer with Node's primitives: RFC 9180 step by step, to check the library that
// seals.
import { createDecipheriv, createECDH, createHmac } from 'node:crypto';

const ENC_BYTES = 65;
const TAG_BYTES = 16;
const KEM_SUITE = Buffer.concat([Buffer.from('KEM'), uint16(0x0010)]);
const HPKE_SUITE = Buffer.concat([Buffer.from('HPKE'), uint16(0x0010), uint16(0x0001), uint16(0x0002)]);
const INFO = 'limen device answer v1';
const NOTHING = Buffer.alloc(0);

interface SealedAnswer {
  envelope: Uint8Array;
  /** The scalar, in hex. */
  privateKey: string;
  aad: string;
}

/** Returns the padded plaintext. Throws if it does not open. */
export function openEnvelope({ envelope, privateKey, aad }: SealedAnswer): Buffer {
  const sealed = Buffer.from(envelope);
  const enc = sealed.subarray(0, ENC_BYTES);
  const recipient = createECDH('prime256v1');
  recipient.setPrivateKey(privateKey, 'hex');
  const dh = recipient.computeSecret(enc);
  const eaePrk = labeledExtract(KEM_SUITE, NOTHING, 'eae_prk', dh);
  const shared = labeledExpand(KEM_SUITE, eaePrk, 'shared_secret', Buffer.concat([enc, recipient.getPublicKey()]), 32);
  const context = Buffer.concat([
    Buffer.from([0]),
    labeledExtract(HPKE_SUITE, NOTHING, 'psk_id_hash', NOTHING),
    labeledExtract(HPKE_SUITE, NOTHING, 'info_hash', Buffer.from(INFO)),
  ]);
  const secret = labeledExtract(HPKE_SUITE, shared, 'secret', NOTHING);
  const key = labeledExpand(HPKE_SUITE, secret, 'key', context, 32);
  const nonce = labeledExpand(HPKE_SUITE, secret, 'base_nonce', context, 12);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad)).setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(ENC_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** Returns the JSON text in a padded plaintext. Throws if the padding is invalid. */
export function unpad(plaintext: Uint8Array): string {
  const padded = Buffer.from(plaintext);
  const end = 2 + padded.readUInt16BE(0);
  if (end > padded.length) throw new Error('length');
  if (padded.subarray(end).some((byte) => byte !== 0)) throw new Error('padding');
  return new TextDecoder('utf-8', { fatal: true }).decode(padded.subarray(2, end));
}

function labeledExtract(suite: Buffer, salt: Buffer, label: string, ikm: Buffer): Buffer {
  const labeled = Buffer.concat([Buffer.from('HPKE-v1'), suite, Buffer.from(label), ikm]);
  return createHmac('sha256', salt.length === 0 ? Buffer.alloc(32) : salt)
    .update(labeled)
    .digest();
}

/** One block suffices, because no output is longer than a hash. */
function labeledExpand(suite: Buffer, prk: Buffer, label: string, info: Buffer, length: number): Buffer {
  const labeled = Buffer.concat([uint16(length), Buffer.from('HPKE-v1'), suite, Buffer.from(label), info]);
  return createHmac('sha256', prk)
    .update(labeled)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, length);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
