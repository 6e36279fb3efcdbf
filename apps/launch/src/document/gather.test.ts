import { expect, test } from 'vitest';
import { createGathering } from './gather.ts';

const ME = Float32Array.of(1, 0);
const OTHER = Float32Array.of(0, 1);

test('overwrites the oldest of more documents than the vote keeps apart', () => {
  const gathering = createGathering();
  const [first, second, third] = [ME.slice(), ME.slice(), OTHER.slice()];
  gathering.getPile(1).portraits.push(first);
  gathering.getPile(2).portraits.push(second);
  gathering.getPile(1);
  gathering.getPile(3).portraits.push(third);
  expect([first, second, third]).toEqual([ME, Float32Array.of(0, 0), OTHER]);
  expect(gathering.getPile(1).portraits).toEqual([ME]);
  expect(gathering.getPile(2).portraits).toEqual([]);
});

test('restarts with another face and overwrites the previous one', () => {
  const gathering = createGathering();
  const given = ME.slice();
  gathering.addFace(given);
  gathering.getFace().signs.add(() => ['screen']);
  const { portraits } = gathering.getFace();
  gathering.addFace(Float32Array.of(0.8, 0.6));
  expect(portraits).toHaveLength(2);
  gathering.addFace(OTHER);
  expect(gathering.getFace().portraits).toEqual([OTHER]);
  expect(gathering.getFace().signs.list()).toEqual([]);
  expect(portraits).toEqual([Float32Array.of(0, 0), Float32Array.of(0, 0)]);
  // Stored as a copy, because the caller may keep the vector.
  expect(given).toEqual(ME);
});

test('overwrites everything in the end', () => {
  const gathering = createGathering();
  gathering.addFace(ME);
  const vectors = [ME.slice(), gathering.getFace().portraits[0]!];
  gathering.getPile(1).portraits.push(vectors[0]!);
  gathering.wipe();
  expect(vectors).toEqual([Float32Array.of(0, 0), Float32Array.of(0, 0)]);
  expect([gathering.getFace().portraits, gathering.getPile(1).portraits]).toEqual([[], []]);
});
