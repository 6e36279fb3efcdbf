import { createRandom } from '@limen/face-geometry/testing/random.ts';
import { expect, test } from 'vitest';
import { createFrame, type Frame } from '../../face/index.ts';
import { createNoiseMemory, digestFrame } from './noise-memory.ts';

const [WIDTH, HEIGHT] = [128, 96];

/** Creates a picture with noise of one step, like good cameras in good light. */
function takePicture(seed: number, brightness = 120): Frame {
  const random = createRandom(seed);
  const data = new Uint8ClampedArray(WIDTH * HEIGHT * 4).map((_, i) =>
    i % 4 === 3 ? 255 : brightness + Math.round(random() * 2 - 1),
  );
  return createFrame(WIDTH, HEIGHT, data);
}

/** Returns whether a repetition was detected by the end. `everyMs`: interval between pictures. */
function watch(seeds: readonly number[], everyMs: number, brightness?: number): boolean {
  const memory = createNoiseMemory();
  return seeds.map((seed, i) => memory.note(takePicture(seed, brightness), i * everyMs)).at(-1)!;
}

const count = (length: number) => Array.from({ length }, (_, i) => i);

test('detects nothing in the pictures of a camera', () => {
  expect(watch(count(200), 100)).toBe(false);
});

test('allows a picture that the page took twice or a slow camera showed four times', () => {
  expect(
    watch(
      count(60).map((i) => i >> 1),
      120,
    ),
  ).toBe(false);
  expect(
    watch(
      count(120).map((i) => i >> 2),
      33,
    ),
  ).toBe(false);
});

test('allows a filter that leaves noise only in the face', () => {
  const memory = createNoiseMemory();
  const room = takePicture(1);
  const seen = count(40).map((i) => {
    const picture = createFrame(WIDTH, HEIGHT, room.data.slice());
    const face = takePicture(100 + i);
    for (let y = 30; y < 60; y += 1)
      picture.data.set(face.data.subarray((y * WIDTH + 50) * 4, (y * WIDTH + 78) * 4), (y * WIDTH + 50) * 4);
    return memory.note(picture, i * 100);
  });
  expect(seen).not.toContain(true);
});

test('detects a picture that is frozen for a second', () => {
  expect(watch(Array<number>(15).fill(3), 100)).toBe(true);
  expect(watch(Array<number>(8).fill(3), 100)).toBe(false);
});

test('detects a looped clip even if the page misses most pictures', () => {
  expect(
    watch(
      count(60).map((i) => i % 20),
      100,
    ),
  ).toBe(true);
  expect(
    watch(
      count(100).map((i) => (i * 7) % 90),
      230,
    ),
  ).toBe(true);
});

test('ignores a covered lens, which is black, and a blinded one, which is white', () => {
  expect(watch(Array<number>(40).fill(3), 100, 2)).toBe(false);
  expect(watch(Array<number>(40).fill(3), 100, 254)).toBe(false);
});

test('distinguishes pictures by a single bit of the grid, in any orientation', () => {
  const picture = takePicture(5);
  const before = digestFrame(picture);
  picture.data[(Math.floor(HEIGHT / 2 + 1) * WIDTH + WIDTH / 2 + 1) * 4 + 2]! ^= 1;
  expect(digestFrame(picture)).not.toBe(before);
  const upright = createFrame(HEIGHT, WIDTH, picture.data);
  expect(digestFrame(upright)).not.toBeNull();
});
