// Errors of scores against plain cosines, over many keys, because their size depends somewhat on
// the keys.
import type { TokenDevice } from '../device/index.ts';
import type { BlindedRows } from '../shared/index.ts';
import { adoptBody, encryptBody, makeParty, scoreOne } from './parties.ts';
import { dotProduct, randomVector, rootMeanSquare, vectorNear } from './vectors.ts';

/** Band documented in docs/face-tokens.md: 5.7 times the errors' standard deviation of 2.91e-3. */
export const ERROR_BAND = 0.0167;

/** Documented band for people in blocks: 5.7 times 4.5e-3. */
export const PACKED_BAND = 0.0256;

/** Documented band for people in blocks after twelve renewals: 5.7 times 6.2e-3. */
export const RENEWED_PACKED_BAND = 0.0352;

const COSINES = [0, 0.3, 0.48, 0.6, 0.99];
const VECTORS = 16;

/**
 * Each set of keys gives 256 comparisons of 16 adopted tokens with 16 probes. Measured over 40
 * sets: 2.91e-3, the largest 0.0118; one set's root mean square spreads by 4.5%. The mean of 40 sets
 * spreads by 0.7% and exceeds 3e-3 once in 100,000 runs; that of six spreads by 1.8% and never
 * exceeds 3.2e-3.
 */
export async function collectErrors(
  device: TokenDevice,
  keySets: number,
  compare: (token: Uint8Array, probe: Uint8Array) => BlindedRows,
): Promise<{ rootMeanSquare: number; largest: number }> {
  const errors: number[] = [];
  for (let set = 0; set < keySets; set++) {
    const [enroll, enrollment, challenge] = [await makeParty(), await makeParty(), await makeParty()];
    const vectors = Array.from({ length: VECTORS }, () => randomVector());
    const others = vectors.map((vector, index) => vectorNear(vector, COSINES[index % COSINES.length]!));
    const tokens: Uint8Array[] = [];
    for (const vector of vectors)
      tokens.push(await adoptBody(encryptBody(device, vector, enrollment), enrollment, enroll));
    const probes = others.map((vector) => encryptBody(device, vector, challenge));
    for (const [left, token] of tokens.entries()) {
      for (const [right, probe] of probes.entries()) {
        const score = scoreOne(compare(token, probe), enroll.key, challenge.key);
        errors.push(score - dotProduct(vectors[left]!, others[right]!));
      }
    }
  }
  return { rootMeanSquare: rootMeanSquare(errors), largest: Math.max(...errors.map(Math.abs)) };
}
