import { expect, test } from 'vitest';
import { addGrain, colorIn, makePage } from '../../testing/scenes/draw-scene.ts';
import type { Picture } from '../image/gray.ts';
import { AREA, measureColorGrid, SIDE, transformSquare } from './colour-grid.ts';

const [WIDTH, HEIGHT] = [640, 384];
const ALL = { left: 0, top: 0, right: WIDTH, bottom: HEIGHT };

/** Paints grainy paper with a factor for each pixel and channel. */
function paint(light: (x: number, y: number, channel: number) => number): Picture {
  const page = makePage(WIDTH, HEIGHT, 180);
  addGrain(page, 6);
  const picture = colorIn(page, [1, 1, 1]);
  for (let i = 0; i < WIDTH * HEIGHT; i += 1)
    for (let channel = 0; channel < 3; channel += 1)
      picture.data[i * 4 + channel] = picture.data[i * 4 + channel]! * light(i % WIDTH, Math.floor(i / WIDTH), channel);
  return picture;
}

const wave = (x: number, y: number) => x * 0.9 + y * 0.3;
const third = (2 * Math.PI) / 3;

test.each([
  ['red, green, blue', 1],
  ['blue, green, red', -1],
])('finds a grid of successive colors in either order: %s', (_, way) => {
  const picture = paint((x, y, channel) => 1 + 0.03 * Math.sin(wave(x, y) + channel * way * third));
  expect(measureColorGrid(picture, ALL)).toBeGreaterThan(0.5);
});

test('finds a tilted grid of varying frequency', () => {
  const picture = paint((x, y, channel) => 1 + 0.05 * Math.sin(wave(x, y) * (1 + x / 20_000) + channel * third));
  expect(measureColorGrid(picture, ALL)).toBeGreaterThan(0.4);
});

test.each([
  ['black', [0.2, 0.2, 0.2]],
  ['blue', [0.2, 0.12, 0.02]],
  ['magenta', [0, 0.3, 0.05]],
] as const)('finds no grid in lines of one ink, however strong: %s', (_, ink) => {
  const picture = paint((x, y, channel) => 1 - ink[channel]! * (1 + Math.sin(wave(x, y))));
  expect(measureColorGrid(picture, ALL)).toBeLessThan(0.21);
});

test('finds no grid in a halftone of three inks', () => {
  const picture = paint((x, y, channel) => {
    const turn = [0.26, 1.31, 0][channel]!;
    const [u, v] = [x * Math.cos(turn) + y * Math.sin(turn), y * Math.cos(turn) - x * Math.sin(turn)];
    return 1 - 0.1 * (2 + Math.sin(u) + Math.sin(v));
  });
  expect(measureColorGrid(picture, ALL)).toBeLessThan(0.21);
});

test('finds no grid in a small rainbow or in grain', () => {
  const spot = paint((x, y, channel) =>
    Math.hypot(x - 200, y - 180) < 70 ? 1 + 0.3 * Math.sin(wave(x, y) + channel * third) : 1,
  );
  expect(measureColorGrid(spot, ALL)).toBeLessThan(0.21);
  expect(
    measureColorGrid(
      paint(() => 1),
      ALL,
    ),
  ).toBeLessThan(0.21);
});

test('returns null for a picture that is too small', () => {
  expect(
    measureColorGrid(
      paint(() => 1),
      { ...ALL, right: 60 },
    ),
  ).toBeNull();
});

test('matches the plain sum for each wave', () => {
  const [real, imaginary] = [0, 1].map((part) =>
    Float32Array.from({ length: AREA }, (_, i) => (i * (37 + part * 12)) % 101),
  );
  const [re, im] = [real!.slice(), imaginary!.slice()];
  transformSquare(re, im);
  for (const [x, y] of [
    [0, 0],
    [1, 0],
    [5, 31],
    [16, 7],
  ] as const) {
    let [sumReal, sumImaginary] = [0, 0];
    for (let i = 0; i < AREA; i += 1) {
      const angle = (-2 * Math.PI * (x * (i % SIDE) + y * Math.floor(i / SIDE))) / SIDE;
      sumReal += real![i]! * Math.cos(angle) - imaginary![i]! * Math.sin(angle);
      sumImaginary += real![i]! * Math.sin(angle) + imaginary![i]! * Math.cos(angle);
    }
    expect(re[y * SIDE + x]! / AREA).toBeCloseTo(sumReal / AREA, 3);
    expect(im[y * SIDE + x]! / AREA).toBeCloseTo(sumImaginary / AREA, 3);
  }
});
