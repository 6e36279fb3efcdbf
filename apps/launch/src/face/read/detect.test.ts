import { createFrame } from '@limen/face-geometry';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DetectedFace, detectFaces, keepBest, measureOverlap } from './detect.ts';
import type { FaceModels } from './models.ts';

const side = fc.integer({ min: 1, max: 50 });
const anyFace: fc.Arbitrary<DetectedFace> = fc.record({
  box: fc.record({ x: fc.integer({ min: 0, max: 60 }), y: fc.integer({ min: 0, max: 60 }), width: side, height: side }),
  score: fc.double({ min: 0.65, max: 1, noNaN: true }),
});

describe('of boxes on top of each other', () => {
  test('the best is kept, no two that are kept share much, and each one dropped lies on a better one', () => {
    fc.assert(
      fc.property(fc.array(anyFace, { maxLength: 40 }), (faces) => {
        const kept = keepBest(faces, 0.4);
        if (faces.length > 0) expect(kept[0]!.score).toBe(Math.max(...faces.map(({ score }) => score)));
        for (const [i, one] of kept.entries())
          for (const other of kept.slice(i + 1)) expect(measureOverlap(one.box, other.box)).toBeLessThanOrEqual(0.4);
        for (const face of faces) {
          const covers = (one: DetectedFace) => one === face || measureOverlap(one.box, face.box) > 0.4;
          expect(kept.some((one) => covers(one) && one.score >= face.score)).toBe(true);
        }
      }),
    );
  });
});

describe('a box of the model', () => {
  const input = { width: 320, height: 240, channels: 'rgb', mean: [0, 0, 0], scale: 1, layout: 'nchw' } as const;
  const modelsGiving = (scores: number[], boxes: number[]): FaceModels => ({
    inputs: new Map([['detect', { ...input, mean: [0, 0, 0] }]]),
    thresholds: new Map([['detect', { score: 0.65, overlap: 0.4 }]]),
    run: async () => ({ scores: Float32Array.from(scores), boxes: Float32Array.from(boxes) }),
  });

  test('counts from the score on that the manifest names', async () => {
    const models = modelsGiving([0, 0.64], [0.2, 0.2, 0.6, 0.6]);
    const frame = createFrame(320, 240, new Uint8ClampedArray(320 * 240 * 4));
    expect(await detectFaces(models, frame)).toHaveLength(0);
    const thresholds = new Map([['detect' as const, { score: 0.6, overlap: 0.4 }]]);
    expect(await detectFaces({ ...models, thresholds }, frame)).toHaveLength(1);
  });

  test('is found again in a portrait frame, which lies in the middle of a landscape input', async () => {
    // 480 × 640 shrinks to 180 × 240, with 70 black columns on either side.
    const models = modelsGiving([0, 1], [70 / 320, 0, 250 / 320, 0.5]);
    const [face] = await detectFaces(models, createFrame(480, 640, new Uint8ClampedArray(480 * 640 * 4)));
    expect(face!.box.x).toBeCloseTo(0, 3);
    expect(face!.box.y).toBeCloseTo(0, 3);
    expect(face!.box.width).toBeCloseTo(480, 3);
    expect(face!.box.height).toBeCloseTo(320, 3);
  });

  test('counts only with a good score, and a box without an inside does not', async () => {
    const models = modelsGiving([0.5, 0.5, 0, 0.9, 0, Number.NaN], [0, 0, 1, 1, 0.5, 0.5, 0.5, 0.9, 0, 0, 1, 1]);
    expect(await detectFaces(models, createFrame(8, 8, new Uint8ClampedArray(256)))).toEqual([]);
  });

  test('from a model that answers in another form is refused', async () => {
    const models = modelsGiving([0, 1], [0, 0, 1]);
    await expect(detectFaces(models, createFrame(8, 8, new Uint8ClampedArray(256)))).rejects.toThrow('detect');
  });
});
