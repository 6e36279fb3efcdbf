// The device's role: encrypts a face embedding under the key of a challenge. It has public keys only.
import { MAX_DIMENSIONS, MIN_DIMENSIONS } from '../shared/parameters.ts';
import { loadSeal } from '../shared/seal.ts';
import { writeToken } from '../shared/token-header.ts';
import { encryptValues } from './encrypt-values.ts';

export interface DeviceKey {
  /** As the key-holder gave it. */
  publicKey: Uint8Array;
  /** The challenge that the key was made for. */
  keyId: string;
}

export interface TokenDevice {
  /** `vector` has 128 to 512 numbers and any length but zero. 13,352 bytes, different ones each time. */
  encrypt(vector: Float32Array, key: DeviceKey, modelId: string): Uint8Array;
  close(): void;
}

/** Loads SEAL. `wasmUrl` is where a page gets it from; Node needs none. */
export async function openDevice(options: { wasmUrl?: string } = {}): Promise<TokenDevice> {
  const seal = await loadSeal(options.wasmUrl);
  const encoder = new seal.library.CKKSEncoder(seal.context);
  return {
    encrypt(vector, { publicKey, keyId }, modelId) {
      const values = normalise(vector);
      try {
        return writeToken({ keyId, modelId, body: encryptValues(seal, encoder, values, publicKey) });
      } finally {
        values.fill(0);
      }
    },
    close() {
      encoder.delete();
      seal.context.delete();
    },
  };
}

function normalise(vector: Float32Array) {
  if (vector.length < MIN_DIMENSIONS || vector.length > MAX_DIMENSIONS) {
    throw new RangeError(`An embedding has ${MIN_DIMENSIONS} to ${MAX_DIMENSIONS} numbers`);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length < 1e-12) {
    throw new RangeError('An embedding has finite numbers, and not only zeros');
  }
  return Float64Array.from(vector, (value) => value / length);
}
