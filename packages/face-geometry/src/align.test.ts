import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawLandmarks } from '../testing/drawn-face.ts';
import { alignFace, fitSimilarity } from './align.ts';
import { type Affine, applyAffine, invertAffine, moveInside } from './geometry.ts';
import { takeFive } from './landmarks.ts';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const anySimilarity = fc
  .record({ scale: number(0.1, 10), turn: number(-Math.PI, Math.PI), c: number(-500, 500), f: number(-500, 500) })
  .map(({ scale, turn, c, f }): Affine => {
    const [a, d] = [scale * Math.cos(turn), scale * Math.sin(turn)];
    return { a, b: -d, c, d, e: a, f };
  });

function mapAll(map: Affine, points: readonly number[]): number[] {
  return points.flatMap((_, i) => (i % 2 === 0 ? applyAffine(map, points[i]!, points[i + 1]!) : []));
}

test('recovers a similarity from five mapped points', () => {
  const points = takeFive(drawLandmarks());
  fc.assert(
    fc.property(anySimilarity, (similarity) => {
      const found = fitSimilarity(points, mapAll(similarity, points));
      for (const key of ['a', 'b', 'c', 'd', 'e', 'f'] as const) expect(found[key]).toBeCloseTo(similarity[key], 6);
    }),
  );
});

test('undoes a similarity with its inverse', () => {
  fc.assert(
    fc.property(anySimilarity, number(-100, 100), number(-100, 100), (similarity, x, y) => {
      const [u, v] = applyAffine(similarity, x, y);
      const [backX, backY] = applyAffine(invertAffine(similarity), u, v);
      expect(backX).toBeCloseTo(x, 6);
      expect(backY).toBeCloseTo(y, 6);
    }),
  );
});

test('does not mirror a mirrored face back', () => {
  const points = takeFive(drawLandmarks());
  const mirrored = points.map((value, i) => (i % 2 === 0 ? -value : value));
  const { a, b, d, e } = fitSimilarity(points, mirrored);
  expect(a * e - b * d).toBeGreaterThanOrEqual(0);
});

test('aligns the eyes of a face in any position', () => {
  fc.assert(
    fc.property(number(-60, 60), number(20, 200), number(0, 1000), (roll, size, x) => {
      const landmarks = drawLandmarks({ roll, size, x });
      const [leftX, leftY, rightX, rightY] = takeFive(landmarks);
      const toAligned = invertAffine(alignFace(landmarks));
      const [x1, y1] = applyAffine(toAligned, leftX!, leftY!);
      const [x2, y2] = applyAffine(toAligned, rightX!, rightY!);
      expect(Math.abs(x1 - 38.3)).toBeLessThan(3);
      expect(Math.abs(x2 - 73.5)).toBeLessThan(3);
      expect(Math.abs(y1 - 51.6)).toBeLessThan(3);
      expect(Math.abs(y1 - y2)).toBeLessThan(0.5);
    }),
  );
});

test('moves a box inside a frame without enlarging it or changing its aspect ratio', () => {
  const side = number(1, 1000);
  fc.assert(
    fc.property(number(-2000, 2000), number(-2000, 2000), side, side, side, side, (x, y, width, height, w, h) => {
      const inside = moveInside({ x, y, width, height }, w, h);
      expect(inside.x).toBeGreaterThanOrEqual(-1e-9);
      expect(inside.y).toBeGreaterThanOrEqual(-1e-9);
      expect(inside.x + inside.width).toBeLessThanOrEqual(w + 1e-6);
      expect(inside.y + inside.height).toBeLessThanOrEqual(h + 1e-6);
      expect(inside.width / inside.height).toBeCloseTo(width / height, 6);
      expect(inside.width).toBeLessThanOrEqual(width + 1e-9);
    }),
  );
});
