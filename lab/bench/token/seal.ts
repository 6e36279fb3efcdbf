// SEAL's product of two ciphertexts, the peer of the token benchmark.
import { RING_DEGREE, unpackBody } from '../../../packages/token/shared/index.ts';
import { CIPHERTEXT_HEAD_BYTES, layOutCiphertext, loadSeal, writeWords } from '../../../packages/token/shared/seal.ts';

export interface SealProduct {
  multiply(times: number): void;
  close(): void;
}

/** Multiplies two bodies in SEAL's memory: three polynomials of one key, without blinding. */
export async function openSealProduct(left: Uint8Array, right: Uint8Array): Promise<SealProduct> {
  const { library, context } = await loadSeal();
  const evaluator = new library.Evaluator(context);
  const load = (body: Uint8Array) => {
    const { c0, c1 } = unpackBody(body);
    const bytes = layOutCiphertext(context.firstParmsId().values() as BigUint64Array, 1, 2 * RING_DEGREE, 0);
    writeWords(bytes, CIPHERTEXT_HEAD_BYTES, 0, c0);
    writeWords(bytes, CIPHERTEXT_HEAD_BYTES, RING_DEGREE, c1);
    const cipher = new library.Ciphertext();
    cipher.loadFromArray(context, bytes);
    return cipher;
  };
  const [first, second, product] = [load(left), load(right), new library.Ciphertext()];
  return {
    multiply(times) {
      for (let time = 0; time < times; time++) evaluator.multiply(first, second, product);
    },
    close() {
      for (const object of [first, second, product, evaluator]) object.delete();
    },
  };
}
