import { describe, expect, it } from 'vitest';
import type { Picture } from '../../src/image/gray.ts';
import { createCamera, createRandom, DISTORTIONS, type Distortion, photograph } from './index.ts';
import { createGrid, SCREENS } from './screen-kinds.ts';

const CARD = { width: 85.6, height: 54 };
/** Small frames for speed; the camera is the same. */
const FRAME = { width: 320, height: 180 };

/** Blue with a red upper left quarter: no table has such colors. */
const flag = paint((x, y) => (x < 0.5 && y < 0.5 ? [230, 20, 20] : [20, 40, 220]));
const blank = paint(() => [200, 200, 200]);
/** White on the left, black on the right. */
const edge = paint((x) => (x < 0.5 ? [240, 240, 240] : [20, 20, 20]));

function paint(color: (x: number, y: number) => readonly [number, number, number]): Picture {
  const [width, height] = [428, 270];
  const data = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i += 1)
    data.set([...color((i % width) / width, Math.floor(i / width) / height), 255], i * 4);
  return { width, height, data };
}

function take(document: Picture, how: Distortion, seed: number, more: object = {}): Picture {
  return photograph(document, how, { ...FRAME, seed, millimetres: CARD, ...more });
}

const look = ({ width, data }: Picture, x: number, y: number) => [
  ...data.subarray((Math.round(y) * width + Math.round(x)) * 4).subarray(0, 3),
];
const isOfFlag = ([red, green, blue]: number[]) => Math.max(red!, blue!) > 1.6 * green! && Math.abs(red! - blue!) > 30;

function measureMiddle({ width, height, data }: Picture): { mean: number; deviation: number } {
  const values: number[] = [];
  for (let y = height / 2 - 12; y < height / 2 + 12; y += 1)
    for (let x = width / 2 - 12; x < width / 2 + 12; x += 1) values.push(data[(y * width + x) * 4 + 1]!);
  const mean = values.reduce((sum, value) => sum + value) / values.length;
  return { mean, deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) };
}

const hash = ({ data }: Picture) => data.reduce((sum, value) => (Math.imul(sum, 31) + value) | 0, 7);

describe('a photograph', () => {
  it.each(DISTORTIONS)('%s: has the frame’s size, no transparency, and is deterministic', (how) => {
    const picture = take(flag, how, 5);
    expect([picture.width, picture.height, picture.data.length]).toEqual([320, 180, 320 * 180 * 4]);
    expect(picture.data.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true);
    expect(hash(take(flag, how, 5))).toBe(hash(picture));
    expect(hash(take(flag, how, 6))).not.toBe(hash(picture));
  });

  it('is 1280 by 720 by default', () => {
    const { width, height } = photograph(blank, 'clean', { seed: 1, millimetres: CARD });
    expect([width, height]).toEqual([1280, 720]);
  });

  it.each(['clean', 'rotated', 'perspective', 'noisy', 'small'] as const)(
    '%s: shows the document at its reported corners',
    (how) => {
      for (const turn of [0, 90, 180, 270] as const) {
        const camera = createCamera(flag, how, { ...FRAME, seed: 3 + turn, millimetres: CARD, turn, table: 'plain' });
        const picture = camera.shoot(0);
        const middle = { x: 0, y: 0 };
        for (const { x, y } of camera.corners) {
          middle.x += x / 4;
          middle.y += y / 4;
        }
        for (const [index, { x, y }] of camera.corners.entries()) {
          expect(Math.min(x, y, 320 - x, 180 - y)).toBeGreaterThan(0);
          const toward = (part: number) =>
            look(picture, middle.x + (x - middle.x) * part, middle.y + (y - middle.y) * part);
          expect(isOfFlag(toward(0.88))).toBe(true);
          expect(isOfFlag(toward(1.06))).toBe(false);
          // The document's own top left is red in any orientation.
          const [red, , blue] = toward(0.7);
          expect(red! > blue!).toBe(index === 0);
        }
      }
    },
  );

  it.each(DISTORTIONS)('%s: cuts off no corner, also in a phone’s upright frame', (how) => {
    for (const [width, height] of [
      [320, 180],
      [180, 320],
    ] as const)
      for (let seed = 0; seed < 3; seed += 1) {
        const { corners } = createCamera(blank, how, { width, height, seed, millimetres: CARD });
        for (const { x, y } of corners) expect(Math.min(x, y, width - x, height - y)).toBeGreaterThan(0);
      }
  });

  it('is small at about 55 % of the frame’s width', () => {
    const [a, b] = createCamera(flag, 'small', { ...FRAME, seed: 2, millimetres: CARD }).corners;
    expect((b!.x - a!.x) / 320).toBeCloseTo(0.55, 1);
  });

  it('is rotated and tilted as its name says', () => {
    const angle = (how: Distortion, seed: number) => {
      const [a, b] = createCamera(blank, how, { ...FRAME, seed, millimetres: CARD }).corners;
      return Math.abs(Math.atan2(b!.y - a!.y, b!.x - a!.x) * (180 / Math.PI));
    };
    const seeds = [0, 1, 2, 3, 4, 5];
    expect(Math.max(...seeds.map((seed) => angle('clean', seed)))).toBeLessThan(2.5);
    expect(Math.max(...seeds.map((seed) => angle('rotated', seed)))).toBeGreaterThan(6);
    expect(Math.max(...seeds.map((seed) => angle('rotated', seed)))).toBeLessThan(13.5);
  });

  it('has 12 levels of noise, and hardly any when clean', () => {
    expect(measureMiddle(take(blank, 'noisy', 1)).deviation).toBeGreaterThan(10);
    expect(measureMiddle(take(blank, 'noisy', 1)).deviation).toBeLessThan(14);
    expect(measureMiddle(take(blank, 'clean', 1)).deviation).toBeLessThan(3);
  });

  it('is blurred, so that an edge is wider', () => {
    const count = (how: Distortion) => {
      const picture = take(edge, how, 8);
      let between = 0;
      for (let x = 60; x < 260; x += 1) {
        const green = look(picture, x, 90)[1]!;
        if (green > 60 && green < 170) between += 1;
      }
      return between;
    };
    expect(count('blurred')).toBeGreaterThan(count('clean'));
  });

  it('is dim, or white at a lamp’s reflection', () => {
    expect(measureMiddle(take(blank, 'dim', 1)).mean).toBeLessThan(0.5 * measureMiddle(take(blank, 'clean', 1)).mean);
    const countWhite = ({ data }: Picture) =>
      data.reduce((sum, value, at) => sum + (at % 4 === 1 && value > 253 ? 1 : 0), 0);
    expect(countWhite(take(blank, 'glare', 1))).toBeGreaterThan(150);
    expect(countWhite(take(blank, 'clean', 1))).toBeLessThan(20);
  });

  it('has no color on a photocopy', () => {
    const { data } = take(flag, 'photocopied', 2);
    let colorful = 0;
    for (let at = 0; at < data.length; at += 4) if (isOfFlag([...data.subarray(at, at + 3)])) colorful += 1;
    expect(colorful).toBe(0);
  });
});

describe('a screen', () => {
  it.each(SCREENS)('%s: keeps its brightness with the grid, and separates its colors', (name) => {
    // Resolution of a very sharp camera.
    const grid = createGrid(name, CARD, { pixel: 0.005, optics: 0.005 }, createRandom(2));
    const sums = [0, 0, 0];
    let [together, count] = [0, 0];
    for (let x = -3; x < 3; x += 0.013)
      for (let y = -3; y < 3; y += 0.017) {
        const colors = sums.map((_, channel) => grid(x, y, channel));
        for (const [channel, light] of colors.entries()) sums[channel]! += light;
        together += Math.sqrt(Math.max(0, colors[0]! * colors[2]!));
        count += 1;
      }
    for (const sum of sums) expect(sum / count).toBeCloseTo(1, 1);
    expect(together / count).toBeLessThan(0.5);
  });

  it.each(SCREENS)('%s: has no grid for a defocused camera', (name) => {
    const grid = createGrid(name, CARD, { pixel: 0.05, optics: 0.5 }, createRandom(2));
    for (let x = -1; x < 1; x += 0.07) expect(grid(x, 0.3, 0)).toBeCloseTo(1, 2);
  });
});

describe('a live camera', () => {
  it('sways from frame to frame, with deterministic frames', () => {
    const options = { ...FRAME, seed: 4, millimetres: CARD };
    const camera = createCamera(flag, 'typical', options);
    const later = camera.shoot(9);
    expect(hash(camera.shoot(0))).toBe(hash(photograph(flag, 'typical', options)));
    expect(hash(camera.shoot(0))).not.toBe(hash(later));
    expect(hash(createCamera(flag, 'typical', options).shoot(9))).toBe(hash(later));
    // The middle of the document stays in the middle of the frame.
    for (let frame = 0; frame < 40; frame += 13) expect(isOfFlag(look(camera.shoot(frame), 160, 90))).toBe(true);
  });
});
