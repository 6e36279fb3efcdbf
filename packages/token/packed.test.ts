// People in blocks of four: scores, each role's view, and attacks enabled by packing.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { measureShape } from './keyholder/check-shape.ts';
import { checkBalance, checkShape, packBlock, scoreBlocks } from './keyholder/index.ts';
import { openStreams, readShortSecret } from './keyholder/packed/short-secret.ts';
import {
  ALL_PLACES,
  BLOCK_BYTES,
  BLOCK_PEOPLE,
  BLOCK_ROUNDED_AT,
  BLOCK_ROW_BYTES,
  type BlindedBlocks,
  center,
  drawForEpoch,
  FOLDED_LENGTH,
  M,
  multiply,
  NONCE_BYTES,
  POLYNOMIAL_BYTES,
  Q,
  RING_DEGREE,
  ROUNDED_RANGE,
  reduce,
  transform,
  transformInverse,
  unpackBody,
  unpackPolynomial,
} from './shared/index.ts';
import { encryptInBothHalves, encryptPolynomial } from './testing/forge.ts';
import { EPOCH, type Folded, openPacker, type Packer } from './testing/packed.ts';
import { adoptBody, encryptBody, makeParty, openParties, type Parties, type Party } from './testing/parties.ts';
import { PACKED_BAND, RENEWED_PACKED_BAND } from './testing/score-errors.ts';
import { dotProduct, randomVector, rootMeanSquare, vectorNear } from './testing/vectors.ts';

const COSINES = [0, 0.3, 0.48, 0.6, 0.99, -0.99];

let parties: Parties;
let packer: Packer;
/** Four people with one token each, and their block. */
let people: { vector: Float32Array; body: Uint8Array }[];
let block: Uint8Array;

beforeAll(async () => {
  parties = await openParties();
  packer = await openPacker();
  people = await Promise.all(Array.from({ length: BLOCK_PEOPLE }, enrollSomebody));
  block = pack();
});

afterAll(async () => {
  await packer.close();
  parties.device.close();
});

async function enrollSomebody() {
  const { device, enrol: enroll, challenge } = parties;
  const vector = randomVector();
  return { vector, body: await adoptBody(encryptBody(device, vector, challenge), challenge, enroll) };
}

function pack(members = people): Uint8Array {
  return packer.pack(
    members.map(({ body }) => body),
    parties.enrol,
  );
}

function foldVector(vector: Float32Array): Folded {
  return packer.fold(encryptBody(parties.device, vector, parties.challenge), parties.challenge);
}

/** Content of a block, decrypted with all keys: coefficients around zero. */
function decryptBlock(bytes: Uint8Array, { key }: Party): Int32Array {
  const first = new Int32Array(RING_DEGREE);
  unpackPolynomial(bytes, 0, first);
  const stream = openStreams(key.blockKey, 1).make(bytes.subarray(POLYNOMIAL_BYTES), NONCE_BYTES, 1);
  return decryptWith(first, packer.polynomials.ofBlocks, readShortSecret(stream));
}

function decryptWith(first: Int32Array, second: Int32Array, secret: Int32Array): Int32Array {
  const key = secret.map(reduce);
  transform(key);
  const plain = first.map((value, index) => reduce(value + multiply(second[index]!, key[index]!)));
  transformInverse(plain);
  return plain.map(center);
}

async function rowsOf(blocks: readonly Uint8Array[], folded: Folded, counting = ALL_PLACES): Promise<BlindedBlocks> {
  const { evaluator, arena, polynomials } = packer;
  const slots = Uint32Array.from(blocks, (bytes) => arena.addBlock(bytes, polynomials.ofProbes));
  let taken: BlindedBlocks | undefined;
  const bits = new Uint8Array(slots.length).fill(counting);
  await evaluator.compareBlocks(arena, slots, bits, folded.probe, async (rows) => {
    taken = { ...rows, bytes: rows.bytes.slice() };
  });
  for (const slot of slots) arena.remove(slot);
  return taken!;
}

describe('scores', () => {
  test('are within the documented band of cosines', async () => {
    const { device } = parties;
    const errors: number[] = [];
    for (let set = 0; set < onlyWhenLong(40, 2); set++) {
      const [enroll, enrollment, challenge] = [await makeParty(), await makeParty(), await makeParty()];
      const vectors = Array.from({ length: 16 }, () => randomVector());
      const bodies: Uint8Array[] = [];
      for (const vector of vectors)
        bodies.push(await adoptBody(encryptBody(device, vector, enrollment), enrollment, enroll));
      const blocks = [0, 4, 8, 12].map((from) => packer.pack(bodies.slice(from, from + 4), enroll));
      for (const [round, cosine] of COSINES.entries()) {
        const probe = vectorNear(vectors[round * 2 + (round & 1)]!, cosine);
        const folded = packer.fold(encryptBody(device, probe, challenge), challenge);
        const scores = await packer.score(blocks, folded, enroll);
        for (const [person, vector] of vectors.entries()) errors.push(scores[person]! - dotProduct(vector, probe));
      }
    }
    expect(rootMeanSquare(errors)).toBeLessThan(onlyWhenLong(4.8e-3, 5.5e-3));
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(PACKED_BAND);
  });

  test('are within the documented band after twelve renewals', async () => {
    const { device, challenge } = parties;
    const errors: number[] = [];
    for (let set = 0; set < onlyWhenLong(40, 1); set++) {
      const enroll = await makeParty();
      const vectors = Array.from({ length: BLOCK_PEOPLE }, () => randomVector());
      let bodies = await Promise.all(
        vectors.map((vector) => adoptBody(encryptBody(device, vector, challenge), challenge, enroll)),
      );
      for (let renewal = 0; renewal < 12; renewal++)
        bodies = await Promise.all(bodies.map((body) => adoptBody(body, enroll, enroll)));
      const renewed = packer.pack(bodies, enroll);
      for (const cosine of COSINES) {
        const probe = vectorNear(vectors[0]!, cosine);
        const scores = await packer.score(
          [renewed],
          packer.fold(encryptBody(device, probe, challenge), challenge),
          enroll,
        );
        for (const [person, vector] of vectors.entries()) errors.push(scores[person]! - dotProduct(vector, probe));
      }
    }
    // At least 24 embeddings, because each key has its own error.
    expect(rootMeanSquare(errors)).toBeLessThan(onlyWhenLong(6.9e-3, 1e-2));
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(RENEWED_PACKED_BAND);
  });

  test('support embeddings of any number of dimensions', async () => {
    const { device, enrol: enroll } = parties;
    const vectors = [128, 200, 512, 333].map((dimensions) => randomVector(dimensions));
    const bytes = packer.pack(
      vectors.map((vector) => encryptBody(device, vector, enroll)),
      enroll,
    );
    for (const [place, vector] of vectors.entries()) {
      const scores = await packer.score([bytes], foldVector(vector), enroll);
      expect(Math.abs(scores[place]! - 1)).toBeLessThan(PACKED_BAND);
    }
  });

  test('are returned only for people who count', async () => {
    const folded = foldVector(people[2]!.vector);
    const rows = await rowsOf([block], folded, 0b1101);
    const scores = new Float64Array(4).fill(7);
    scoreBlocks(rows, parties.enrol.key, folded.secret, scores);
    expect(scores[1]).toBeCloseTo(1, 1);
    expect(Math.abs(scores[0]!)).toBeLessThan(0.4);
    expect(Math.abs(scores[2]!)).toBeLessThan(0.4);
    expect(scores[3]).toBe(7);
  });

  test('are within range for any bytes, and incomplete rows are refused', () => {
    const { secret } = foldVector(people[0]!.vector);
    const bytes = crypto.getRandomValues(new Uint8Array(3 * BLOCK_ROW_BYTES));
    bytes.fill(255, BLOCK_ROW_BYTES, 2 * BLOCK_ROW_BYTES);
    const common = new Uint8Array(2 * RING_DEGREE).fill(128);
    const scores = new Float64Array(12);
    scoreBlocks({ count: 3, bytes, common }, parties.enrol.key, secret, scores);
    for (const score of scores) expect(Math.abs(score)).toBeLessThan(1.11);
    for (const wrong of [
      { count: 2, bytes, common },
      { count: 3, bytes, common: common.subarray(2) },
    ])
      expect(() => scoreBlocks(wrong, parties.enrol.key, secret, scores)).toThrow(
        expect.objectContaining({ code: 'length' }),
      );
  });
});

describe('cross-talk between the people of a block', () => {
  test('gives a shifted probe of one’s own face no score with other people', async () => {
    const { enrol: enroll, challenge } = parties;
    const [victim, attacker] = [1, 2];
    // All ways to move the attacker's own token to the victim's score: a power of X, times their
    // face.
    const own = polynomialOf(people[attacker]!.body, enroll);
    for (const shift of [
      -2 * FOLDED_LENGTH,
      -FOLDED_LENGTH,
      FOLDED_LENGTH,
      2 * FOLDED_LENGTH,
      -1,
      1,
      RING_DEGREE / 2,
    ]) {
      const forged = encryptPolynomial(shiftBy(own, shift), challenge.key);
      const scores = await packer.score([block], packer.fold(forged, challenge), enroll);
      const plain = foldedCosines(shiftBy(own, shift));
      // Exactly the value of the victim's own numbers, which a stranger would also get.
      expect(Math.abs(scores[victim]! - plain[victim]!)).toBeLessThan(PACKED_BAND);
      expect(Math.abs(plain[victim]!)).toBeLessThan(0.3);
    }
  });

  test('keeps a score independent of the other three places', async () => {
    const folded = foldVector(vectorNear(people[0]!.vector, 0.6));
    const other = pack([people[0]!, ...(await Promise.all([enrollSomebody(), enrollSomebody(), enrollSomebody()]))]);
    const [before] = await packer.score([block], folded, parties.enrol);
    const [after] = await packer.score([other], folded, parties.enrol);
    expect(Math.abs(before! - 0.6)).toBeLessThan(PACKED_BAND);
    expect(Math.abs(after! - 0.6)).toBeLessThan(PACKED_BAND);
  });

  test('refuses a probe with all of its length at even powers, which would score √2 times as high', async () => {
    const { enrol: enroll, challenge } = parties;
    const own = polynomialOf(people[0]!.body, enroll);
    const even = own.map((value, index) => (index % 2 === 0 ? value * Math.SQRT2 : 0));
    const odd = own.map((value, index) => (index % 2 === 0 ? 0 : value * Math.SQRT2));
    const forged = encryptPolynomial(even, challenge.key);
    const scores = await packer.score([block], packer.fold(forged, challenge), enroll);
    // 1.41, which wraps around.
    expect(scores[0]).toBeCloseTo(Math.SQRT2 - Q / M ** 2, 1);
    for (const body of [forged, encryptPolynomial(odd, challenge.key)]) await expectOutOfBalance(body);
  });

  test('refuses a face in both halves of the slots, which would match strangers in a block, as probe and as token', async () => {
    const { enrol: enroll, challenge } = parties;
    const vector = randomVector();
    const forged = await encryptInBothHalves(vector, challenge.deviceKey.publicKey);
    const token = await adoptBody(forged, challenge, enroll);
    const planted = pack([{ vector, body: token }, ...people.slice(1)]);
    const [score] = await packer.score([planted], foldVector(vectorNear(vector, 0.4)), enroll);
    expect(Math.abs(score! - 0.4 * Math.SQRT2)).toBeLessThan(0.05);
    await expectOutOfBalance(forged);
    expect(checkBalance(packer.evaluator.balance(token), enroll.key)).toBe(false);
  });

  test('accepts bodies of unmodified devices, also after renewals', async () => {
    const { device, enrol: enroll, challenge } = parties;
    for (let round = 0; round < onlyWhenLong(500, 20); round++) {
      const probe = encryptBody(device, randomVector([128, 200, 512][round % 3]), challenge);
      expect(checkBalance(packer.evaluator.balance(probe), challenge.key)).toBe(true);
    }
    let token = people[0]!.body;
    for (let renewal = 0; renewal < onlyWhenLong(36, 4); renewal++) token = await adoptBody(token, enroll, enroll);
    expect(checkBalance(packer.evaluator.balance(token), enroll.key)).toBe(true);
  });

  /** Refused only for this reason: the rest of its shape is valid. */
  async function expectOutOfBalance(probe: Uint8Array) {
    const { key } = parties.challenge;
    const shape = await packer.evaluator.shape(probe);
    const { norm, even, odd } = measureShape(shape, key);
    expect([norm > 0.88, even > 0.5 && even < 1.7, odd < 0.0105]).toEqual([true, true, true]);
    expect(checkShape(shape, key)).toBe(false);
  }

  /** Plaintext of the token, without the noise in the odd part. */
  function polynomialOf(body: Uint8Array, { key }: Party): Float64Array {
    const { c0, c1 } = unpackBody(body);
    const plain = c0.map((value, index) => reduce(value + reduce(c1[index]! * key.values[index]!)));
    transformInverse(plain);
    const polynomial = Float64Array.from(plain, center);
    return polynomial.map((value, index) => (index === 0 ? value : (value - polynomial[RING_DEGREE - index]!) / 2));
  }

  function shiftBy(polynomial: Float64Array, by: number): Float64Array {
    const shifted = new Float64Array(RING_DEGREE);
    for (const [index, value] of polynomial.entries()) {
      const at = (index + by + 2 * RING_DEGREE) % (2 * RING_DEGREE);
      shifted[at % RING_DEGREE]! += at < RING_DEGREE ? value : -value;
    }
    return shifted;
  }

  /** Scores of a polynomial with each of the four, from their folded numbers alone. */
  function foldedCosines(probe: Float64Array): number[] {
    const content = decryptBlock(block, parties.enrol);
    return people.map((_, place) => {
      let sum = 2 * probe[0]! * content[place * FOLDED_LENGTH]!;
      for (let index = 1; index < FOLDED_LENGTH; index++)
        sum += (probe[2 * index]! - probe[RING_DEGREE - 2 * index]!) * content[place * FOLDED_LENGTH + index]!;
      return sum / M ** 2;
    });
  }
});

describe('secret keys', () => {
  test('differ between blocks of the same people, so that the difference of blocks reveals nothing', () => {
    const again = pack();
    expect(again.subarray(POLYNOMIAL_BYTES)).not.toEqual(block.subarray(POLYNOMIAL_BYTES));
    const [first, second] = [new Int32Array(RING_DEGREE), new Int32Array(RING_DEGREE)];
    unpackPolynomial(block, 0, first);
    unpackPolynomial(again, 0, second);
    const difference = first.map((value, index) => reduce(value - second[index]!));
    transformInverse(difference);
    // Under one key it would be noise of a few units. Uniform values have q/√12.
    expect(rootMeanSquare([...difference.map(center)])).toBeGreaterThan(Q / 4);
    // With the keys, both contain the same people.
    const plain = decryptBlock(block, parties.enrol);
    const changed = decryptBlock(again, parties.enrol).map((value, index) => value - plain[index]!);
    expect(rootMeanSquare([...changed])).toBeLessThan(12);
  });

  test('consist of bits, half of them zero, and differ by nonce and customer', () => {
    const { enrol: enroll, challenge } = parties;
    const nonces = crypto.getRandomValues(new Uint8Array(2 * NONCE_BYTES));
    const streams = openStreams(enroll.key.blockKey, 2).make(nonces, NONCE_BYTES, 2);
    const [one, two] = [streams.subarray(0, 512), streams.subarray(512)];
    expect(one).not.toEqual(two);
    expect(openStreams(enroll.key.blockKey, 1).make(nonces, NONCE_BYTES, 1)).toEqual(one);
    expect(openStreams(challenge.key.blockKey, 1).make(nonces, NONCE_BYTES, 1)).not.toEqual(one);
    const counts = new Map<number, number>();
    for (const value of readShortSecret(one)) counts.set(value, (counts.get(value) ?? 0) + 1);
    expect([...counts.keys()].toSorted()).toEqual([-1, 0, 1]);
    // 1,024 with a standard deviation of 23.
    expect(Math.abs(counts.get(0)! - RING_DEGREE / 2)).toBeLessThan(140);
  });

  test('of a block are overwritten after use', () => {
    // Observes every typed array created from the key's bytes.
    const made: Int32Array[] = [];
    const [from, map] = [vi.spyOn(Int32Array, 'from'), vi.spyOn(Int32Array.prototype, 'map')];
    const { masked } = packer.evaluator.maskForPacking(people.map(({ body }) => body));
    try {
      packBlock(masked, parties.enrol.key, packer.polynomials);
      for (const { value } of [...from.mock.results, ...map.mock.results]) made.push(value as Int32Array);
    } finally {
      from.mockRestore();
      map.mockRestore();
    }
    expect(made.length).toBeGreaterThanOrEqual(2);
    for (const array of made) expect(array.every((value) => value === 0)).toBe(true);
  });

  test('of another customer or nonce yield only noise', async () => {
    const folded = foldVector(people[0]!.vector);
    const other = await makeParty();
    const foreign = await packer.score([block], folded, other);
    const renamed = block.slice();
    renamed[BLOCK_BYTES - 1]! ^= 1;
    const wrong = await packer.score([renamed], folded, parties.enrol);
    // Uniform between -1.1 and 1.1. All eight being correct by chance does not happen.
    expect([...foreign, ...wrong].every((score, at) => Math.abs(score - (at % 4 === 0 ? 1 : 0)) < 0.3)).toBe(false);
  });

  test('use the epoch’s uniform and distinct second polynomials', async () => {
    const again = await drawForEpoch(EPOCH);
    const other = await drawForEpoch('another-epoch-00000000');
    expect(again).toEqual(packer.polynomials);
    for (const polynomial of [again.ofBlocks, again.ofProbes, other.ofBlocks]) {
      expect(Math.max(...polynomial)).toBeLessThan(Q);
      expect(rootMeanSquare([...polynomial.map(center)])).toBeGreaterThan(Q / 4);
    }
    expect(again.ofBlocks).not.toEqual(again.ofProbes);
    expect(again.ofBlocks).not.toEqual(other.ofBlocks);
  });
});

describe('the key-holder’s view', () => {
  test('of bodies to fold is uniform for any content, with one-time masks', () => {
    const { enrol: enroll } = parties;
    const { masked, unmask } = packer.evaluator.maskForPacking(people.map(({ body }) => body));
    for (const body of masked) {
      const { c0, c1 } = unpackBody(body);
      const plain = c0.map((value, index) => reduce(value + reduce(c1[index]! * enroll.key.values[index]!)));
      transformInverse(plain);
      expect(rootMeanSquare([...plain.map(center)])).toBeGreaterThan(Q / 4);
    }
    unmask(block);
    expect(() => unmask(block)).toThrow('already used');
  });

  test('of a block is its product with a known polynomial, except ten bits of every coefficient', async () => {
    // Both roles know the second polynomials. The rest is a learning-with-rounding sample;
    // without rounding, a division would reveal the block's content.
    const { bytes } = await rowsOf([block], foldVector(people[0]!.vector));
    const rounded = new Int16Array(bytes.slice().buffer, BLOCK_ROUNDED_AT, RING_DEGREE);
    const content = readFromRounded(rounded);
    const plain = decryptBlock(block, parties.enrol);
    expect(rootMeanSquare([...plain])).toBeLessThan(400);
    expect(rootMeanSquare([...content.map((value, index) => value - plain[index]!)])).toBeGreaterThan(Q / 4);
  });

  test('is the same for two searches with one block, so that repetition reveals nothing', async () => {
    const [one, two] = [foldVector(people[0]!.vector), foldVector(people[1]!.vector)];
    const parts = await Promise.all([one, two].map(async (folded) => (await rowsOf([block], folded)).bytes));
    expect(parts[0]!.subarray(BLOCK_ROUNDED_AT)).toEqual(parts[1]!.subarray(BLOCK_ROUNDED_AT));
    expect(one.probe.common).not.toEqual(two.probe.common);
  });

  test('of a block before and after a replacement differs at every coefficient by the service’s own errors', async () => {
    const after = pack([...people.slice(0, 3), await enrollSomebody()]);
    const [old, fresh] = [decryptBlock(block, parties.enrol), decryptBlock(after, parties.enrol)];
    const unchanged = fresh.map((value, index) => value - old[index]!).subarray(0, 3 * FOLDED_LENGTH);
    // Two errors each of the key-holder and of the service, 3.2 each. The key-holder knows half of
    // them.
    expect(rootMeanSquare([...unchanged])).toBeGreaterThan(5.5);
    expect(rootMeanSquare([...unchanged])).toBeLessThan(7.5);
  });

  /** An attacker's result if the rounded product is taken as exact. */
  function readFromRounded(rounded: Int16Array): Int32Array {
    const { ofProbes, ofBlocks } = packer.polynomials;
    const product = Int32Array.from(rounded, (value) => reduce(Math.round((value * Q) / ROUNDED_RANGE)));
    transform(product);
    const first = product.map((value, index) => multiply(value, invert(ofProbes[index]!)));
    const stream = openStreams(parties.enrol.key.blockKey, 1).make(block.subarray(POLYNOMIAL_BYTES), NONCE_BYTES, 1);
    return decryptWith(first, ofBlocks, readShortSecret(stream));
  }

  function invert(value: number): number {
    let [result, square] = [1, value];
    for (let rest = Q - 2; rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) result = multiply(result, square);
      square = multiply(square, square);
    }
    return result;
  }
});

describe('invalid bodies and blocks', () => {
  test('are refused by every role', () => {
    const { evaluator, arena, polynomials } = packer;
    expect(() => evaluator.maskForPacking(people.slice(1).map(({ body }) => body))).toThrow(RangeError);
    expect(() => arena.addBlock(block.subarray(1), polynomials.ofProbes)).toThrow(
      expect.objectContaining({ code: 'length' }),
    );
    const outOfRange = block.slice().fill(255, 0, 13);
    expect(() => arena.addBlock(outOfRange, polynomials.ofProbes)).toThrow(expect.objectContaining({ code: 'range' }));
    expect(arena.size).toBe(0);
  });
});
