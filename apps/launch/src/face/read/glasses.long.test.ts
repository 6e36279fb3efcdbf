import {
  ALIGNED_SIDE,
  alignFace,
  applyAffine,
  createFrame,
  type Frame,
  invertAffine,
  type Points,
} from '@limen/face-geometry';
import { drawLandmarks } from '@limen/face-geometry/testing/drawn-face.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { openModels } from '../../../testing/models.ts';
import { blurFrame, cutPortrait, readSample } from '../../../testing/pictures.ts';
import { measureFace } from '../quality.ts';
import { detectFaces } from './detect.ts';
import { watchFrame } from './estimate.ts';
import { GLASSES_THRESHOLD, measureGlasses } from './glasses.ts';
import type { FaceModels } from './models.ts';

const paint = (value: (x: number, y: number) => number) =>
  Float32Array.from({ length: ALIGNED_SIDE ** 2 }, (_, i) => value(i % ALIGNED_SIDE, Math.floor(i / ALIGNED_SIDE)));

describe('the measure', () => {
  const skin = 150;

  test('is zero on plain skin and on an even shadow', () => {
    expect(
      measureGlasses(
        paint(() => skin),
        skin,
      ),
    ).toBe(0);
    expect(
      measureGlasses(
        paint((_, y) => 100 + y),
        skin,
      ),
    ).toBeCloseTo(0, 5);
  });

  test('detects a horizontal line, dark or bright', () => {
    for (const change of [-60, 60]) {
      const gray = paint((_, y) => (y === 50 ? skin + change : skin));
      expect(measureGlasses(gray, skin)).toBeGreaterThan(GLASSES_THRESHOLD);
    }
  });

  test('ignores vertical furrows between the brows', () => {
    expect(
      measureGlasses(
        paint((x) => (x === 54 || x === 58 ? 80 : skin)),
        skin,
      ),
    ).toBe(0);
  });

  test('is independent of the light', () => {
    const line = (light: number) =>
      measureGlasses(
        paint((_, y) => (y === 50 ? light * 0.6 : light)),
        light,
      );
    expect(line(75)).toBeCloseTo(line(150), 5);
  });

  test('measures at the bridge of the nose, wherever the face is', () => {
    for (const where of [
      { x: 100, y: 100, roll: 0 },
      { x: 130, y: 90, roll: 20 },
    ]) {
      const landmarks = drawLandmarks({ ...where, size: 60 });
      const bare = createFrame(240, 240, new Uint8ClampedArray(240 * 240 * 4).fill(skin));
      expect(measureFace(bare, landmarks).glasses).toBeLessThan(0.01);
      expect(measureFace(putOnGlasses(bare, landmarks), landmarks).glasses).toBeGreaterThan(GLASSES_THRESHOLD);
    }
  });
});

describe('on faces of the samples, with the shipped models', () => {
  let models: FaceModels;
  const portraits: Frame[] = [];

  beforeAll(async () => {
    models = await openModels(['detect', 'landmarks', 'eye']);
    // Sample and position from the left, frontal enough for the examination.
    for (const [sample, place] of [
      [1, 3],
      [5, 1],
      [5, 4],
      [6, 1],
      [6, 3],
      [6, 4],
    ] as const) {
      const group = await readSample(sample);
      const faces = (await detectFaces(models, group)).toSorted((a, b) => a.box.x - b.box.x);
      portraits.push(cutPortrait(group, faces[place - 1]!.box));
    }
  }, 300_000);

  test('gives no advice without glasses, sharp or slightly blurred', async () => {
    for (const portrait of portraits.flatMap((frame) => [frame, blurFrame(frame, 2)]))
      expect(await watchFrame(models, portrait)).toMatchObject({ problems: [], advice: null });
  });

  test('advises against drawn glasses, and the frame stays good', async () => {
    for (const portrait of portraits) {
      const { face } = await watchFrame(models, portrait);
      const report = await watchFrame(models, putOnGlasses(portrait, face!.landmarks));
      expect(report).toMatchObject({ problems: [], advice: 'glasses' });
    }
  });
});

/** Draws two thin, dark rims and a bridge. */
function putOnGlasses(frame: Frame, landmarks: Points): Frame {
  const toAligned = invertAffine(alignFace(landmarks));
  const data = frame.data.slice();
  for (let row = 0; row < frame.height; row += 1)
    for (let column = 0; column < frame.width; column += 1) {
      const [x, y] = applyAffine(toAligned, column + 0.5, row + 0.5);
      const isBridge = Math.abs(y - 51) < 1 && Math.abs(x - 56) < 8;
      const isRim = [38.3, 73.5].some((middle) => Math.abs(Math.hypot((x - middle) / 1.2, y - 54) - 11) < 0.8);
      if (!isBridge && !isRim) continue;
      for (const c of [0, 1, 2]) data[(row * frame.width + column) * 4 + c]! *= 0.4;
    }
  return createFrame(frame.width, frame.height, data);
}
