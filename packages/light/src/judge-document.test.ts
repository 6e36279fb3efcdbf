import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { LightColor } from '@limen/plan';
import { expect, test } from 'vitest';
import { emissionAt, type ShownColor } from './colours.ts';
import { judgeDocument } from './judge-document.ts';
import { CELLS, type DocumentSample } from './measure-document.ts';

const COLORS: readonly LightColor[] = ['red', 'cyan', 'blue', 'yellow', 'green', 'magenta'];
const SHOWN: readonly ShownColor[] = COLORS.map((color, i) => ({ colour: color, at: 1_000 + i * 450 }));
const FACE = 0.1;

/** Simulates ten frames a second. `answers`: relative light on each cell. */
function see(answers: (cell: number) => number, { noise = 0.001, lagMs = 120, everyMs = 100 } = {}): DocumentSample[] {
  const random = createRandom(7);
  const samples: DocumentSample[] = [];
  for (let at = 900; at < 1_000 + COLORS.length * 450 + 350; at += everyMs) {
    const emission = emissionAt(SHOWN, at - lagMs);
    const cells = Float64Array.from({ length: CELLS * 3 }, (_, i) => {
      const paper = 0.4 - 0.01 * (i % 7);
      return paper * (1 + answers(Math.floor(i / 3)) * emission[i % 3]! + noise * (random() - 0.5));
    });
    samples.push({ at, cells });
  }
  return samples;
}

const judge = (samples: readonly DocumentSample[], face = FACE) => judgeDocument(samples, SHOWN, face).finding;

test('finds that paper reflects more than the face', () => {
  expect(judge(see(() => 0.4))).toBe('reflects');
});

test('finds that a screen shines, even if its glass mirrors most of the light', () => {
  expect(judge(see(() => 0))).toBe('shines');
  expect(judge(see((cell) => (cell < 4 ? 0.005 : 0.08)))).toBe('shines');
});

test('expects less of paper in a bright room', () => {
  expect(
    judge(
      see(() => 0.02),
      0.01,
    ),
  ).toBe('reflects');
  expect(
    judge(
      see(() => 0.02),
      0.2,
    ),
  ).toBe('shines');
});

test('finds nothing with noise, few frames or clipped cells', () => {
  expect(judge(see(() => 0, { noise: 1.5 }))).toBe('unknown');
  expect(judge(see(() => 0, { everyMs: 300 }))).toBe('unknown');
  const clipped = see(() => 0).map(({ at, cells }) => ({ at, cells: cells.map((light, i) => (i < 24 ? NaN : light)) }));
  expect(judge(clipped)).toBe('unknown');
  expect(
    judgeDocument(
      see(() => 0),
      [],
      FACE,
    ).finding,
  ).toBe('unknown');
});

test('ignores frames from before the first color', () => {
  const early = see(() => 0).map(({ at, cells }) => ({ at: at - 10_000, cells }));
  expect(judge(early)).toBe('unknown');
});
