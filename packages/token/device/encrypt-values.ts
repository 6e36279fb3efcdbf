// Encodes numbers into the slots of a polynomial and encrypts that under a public key, with SEAL.
import type { CKKSEncoder } from 'node-seal';
import { packBody } from '../shared/pack-body.ts';
import { M, RING_DEGREE, SLOTS } from '../shared/parameters.ts';
import { unpackPublicKey } from '../shared/public-key.ts';
import { CIPHERTEXT_HEAD_BYTES, readWords, type Seal } from '../shared/seal.ts';

/** The encoder spreads a slot over n coefficients: with this scale the polynomial has length M. */
const ENCODER_SCALE = M * Math.sqrt(SLOTS);

/** `values` are of length 1; an embedding has at most half as many as there are slots. Nothing of them stays in SEAL's memory. */
export function encryptValues(
  { library, context }: Seal,
  encoder: CKKSEncoder,
  values: Float64Array,
  publicKey: Uint8Array,
): Uint8Array {
  const key = new library.PublicKey();
  const plain = new library.Plaintext();
  const cipher = new library.Ciphertext();
  try {
    key.loadFromArray(context, unpackPublicKey(publicKey, { library, context }));
    const encryptor = new library.Encryptor(context, key);
    try {
      encoder.encode(values, ENCODER_SCALE, plain);
      encryptor.encrypt(plain, cipher);
    } finally {
      encryptor.delete();
    }
    return packCiphertext(cipher.saveToArray(library.ComprModeType.none) as Uint8Array);
  } finally {
    // What SEAL's heap held of the vector is written over: by the zeros, in the same places, as far as we can see.
    encoder.encode(new Float64Array(values.length), ENCODER_SCALE, plain);
    plain.setZero();
    plain.delete();
    cipher.delete();
    key.delete();
  }
}

function packCiphertext(saved: Uint8Array) {
  if (saved.length !== CIPHERTEXT_HEAD_BYTES + 8 * 2 * RING_DEGREE) {
    throw new Error('SEAL wrote a ciphertext in another form than expected');
  }
  const c0 = new Int32Array(RING_DEGREE);
  const c1 = new Int32Array(RING_DEGREE);
  readWords(saved, CIPHERTEXT_HEAD_BYTES, 0, c0);
  readWords(saved, CIPHERTEXT_HEAD_BYTES, RING_DEGREE, c1);
  return packBody(c0, c1);
}
