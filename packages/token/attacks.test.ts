import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Evaluator } from './evaluator/index.ts';
import { checkShape } from './keyholder/index.ts';
import {
  center,
  fillUniform,
  M,
  M_SQUARED,
  multiply,
  packBody,
  Q,
  RING_DEGREE,
  reduce,
  transform,
  transformInverse,
  unpackBody,
} from './shared/index.ts';
import { addPolynomials, encryptPolynomial, randomPolynomial } from './testing/forge.ts';
import {
  adoptBody,
  encryptBody,
  makeParty,
  openParties,
  type Parties,
  type Party,
  scoreOne,
} from './testing/parties.ts';
import { randomVector } from './testing/vectors.ts';

const MANY = onlyWhenLong(1000, 25);
/** Attacks that would pass a check of the score alone. */
const THRESHOLD = 0.48;

let parties: Parties;
let evaluator: Evaluator;

beforeAll(async () => {
  parties = await openParties();
  evaluator = new Evaluator({ threads: 1, maxBytes: 2 ** 24 });
});

afterAll(async () => {
  await evaluator.close();
  parties.device.close();
});

async function isAccepted(body: Uint8Array, { key } = parties.challenge) {
  return checkShape(await evaluator.shape(body), key);
}

async function countAccepted(rounds: number, forge: (round: number) => Float64Array) {
  let accepted = 0;
  for (let round = 0; round < rounds; round++) {
    accepted += (await isAccepted(encryptPolynomial(forge(round), parties.challenge.key))) ? 1 : 0;
  }
  return accepted;
}

function monomial(exponent: number, factor: number) {
  const polynomial = new Float64Array(RING_DEGREE);
  polynomial[exponent] = factor;
  return polynomial;
}

test('accepts legitimate probes, whatever the length of the embedding', async () => {
  const { device, challenge } = parties;
  for (let round = 0; round < onlyWhenLong(1000, 30); round++) {
    expect(await isAccepted(encryptBody(device, randomVector([128, 256, 512][round % 3]), challenge))).toBe(true);
  }
});

describe('replay', () => {
  test('shows that under one key a stolen token would score 1', () => {
    const { device, enrol: enroll } = parties;
    const stolen = encryptBody(device, randomVector(), enroll);
    expect(scoreOne(evaluator.compareOne(stolen, stolen), enroll.key, enroll.key)).toBeCloseTo(1, 1);
  });

  test('refuses a stolen token as a probe', async () => {
    const { device, enrol: enroll, challenge } = parties;
    const earlier = await makeParty();
    for (let round = 0; round < onlyWhenLong(300, 10); round++) {
      const token = await adoptBody(encryptBody(device, randomVector(), earlier), earlier, enroll);
      expect(await isAccepted(token, challenge)).toBe(false);
    }
  });

  test('refuses a probe of one challenge under another', async () => {
    const { device, challenge } = parties;
    const captured = encryptBody(device, randomVector(), challenge);
    expect(await isAccepted(captured, challenge)).toBe(true);
    for (let round = 0; round < onlyWhenLong(300, 10); round++) {
      expect(await isAccepted(captured, await makeParty())).toBe(false);
    }
  });
});

describe('length', () => {
  test('refuses random probes of large norm, although some score above the threshold', async () => {
    const { device, enrol: enroll, challenge } = parties;
    const token = encryptBody(device, randomVector(), enroll);
    let scoredWell = 0;
    for (let round = 0; round < MANY; round++) {
      const body = encryptPolynomial(randomPolynomial(M * (50 + round), 'even'), challenge.key);
      const score = scoreOne(evaluator.compareOne(token, body), enroll.key, challenge.key);
      scoredWell += score >= THRESHOLD ? 1 : 0;
      expect(await isAccepted(body)).toBe(false);
    }
    // Scores of such probes are uniform between -1.1 and 1.1: 28% are above.
    if (MANY >= 100) expect(scoredWell).toBeGreaterThan(MANY / 10);
  });

  test('refuses probes of norms whose square wraps around to 1', async () => {
    // The nearest norm, √3.2, passes nine times in a million. docs/face-tokens.md explains the
    // consequences.
    const accepted = await countAccepted(MANY, (round) =>
      randomPolynomial(M * Math.sqrt(1 + ((1 + (round % 200)) * Q) / M_SQUARED), 'even'),
    );
    expect(accepted).toBe(0);
  });

  test('refuses probes that are too short or somewhat too long', async () => {
    for (const length of [0, 0.5, 0.85, 1.15, 1.4]) {
      expect(await countAccepted(2, () => randomPolynomial(M * length, 'even'))).toBe(0);
    }
  });

  test('refuses length hidden in the odd part, which the square counts negatively', async () => {
    for (const hidden of [0.3, 0.5, 1, 1.5, 40]) {
      const even = Math.sqrt(1 + hidden * hidden);
      const accepted = await countAccepted(onlyWhenLong(200, 5), () =>
        addPolynomials(randomPolynomial(M * even, 'even'), randomPolynomial(M * hidden, 'odd')),
      );
      expect(accepted).toBe(0);
    }
  });

  test('refuses an odd polynomial of length 1, and one whose negative norm wraps around', async () => {
    const wrapped = Math.sqrt(Q / M_SQUARED - 1);
    expect(await countAccepted(2, () => randomPolynomial(M, 'odd'))).toBe(0);
    expect(await countAccepted(2, () => randomPolynomial(M * wrapped, 'odd'))).toBe(0);
  });
});

describe('any polynomial', () => {
  test('detects length in a single coefficient, because each is measured', async () => {
    for (const exponent of [0, 1, RING_DEGREE / 2, RING_DEGREE - 1]) {
      const single = monomial(exponent, Math.sqrt(3.2) * M);
      expect(await countAccepted(onlyWhenLong(50, 5), () => single)).toBe(0);
    }
  });

  test('refuses multiples of fractions of q, which small factors make short', async () => {
    for (const divisor of [2, 3, 4, 1000, 1023]) {
      const fraction = Math.round(Q / divisor);
      expect(await countAccepted(1, () => addPolynomials(randomPolynomial(M, 'even'), monomial(0, fraction)))).toBe(0);
    }
  });

  test('refuses uniform polynomials', async () => {
    const uniform = new Int32Array(RING_DEGREE);
    const accepted = await countAccepted(MANY, () => {
      fillUniform(uniform);
      return Float64Array.from(uniform);
    });
    expect(accepted).toBe(0);
  });

  test('refuses tampered coefficients', async () => {
    const { device, challenge } = parties;
    for (let round = 0; round < onlyWhenLong(200, 12); round++) {
      const { c0, c1 } = unpackBody(encryptBody(device, randomVector(), challenge));
      const tampered = round % 2 === 0 ? c0 : c1;
      const at = (round * 97) % RING_DEGREE;
      tampered[at] = reduce(tampered[at]! + 1 + (round % 3));
      expect(await isAccepted(packBody(c0, c1))).toBe(false);
    }
  });
});

describe('a multiple of the key inside the plaintext', () => {
  const AT = 77;
  const FACTOR = 500;

  /**
   * Effect of adding the multiple of a power of X to the second polynomial: that power times the
   * key appears in the plaintext.
   */
  function plantedOf({ key }: Party) {
    const added = new Int32Array(RING_DEGREE);
    added[AT] = FACTOR;
    transform(added);
    const planted = added.map((value, index) => multiply(value, reduce(key.values[index]!)));
    transformInverse(planted);
    return { added, planted };
  }

  function decrypt(body: Uint8Array, { key }: Party) {
    const { c0, c1 } = unpackBody(body);
    const plain = c0.map((value, index) => reduce(value + multiply(c1[index]!, reduce(key.values[index]!))));
    transformInverse(plain);
    return plain;
  }

  const largest = (values: Int32Array) => Math.max(...values.map((value) => Math.abs(center(reduce(value)))));

  test('affects only the one-time key, and not the enroll key after adoption', async () => {
    const { device, enrol: enroll, challenge } = parties;
    const honest = encryptBody(device, randomVector(), challenge);
    const { added, planted } = plantedOf(challenge);
    const { c0, c1 } = unpackBody(honest);
    const forged = packBody(
      c0,
      c1.map((value, index) => reduce(value + added[index]!)),
    );
    const before = decrypt(honest, challenge);
    const after = decrypt(await adoptBody(forged, challenge, enroll), enroll);
    const difference = after.map((value, index) => reduce(value - before[index]!));
    // Noise of the key-holder and of the service, each with a standard deviation of 3.2, truncated
    // at six of them.
    expect(largest(difference.map((value, index) => value - planted[index]!))).toBeLessThan(2 * 6 * 3.2 + 1);
    const ofEnroll = plantedOf(enroll).planted;
    expect(largest(difference.map((value, index) => value - ofEnroll[index]!))).toBeGreaterThan(FACTOR / 2);
  });
});

describe('bodies that are not encrypted', () => {
  test('refuses zeros as the second polynomial, and bodies of zeros, before they reach the key-holder', async () => {
    const { device, challenge } = parties;
    const { c0, c1 } = unpackBody(encryptBody(device, randomVector(), challenge));
    const zeros = new Int32Array(RING_DEGREE);
    for (const body of [packBody(c0, zeros), packBody(zeros, c1), packBody(zeros, zeros)]) {
      await expect(evaluator.shape(body)).rejects.toThrow(expect.objectContaining({ code: 'transparent' }));
    }
  });

  test('accepts a body that anyone can read if its maker chose so, because it requires knowing the embedding', async () => {
    // Ones are the constant polynomial 1: the plaintext is c0 + s, and s is short for every key.
    // The public key gives a forger the same choice of embeddings. Binding an embedding to a face
    // is outside this package.
    const { enrol: enroll, challenge } = parties;
    const c0 = Int32Array.from(randomPolynomial(M, 'even'), (value) => reduce(Math.round(value)));
    transform(c0);
    const body = packBody(c0, new Int32Array(RING_DEGREE).fill(1));
    expect([await isAccepted(body, challenge), await isAccepted(body, enroll)]).toEqual([true, true]);
  });

  test('refuses a shape of another length', async () => {
    const { device, challenge } = parties;
    const { bytes } = await evaluator.shape(encryptBody(device, randomVector(), challenge));
    expect(checkShape({ bytes: bytes.subarray(1) }, challenge.key)).toBe(false);
    expect(checkShape({ bytes: new Uint8Array(0) }, challenge.key)).toBe(false);
    expect(checkShape({ bytes: new Uint8Array(bytes.length) }, challenge.key)).toBe(false);
  });
});
