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

describe('keepBest', () => {
  test('keeps the best box, keeps no two that overlap much, and drops only boxes that overlap a better one', () => {
    fc.assert(
      fc.property(fc.array(anyFace, { maxLength: 40 }), (faces) => {
        const kept = keepBest(faces, 0.4);
        if (faces.length > 0) expect(kept[0]!.score).toBe(Math.max(...faces.map(({ score }) => score)));
        for (const [i, box] of kept.entries())
          for (const laterBox of kept.slice(i + 1))
            expect(measureOverlap(box.box, laterBox.box)).toBeLessThanOrEqual(0.4);
        for (const face of faces) {
          const covers = (candidate: DetectedFace) =>
            candidate === face || measureOverlap(candidate.box, face.box) > 0.4;
          expect(kept.some((candidate) => covers(candidate) && candidate.score >= face.score)).toBe(true);
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

  test('counts from the manifest’s score threshold on', async () => {
    const models = modelsGiving([0, 0.64], [0.2, 0.2, 0.6, 0.6]);
    const frame = createFrame(320, 240, new Uint8ClampedArray(320 * 240 * 4));
    expect(await detectFaces(models, frame)).toHaveLength(0);
    const thresholds = new Map([['detect' as const, { score: 0.6, overlap: 0.4 }]]);
    expect(await detectFaces({ ...models, thresholds }, frame)).toHaveLength(1);
  });

  test('is mapped back to a portrait frame, which is centered in a landscape input', async () => {
    // 480 × 640 is scaled to 180 × 240, with 70 black columns on either side.
    const models = modelsGiving([0, 1], [70 / 320, 0, 250 / 320, 0.5]);
    const [face] = await detectFaces(models, createFrame(480, 640, new Uint8ClampedArray(480 * 640 * 4)));
    expect(face!.box.x).toBeCloseTo(0, 3);
    expect(face!.box.y).toBeCloseTo(0, 3);
    expect(face!.box.width).toBeCloseTo(480, 3);
    expect(face!.box.height).toBeCloseTo(320, 3);
  });

  test('counts only with a good score and a positive size', async () => {
    const models = modelsGiving([0.5, 0.5, 0, 0.9, 0, Number.NaN], [0, 0, 1, 1, 0.5, 0.5, 0.5, 0.9, 0, 0, 1, 1]);
    expect(await detectFaces(models, createFrame(8, 8, new Uint8ClampedArray(256)))).toEqual([]);
  });

  test('is rejected if the model’s output has another form', async () => {
    const models = modelsGiving([0, 1], [0, 0, 1]);
    await expect(detectFaces(models, createFrame(8, 8, new Uint8ClampedArray(256)))).rejects.toThrow('detect');
  });
});
