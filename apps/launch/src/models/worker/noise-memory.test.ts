import { createRandom } from '@limen/face-geometry/testing/random.ts';
import { expect, test } from 'vitest';
import { createFrame, type Frame } from '../../face/index.ts';
import { createNoiseMemory, digestFrame } from './noise-memory.ts';

const [WIDTH, HEIGHT] = [128, 96];

/** A picture with noise of one step up or down, as good cameras have it in good light. */
function takePicture(seed: number, brightness = 120): Frame {
  const random = createRandom(seed);
  const data = new Uint8ClampedArray(WIDTH * HEIGHT * 4).map((_, i) =>
    i % 4 === 3 ? 255 : brightness + Math.round(random() * 2 - 1),
  );
  return createFrame(WIDTH, HEIGHT, data);
}

/** Whether it is seen by the end of them, one every so many milliseconds. */
function watch(seeds: readonly number[], everyMs: number, brightness?: number): boolean {
  const memory = createNoiseMemory();
  return seeds.map((seed, i) => memory.note(takePicture(seed, brightness), i * everyMs)).at(-1)!;
}

const count = (length: number) => Array.from({ length }, (_, i) => i);

test('pictures of a camera are all different', () => {
  expect(watch(count(200), 100)).toBe(false);
});

test('a picture that the page took twice, or that a slow camera showed four times, is none that repeats', () => {
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

test('a filter that leaves noise in the face alone leaves enough', () => {
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

test('a picture that stands still for a second is seen', () => {
  expect(watch(Array<number>(15).fill(3), 100)).toBe(true);
  expect(watch(Array<number>(8).fill(3), 100)).toBe(false);
});

test('a clip is seen when its pictures come again, also where the page misses most of them', () => {
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

test('a covered lens is black and black again, and a blinded one white', () => {
  expect(watch(Array<number>(40).fill(3), 100, 2)).toBe(false);
  expect(watch(Array<number>(40).fill(3), 100, 254)).toBe(false);
});

test('one bit in one place of the grid is another picture; the shape of the picture does not matter', () => {
  const picture = takePicture(5);
  const before = digestFrame(picture);
  picture.data[(Math.floor(HEIGHT / 2 + 1) * WIDTH + WIDTH / 2 + 1) * 4 + 2]! ^= 1;
  expect(digestFrame(picture)).not.toBe(before);
  const upright = createFrame(HEIGHT, WIDTH, picture.data);
  expect(digestFrame(upright)).not.toBeNull();
});
