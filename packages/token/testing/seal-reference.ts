// SEAL's own product and decryption of two bodies under one key, as the reference for our
// arithmetic.

import type { SecretKey } from '../keyholder/secret-key.ts';
import { type UnpackedBody, unpackBody } from '../shared/pack-body.ts';
import { RING_DEGREE } from '../shared/parameters.ts';
import { reduce, transformInverse } from '../shared/ring.ts';
import {
  CIPHERTEXT_HEAD_BYTES,
  layOutCiphertext,
  loadSeal,
  PLAINTEXT_HEAD_BYTES,
  readWords,
  type Seal,
  writeWords,
} from '../shared/seal.ts';

export interface SealReference {
  /** Coefficients of the decrypted product, 0..q-1. */
  multiplyAndDecrypt(left: Uint8Array, right: Uint8Array): Int32Array;
  /** Coefficients of a decrypted body, 0..q-1. */
  decrypt(body: Uint8Array): Int32Array;
}

export async function openSealReference(key: SecretKey): Promise<SealReference> {
  const seal = await loadSeal();
  const { library, context } = seal;
  const decryptor = new library.Decryptor(context, loadSecret(seal, key));
  const evaluator = new library.Evaluator(context);

  function read(cipher: InstanceType<typeof library.Ciphertext>) {
    const plain = new library.Plaintext();
    decryptor.decrypt(cipher, plain);
    const coefficients = new Int32Array(RING_DEGREE);
    readWords(plain.saveToArray(library.ComprModeType.none) as Uint8Array, PLAINTEXT_HEAD_BYTES, 0, coefficients);
    plain.delete();
    transformInverse(coefficients);
    return coefficients;
  }

  return {
    multiplyAndDecrypt(left, right) {
      const first = loadBody(seal, unpackBody(left));
      const second = loadBody(seal, unpackBody(right));
      evaluator.multiplyInplace(first, second);
      const coefficients = read(first);
      first.delete();
      second.delete();
      return coefficients;
    },
    decrypt(body) {
      const cipher = loadBody(seal, unpackBody(body));
      const coefficients = read(cipher);
      cipher.delete();
      return coefficients;
    },
  };
}

function loadBody({ library, context }: Seal, { c0, c1 }: UnpackedBody) {
  const bytes = layOutCiphertext(context.firstParmsId().values() as BigUint64Array, 1, 2 * RING_DEGREE, 0);
  writeWords(bytes, CIPHERTEXT_HEAD_BYTES, 0, c0);
  writeWords(bytes, CIPHERTEXT_HEAD_BYTES, RING_DEGREE, c1);
  const cipher = new library.Ciphertext();
  cipher.loadFromArray(context, bytes);
  return cipher;
}

/** SEAL also needs the key modulo P, which decryption does not use. */
function loadSecret({ library, context }: Seal, key: SecretKey) {
  const generator = new library.KeyGenerator(context);
  const bytes = generator.secretKey().saveToArray(library.ComprModeType.none) as Uint8Array;
  writeWords(
    bytes,
    PLAINTEXT_HEAD_BYTES,
    0,
    key.values.map((value) => reduce(value)),
  );
  const secret = new library.SecretKey();
  secret.loadFromArray(context, bytes);
  return secret;
}
