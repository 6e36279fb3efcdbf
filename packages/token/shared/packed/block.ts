// A block: four folded tokens as the first polynomial of one ciphertext, 1,667 bytes a person.
import { expandText } from '../masked-body.ts';
import { POLYNOMIAL_BYTES } from '../polynomial-bytes.ts';

/** What names the block's secret key to the key-holder, which draws it and makes the key from it. */
export const NONCE_BYTES = 12;
/** The first polynomial, then the nonce. */
export const BLOCK_BYTES: number = POLYNOMIAL_BYTES + NONCE_BYTES;

/** The second polynomials of an epoch, 0..q-1 in NTT form: one of all its blocks, one of all probes that meet them. */
export interface EpochPolynomials {
  ofBlocks: Int32Array;
  ofProbes: Int32Array;
}

/**
 * Everything under one second polynomial has a secret key of its own, so that it may be the same for all. Both sides make it
 * from the epoch's name, which the key-holder drew: the service has no say in it, and a key-holder can only try names until
 * one hashes to what it likes.
 */
export async function drawForEpoch(epoch: string): Promise<EpochPolynomials> {
  const draw = (what: string) => expandText(new TextEncoder().encode(`limen-packed-${what}-v1\n${epoch}`));
  const [ofBlocks, ofProbes] = await Promise.all([draw('blocks'), draw('probes')]);
  return { ofBlocks, ofProbes };
}

/** Epochs whose polynomials are kept: 16 KB each. */
const KEPT_EPOCHS = 64;

/** The same from memory where they were drawn before; the epochs that were asked for last are kept. */
export function rememberEpochs(): (epoch: string) => Promise<EpochPolynomials> {
  const drawn = new Map<string, Promise<EpochPolynomials>>();
  return (epoch) => {
    const polynomials = drawn.get(epoch) ?? drawForEpoch(epoch);
    drawn.delete(epoch);
    drawn.set(epoch, polynomials);
    if (drawn.size > KEPT_EPOCHS) drawn.delete(drawn.keys().next().value!);
    return polynomials;
  };
}
