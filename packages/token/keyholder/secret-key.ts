// A secret key: 512 bytes at rest, opened into the forms that scoring needs.
import { Q, RING_DEGREE } from '../shared/parameters.ts';
import { packPublicKey } from '../shared/public-key.ts';
import { center, transform, transformInverse } from '../shared/ring.ts';
import { loadSeal, PLAINTEXT_HEAD_BYTES, readWords, type Seal } from '../shared/seal.ts';
import { TokenError } from '../shared/token-error.ts';

/** Creates keys with SEAL: an enroll key for a customer, or a challenge's one-time key. */
export interface KeyPair {
  /** 512 bytes. The caller seals or wipes them. */
  secret: Uint8Array;
  publicKey: Uint8Array;
}

let loading: Promise<Seal> | undefined;

export async function makeKeyPair(): Promise<KeyPair> {
  loading ??= loadSeal();
  const { library, context } = await loading;
  const generator = new library.KeyGenerator(context);
  const publicKey = generator.createPublicKeySerializable();
  const secretKey = generator.secretKey();
  const saved = secretKey.saveToArray(library.ComprModeType.none) as Uint8Array;
  const coefficients = new Int32Array(RING_DEGREE);
  try {
    readWords(saved, PLAINTEXT_HEAD_BYTES, 0, coefficients);
    transformInverse(coefficients);
    for (let index = 0; index < RING_DEGREE; index++) {
      coefficients[index] = center(coefficients[index]!);
    }
    if (coefficients.some((value) => Math.abs(value) > 1)) {
      throw new Error('SEAL wrote a secret key in an unexpected format.');
    }
    const packed = packPublicKey(publicKey.saveToArray(library.ComprModeType.none) as Uint8Array);
    return { secret: packSecret(coefficients), publicKey: packed };
  } finally {
    saved.fill(0);
    coefficients.fill(0);
    // SEAL clears the memory of released secret keys.
    secretKey.delete();
    publicKey.delete();
    generator.delete();
  }
}

/** Two bits per coefficient: 0, 1, and 2 for -1. */
export const SECRET_BYTES = RING_DEGREE / 4;

export interface SecretKey {
  /** In NTT form, centered around zero. */
  readonly values: Int32Array;
  /** Reversed coefficients, so that a dot product is the product's constant coefficient. */
  readonly reversed: Int16Array;
  /** Seed of the blocks' secret keys. */
  readonly blockKey: Uint8Array;
}

const BLOCK_KEY_LABEL = new TextEncoder().encode('limen-block-key-v1\n');

/** `coefficients` are -1, 0 or 1. */
export function packSecret(coefficients: Int32Array) {
  const secret = new Uint8Array(SECRET_BYTES);
  for (let index = 0; index < RING_DEGREE; index++) {
    secret[index >> 2]! |= (coefficients[index]! < 0 ? 2 : coefficients[index]!) << (2 * (index & 3));
  }
  return secret;
}

/** Throws `TokenError` if the bytes are not a key. Callers wipe the opened key after use. */
export async function openKey(secret: Uint8Array): Promise<SecretKey> {
  if (secret.length !== SECRET_BYTES) {
    throw new TokenError('key');
  }
  const values = new Int32Array(RING_DEGREE);
  const reversed = new Int16Array(RING_DEGREE);
  for (let index = 0; index < RING_DEGREE; index++) {
    const code = (secret[index >> 2]! >> (2 * (index & 3))) & 3;
    if (code === 3) {
      throw new TokenError('key');
    }
    const coefficient = (code & 1) - (code >> 1);
    values[index] = coefficient + (Q & -(code >> 1));
    reversed[(RING_DEGREE - index) % RING_DEGREE] = index === 0 ? coefficient : -coefficient;
  }
  transform(values);
  for (let index = 0; index < RING_DEGREE; index++) {
    values[index] = center(values[index]!);
  }
  return { values, reversed, blockKey: await deriveBlockKey(secret) };
}

async function deriveBlockKey(secret: Uint8Array): Promise<Uint8Array> {
  const text = new Uint8Array(BLOCK_KEY_LABEL.length + SECRET_BYTES);
  text.set(BLOCK_KEY_LABEL);
  text.set(secret, BLOCK_KEY_LABEL.length);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  text.fill(0);
  return digest;
}

export function wipeKey(key: SecretKey) {
  key.values.fill(0);
  key.reversed.fill(0);
  key.blockKey.fill(0);
}
