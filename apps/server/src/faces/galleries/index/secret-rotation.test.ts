// The secret rotation preserves geometry, depends only on its secret, and is drawn uniformly.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSealer } from '../../../platform/sealing/sealer.ts';
import { createSecretRotation, createSecretRotationCache } from './secret-rotation.ts';

const secretOf = (name: string) => createHash('sha256').update(name).digest();

/** Unit vectors with deterministic directions. */
function unitVector(dimensions: number, seed: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  for (let index = 0; index < dimensions; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    vector[index] = state / 2 ** 31 - 1;
  }
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((value) => value / length);
}

function axis(dimensions: number, index: number): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[index] = 1;
  return vector;
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += left[index]! * right[index]!;
  return sum;
}

/** Images of the axes: the columns of the matrix. */
function columnsOf(dimensions: number, name: string): Float32Array[] {
  const { rotate } = createSecretRotation(dimensions, secretOf(name));
  return Array.from({ length: dimensions }, (_, index) => rotate(axis(dimensions, index)));
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a secret rotation', () => {
  it('preserves lengths and angles at every vector length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 128, max: 512 }), fc.nat(), fc.nat(), (dimensions, one, other) => {
        const { rotate } = createSecretRotation(dimensions, secretOf(`${one}`));
        const [left, right] = [unitVector(dimensions, one), unitVector(dimensions, other + 0.5)];
        const [leftTurned, rightTurned] = [rotate(left), rotate(right)];
        expect(Math.abs(dot(leftTurned, leftTurned) - dot(left, left))).toBeLessThan(1e-6);
        expect(Math.abs(dot(leftTurned, rightTurned) - dot(left, right))).toBeLessThan(1e-6);
      }),
      { numRuns: 40 },
    );
  });

  it.each([128, 129, 255, 512])('is orthogonal in %i dimensions', (dimensions) => {
    const columns = columnsOf(dimensions, 'orthogonal');
    for (let left = 0; left < dimensions; left += 7) {
      for (let right = left; right < dimensions; right += 1) {
        const difference = dot(columns[left]!, columns[right]!) - (left === right ? 1 : 0);
        if (Math.abs(difference) > 1e-6) expect.fail(`columns ${left} and ${right} are off by ${difference}`);
      }
    }
  });

  it('is equal for equal secrets on every machine', () => {
    const vector = unitVector(512, 7);
    const turned = createSecretRotation(512, secretOf('gallery a')).rotate(vector);
    expect(createSecretRotation(512, secretOf('gallery a')).rotate(vector)).toEqual(turned);
    // Stored rows depend on these numbers, so they must never change.
    const known = [0.0769114, -0.0068143, -0.0539723, -0.0192218];
    for (const [index, value] of known.entries()) expect(turned[index]).toBeCloseTo(value, 6);
  });

  it('is unrelated for another secret, and unrelated to the vector', () => {
    const vector = unitVector(512, 7);
    const one = createSecretRotation(512, secretOf('gallery a')).rotate(vector);
    const other = createSecretRotation(512, secretOf('gallery b')).rotate(vector);
    // The cosine of unrelated directions has a deviation of 0.044 in 512 dimensions.
    expect(Math.abs(dot(one, other))).toBeLessThan(0.2);
    expect(Math.abs(dot(one, vector))).toBeLessThan(0.2);
  });

  it('has uniform entries: mean 0, variance 1/d and Gaussian tails throughout the matrix', () => {
    const dimensions = 256;
    const columns = columnsOf(dimensions, 'uniform');
    const entries = columns.flatMap((column) => [...column].map((value) => value * Math.sqrt(dimensions)));
    expect(Math.abs(mean(entries))).toBeLessThan(0.02);
    expect(Math.abs(mean(entries.map((value) => value ** 4)) - 3)).toBeLessThan(0.1);
    for (const part of [0, 64, 128, 192]) {
      const block = columns.slice(part, part + 64).flatMap((column) => [...column.slice(part, part + 64)]);
      expect(Math.abs(mean(block.map((value) => value ** 2)) * dimensions - 1)).toBeLessThan(0.1);
    }
  });

  it('sends an axis to all sides equally, and is a reflection half of the time', () => {
    const draws = 400;
    const matrices = Array.from({ length: draws }, (_, draw) => columnsOf(3, `draw ${draw}`));
    for (const column of [0, 1, 2]) {
      for (const row of [0, 1, 2]) {
        const values = matrices.map((matrix) => matrix[column]![row]!);
        // One coordinate of a random direction in space is uniform in [-1, 1]: variance 1/3.
        expect(Math.abs(mean(values))).toBeLessThan(0.13);
        expect(Math.abs(mean(values.map((value) => value ** 2)) - 1 / 3)).toBeLessThan(0.07);
      }
    }
    const mirrored = matrices.filter((matrix) => determinant(matrix) < 0).length;
    expect(Math.abs(mirrored / draws - 0.5)).toBeLessThan(0.12);
  });

  it('rejects a vector of another length and a short secret', () => {
    expect(() => createSecretRotation(128, secretOf('a')).rotate(new Float32Array(127))).toThrow('127');
    expect(() => createSecretRotation(128, Buffer.alloc(16))).toThrow('32 bytes');
  });
});

describe('the rotations of galleries', () => {
  it('are separate per gallery, cached while in use, and equal when rebuilt', () => {
    const sealer = createSealer({
      sealKeys: [{ id: '0190a6a0-0000-7000-8000-000000000000', key: Buffer.alloc(32, 1) }],
      lookupKey: secretOf('k'),
    });
    const rotations = createSecretRotationCache(sealer);
    const vector = unitVector(128, 1);
    const galleryOf = (number: number) => ({ id: `gallery ${number}`, dimensions: 128 });
    const [first, second] = [rotations.of(galleryOf(1)), rotations.of(galleryOf(2))];
    const turned = first.rotate(vector);
    expect(Math.abs(dot(turned, second.rotate(vector)))).toBeLessThan(0.5);
    for (let number = 3; number < 20; number += 1) {
      rotations.of(galleryOf(number));
      expect(rotations.of(galleryOf(1))).toBe(first);
    }
    expect(rotations.of(galleryOf(2))).not.toBe(second);
    expect(rotations.of(galleryOf(2)).rotate(vector)).toEqual(second.rotate(vector));
  });
});

function determinant([a, b, c]: Float32Array[]): number {
  const cross = [
    b![1]! * c![2]! - b![2]! * c![1]!,
    b![2]! * c![0]! - b![0]! * c![2]!,
    b![0]! * c![1]! - b![1]! * c![0]!,
  ];
  return a![0]! * cross[0]! + a![1]! * cross[1]! + a![2]! * cross[2]!;
}
