import { expect, test } from 'vitest';
import { AREA, SIDE, transformSquare } from './fourier.ts';

test('each wave is as strong as the plain sum says', () => {
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
