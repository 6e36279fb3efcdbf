// A block: four folded tokens as the first polynomial of one ciphertext, 1,667 bytes per person.
import { expandText } from '../masked-body.ts';
import { POLYNOMIAL_BYTES } from '../polynomial-bytes.ts';

/** Nonce from which the key-holder, which draws it, derives the block's secret key. */
export const NONCE_BYTES = 12;
/** The first polynomial, then the nonce. */
export const BLOCK_BYTES: number = POLYNOMIAL_BYTES + NONCE_BYTES;

/** Second polynomials of an epoch in NTT form: one for its blocks, one for their probes. */
export interface EpochPolynomials {
  ofBlocks: Int32Array;
  ofProbes: Int32Array;
}

/**
 * Everything under one second polynomial has a separate secret key, so the polynomial may be
 * shared. Both sides derive it from the epoch's name, which the key-holder drew: the service has no
 * influence, and a key-holder can only try names until the hash suits it.
 */
export async function drawForEpoch(epoch: string): Promise<EpochPolynomials> {
  const draw = (what: string) => expandText(new TextEncoder().encode(`limen-packed-${what}-v1\n${epoch}`));
  const [ofBlocks, ofProbes] = await Promise.all([draw('blocks'), draw('probes')]);
  return { ofBlocks, ofProbes };
}

/** Number of cached epochs: 16 KB each. */
const KEPT_EPOCHS = 64;

/** Returns cached polynomials if they were drawn before (LRU). */
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
