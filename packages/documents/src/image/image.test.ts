import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxBlur } from './blur.ts';
import { findComponents } from './components.ts';
import { findGradient } from './gradient.ts';
import { type GrayImage, makeGray, toGray, turnClockwise } from './gray.ts';
import { applyHomography, fitHomography, type Quad } from './homography.ts';
import { blackhat, close, open } from './morphology.ts';
import { shrinkToWidth } from './resize.ts';
import { countLevels, findThreshold, levelAt } from './threshold.ts';
import { cutQuad } from './warp.ts';

const anyImage = fc
  .record({ width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 30 }), seed: fc.integer() })
  .map(({ width, height, seed }): GrayImage => {
    let state = seed | 0;
    const data = Uint8Array.from({ length: width * height }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      return state >>> 24;
    });
    return { width, height, data };
  });
const anySide = fc.integer({ min: 0, max: 8 }).map((reach) => reach * 2 + 1);

/** Naive reference implementation. */
function extreme(image: GrayImage, across: number, down: number, pick: (...values: number[]) => number): GrayImage {
  const out = makeGray(image.width, image.height);
  for (let y = 0; y < image.height; y += 1) {
    for (let x = 0; x < image.width; x += 1) {
      const seen: number[] = [];
      for (let j = Math.max(0, y - (down >> 1)); j <= Math.min(image.height - 1, y + (down >> 1)); j += 1)
        for (let i = Math.max(0, x - (across >> 1)); i <= Math.min(image.width - 1, x + (across >> 1)); i += 1)
          seen.push(image.data[j * image.width + i]!);
      out.data[y * image.width + x] = pick(...seen);
    }
  }
  return out;
}

test('matches the naive closing and opening with any rectangle', () => {
  fc.assert(
    fc.property(anyImage, anySide, anySide, (image, across, down) => {
      const brightest = extreme(image, across, down, Math.max);
      expect(close(image, across, down)).toEqual(extreme(brightest, across, down, Math.min));
      const darkest = extreme(image, across, down, Math.min);
      expect(open(image, across, down)).toEqual(extreme(darkest, across, down, Math.max));
    }),
    { numRuns: 40 },
  );
});

test('keeps thin dark strokes in a blackhat and drops wide dark areas', () => {
  const image = makeGray(60, 20);
  image.data.fill(200);
  for (let y = 0; y < 20; y += 1) {
    image.data[y * 60 + 10] = 50;
    image.data.fill(50, y * 60 + 30, y * 60 + 50);
  }
  const strokes = blackhat(image, 11, 1);
  expect(strokes.data[5 * 60 + 10]).toBe(150);
  expect(strokes.data[5 * 60 + 40]).toBe(0);
});

test('computes the mean of the window in a box blur', () => {
  fc.assert(
    fc.property(anyImage, fc.integer({ min: 1, max: 5 }), (image, reach) => {
      const blurred = boxBlur(image, reach);
      const at = (x: number, y: number) =>
        image.data[
          Math.min(image.height - 1, Math.max(0, y)) * image.width + Math.min(image.width - 1, Math.max(0, x))
        ]!;
      const [x, y] = [image.width >> 1, image.height >> 1];
      let sum = 0;
      for (let j = -reach; j <= reach; j += 1) for (let i = -reach; i <= reach; i += 1) sum += at(x + i, y + j);
      // Both directions round.
      expect(Math.abs(blurred.data[y * image.width + x]! - sum / (2 * reach + 1) ** 2)).toBeLessThanOrEqual(1.01);
    }),
  );
});

test('keeps the mean brightness of a smaller picture', () => {
  fc.assert(
    fc.property(anyImage, fc.integer({ min: 1, max: 40 }), (image, width) => {
      const small = shrinkToWidth(image, width);
      expect(small.width).toBe(Math.min(width, image.width));
      const mean = ({ data }: GrayImage) => data.reduce((sum, value) => sum + value, 0) / data.length;
      expect(Math.abs(mean(small) - mean(image))).toBeLessThan(1.5);
    }),
  );
});

test('finds a threshold between ink and paper', () => {
  const image = makeGray(100, 10);
  image.data.fill(220);
  image.data.fill(40, 0, 200);
  const counts = countLevels(image);
  expect(findThreshold(counts)).toBeGreaterThanOrEqual(40);
  expect(findThreshold(counts)).toBeLessThan(220);
  expect(levelAt(counts, 0.1)).toBe(40);
  expect(levelAt(counts, 0.5)).toBe(220);
});

test('finds the same components as a flood fill', () => {
  fc.assert(
    fc.property(anyImage, fc.integer({ min: 60, max: 200 }), (image, threshold) => {
      const found = findComponents(image, threshold, 1)
        .map(({ left, top, right, bottom, area }) => [left, top, right, bottom, area].join())
        .sort();
      expect(found).toEqual(floodAll(image, threshold).sort());
    }),
  );
});

function floodAll(image: GrayImage, threshold: number): string[] {
  const { width, height, data } = image;
  const seen = new Uint8Array(width * height);
  const found: string[] = [];
  for (let start = 0; start < data.length; start += 1) {
    if (data[start]! <= threshold || seen[start]) continue;
    let [left, top, right, bottom, area] = [width, height, 0, 0, 0];
    const open = [start];
    seen[start] = 1;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      [left, top, right, bottom, area] = [
        Math.min(left, x),
        Math.min(top, y),
        Math.max(right, x),
        Math.max(bottom, y),
        area + 1,
      ];
      for (let j = Math.max(0, y - 1); j <= Math.min(height - 1, y + 1); j += 1)
        for (let i = Math.max(0, x - 1); i <= Math.min(width - 1, x + 1); i += 1) {
          const next = j * width + i;
          if (data[next]! > threshold && !seen[next]) {
            seen[next] = 1;
            open.push(next);
          }
        }
    }
    found.push([left, top, right, bottom, area].join());
  }
  return found;
}

test('fits a homography to four pairs of points, but not to collinear ones', () => {
  const number = fc.double({ min: -300, max: 300, noNaN: true });
  fc.assert(
    fc.property(fc.array(number, { minLength: 8, maxLength: 8 }), (jitter) => {
      const square = [0, 0, 1000, 0, 1000, 1000, 0, 1000];
      const moved = square.map((value, i) => value + jitter[i]!);
      const [from, to] = [toQuad(square), toQuad(moved)];
      const map = fitHomography(from, to)!;
      for (let i = 0; i < 4; i += 1) {
        const { x, y } = applyHomography(map, from[i]!.x, from[i]!.y);
        expect(x).toBeCloseTo(to[i]!.x, 4);
        expect(y).toBeCloseTo(to[i]!.y, 4);
      }
    }),
  );
  expect(fitHomography(toQuad([0, 0, 1, 1, 2, 2, 3, 3]), toQuad([0, 0, 1, 0, 1, 1, 0, 1]))).toBeNull();
});

function toQuad(values: readonly number[]): Quad {
  const point = (i: number) => ({ x: values[i * 2]!, y: values[i * 2 + 1]! });
  return [point(0), point(1), point(2), point(3)];
}

test('reproduces a picture cut along its own outline', () => {
  fc.assert(
    fc.property(anyImage, (image) => {
      const { width, height } = image;
      fc.pre(width > 1 && height > 1);
      const cut = cutQuad(image, toQuad([0, 0, width, 0, width, height, 0, height]), width, height)!;
      const off = cut.data.reduce((most, value, i) => Math.max(most, Math.abs(value - image.data[i]!)), 0);
      expect(off).toBeLessThanOrEqual(1);
    }),
  );
});

test('restores a picture after four quarter turns', () => {
  fc.assert(
    fc.property(anyImage, (image) => {
      const once = turnClockwise(image);
      expect(once.data[once.width - 1]).toBe(image.data[0]);
      expect(turnClockwise(turnClockwise(turnClockwise(once)))).toEqual(image);
    }),
  );
});

test('converts colors to their perceived brightness', () => {
  const data = Uint8ClampedArray.of(255, 255, 255, 255, 0, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255);
  const gray = toGray({ width: 4, height: 1, data });
  expect([...gray.data]).toEqual([255, 0, 149, 29]);
});

test('computes four times the change per pixel as gradient', () => {
  const image = makeGray(5, 5);
  for (let i = 0; i < 25; i += 1) image.data[i] = (i % 5) * 10 + Math.floor(i / 5) * 3;
  const { across, down } = findGradient(image);
  expect([across[12], down[12], across[0]]).toEqual([40, 12, 0]);
});
