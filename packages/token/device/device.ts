// The device's role: encrypts a face embedding with a challenge's key. It has only public keys.

import type { CKKSEncoder } from 'node-seal';
import { packBody } from '../shared/pack-body.ts';
import { M, MAX_DIMENSIONS, MIN_DIMENSIONS, RING_DEGREE, SLOTS } from '../shared/parameters.ts';
import { unpackPublicKey } from '../shared/public-key.ts';
import { CIPHERTEXT_HEAD_BYTES, loadSeal, readWords, type Seal } from '../shared/seal.ts';
import { writeToken } from '../shared/token-header.ts';

/** The encoder spreads a slot over n coefficients. With this scale the polynomial has length M. */
const ENCODER_SCALE = M * Math.sqrt(SLOTS);

/** `values` must have length 1. Leaves nothing in SEAL's memory. */
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
    // Overwrites the vector in SEAL's heap by encoding zeros, which uses the same addresses as far
    // as observed.
    encoder.encode(new Float64Array(values.length), ENCODER_SCALE, plain);
    plain.setZero();
    plain.delete();
    cipher.delete();
    key.delete();
  }
}

function packCiphertext(saved: Uint8Array) {
  if (saved.length !== CIPHERTEXT_HEAD_BYTES + 8 * 2 * RING_DEGREE) {
    throw new Error('SEAL wrote a ciphertext in an unexpected format.');
  }
  const c0 = new Int32Array(RING_DEGREE);
  const c1 = new Int32Array(RING_DEGREE);
  readWords(saved, CIPHERTEXT_HEAD_BYTES, 0, c0);
  readWords(saved, CIPHERTEXT_HEAD_BYTES, RING_DEGREE, c1);
  return packBody(c0, c1);
}

export interface DeviceKey {
  /** As received from the key-holder. */
  publicKey: Uint8Array;
  /** Challenge for which the key was created. */
  keyId: string;
}

export type TokenDevice = Awaited<ReturnType<typeof openDevice>>;

/** Loads SEAL. Pages need `wasmUrl`; Node does not. */
export async function openDevice(options: { wasmUrl?: string } = {}) {
  const seal = await loadSeal(options.wasmUrl);
  const encoder = new seal.library.CKKSEncoder(seal.context);
  return {
    /** Returns 13,352 bytes, different each time. `vector` has 128 to 512 numbers. */
    encrypt(vector: Float32Array, { publicKey, keyId }: DeviceKey, modelId: string): Uint8Array {
      const values = normalize(vector);
      try {
        return writeToken({ keyId, modelId, body: encryptValues(seal, encoder, values, publicKey) });
      } finally {
        values.fill(0);
      }
    },
    close(): void {
      encoder.delete();
      seal.context.delete();
    },
  };
}

function normalize(vector: Float32Array) {
  if (vector.length < MIN_DIMENSIONS || vector.length > MAX_DIMENSIONS) {
    throw new RangeError(`An embedding must have ${MIN_DIMENSIONS} to ${MAX_DIMENSIONS} numbers.`);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length < 1e-12) {
    throw new RangeError('An embedding must have finite numbers that are not all zero.');
  }
  return Float64Array.from(vector, (value) => value / length);
}
