// Accepted forms of a face, and rejections that quote no number.
import * as contract from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { EMBEDDING_MAX_LENGTH, EMBEDDING_MIN_LENGTH, FEATURES_MAX, toFeature, toFeatures } from './features.ts';
import { DEFAULT_VERSION, PREDICT_MAX_K } from './node.ts';

const vectorOf = (length: number, first = 0.5) =>
  Array.from({ length }, (_, index) => (index === 0 ? first : index / 1024));

it('has the limits of the contract', () => {
  const own = { EMBEDDING_MIN_LENGTH, EMBEDDING_MAX_LENGTH, FEATURES_MAX, DEFAULT_VERSION, PREDICT_MAX_K };
  expect(contract).toMatchObject(own);
});

describe('a face', () => {
  const vector = vectorOf(128);

  it.each([
    ['a vector', vector],
    ['a Float32Array', Float32Array.from(vector)],
    ['a Float64Array', Float64Array.from(vector)],
    ['a Feature', { embedding_vector: vector }],
    ['a list of one vector', [vector]],
    ['a list of one Float32Array', [Float32Array.from(vector)]],
    ['a list of one Feature', [{ embedding_vector: vector }]],
  ])('may be %s', (_name, given) => {
    expect(toFeatures(given)).toEqual([{ embedding_vector: vector }]);
  });

  it('keeps its type and nothing else', () => {
    expect(toFeature({ type: 'front', embedding_vector: vector, note: 'x' } as never)).toEqual({
      type: 'front',
      embedding_vector: vector,
    });
  });

  it.each([128, 512])('may have %i numbers', (length) => {
    expect(toFeature(vectorOf(length)).embedding_vector).toHaveLength(length);
  });

  it('may be accompanied by 63 others', () => {
    expect(toFeatures(Array(64).fill(vector))).toHaveLength(64);
  });
});

it.each([
  [[], '1 to 64'],
  [Array(65).fill(vectorOf(128)), '1 to 64'],
  [vectorOf(127), '128 to 512'],
  [vectorOf(513), '128 to 512'],
  [[vectorOf(128), vectorOf(129)], 'same length'],
  [vectorOf(128, Number.NaN), 'finite'],
  [vectorOf(128, Number.POSITIVE_INFINITY), 'finite'],
  [Float32Array.from(vectorOf(128, 1e300)), 'finite'],
  [[...vectorOf(127), '7'], 'finite'],
  [[...vectorOf(127), undefined], 'finite'],
  [new BigInt64Array(128), 'finite'],
  [undefined, 'array of numbers'],
  [null, 'array of numbers'],
  [[null], 'array of numbers'],
  ['0.625', 'array of numbers'],
  [{ embedding_vector: '0.625' }, 'array of numbers'],
  [{}, 'array of numbers'],
])('rejects invalid faces (%#)', (given, reason) => {
  const refused = () => toFeatures(given as never);
  expect(refused).toThrow(TypeError);
  expect(refused).toThrow(reason);
  expect(refused).not.toThrow('0.');
});
