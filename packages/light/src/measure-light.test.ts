import { createFrame, type Frame } from '@limen/face-geometry';
import { drawLandmarks } from '@limen/face-geometry/testing/drawn-face.ts';
import { describe, expect, test } from 'vitest';
import { toLight } from './colours.ts';
import { measureLight } from './measure-light.ts';

const BOX = { x: 210, y: 100, width: 220, height: 300 };
const LANDMARKS = drawLandmarks({ x: 320, y: 240, size: 80 });

function paint(colorAt: (x: number, y: number) => readonly [number, number, number]): Frame {
  const data = new Uint8ClampedArray(640 * 480 * 4);
  for (let i = 0; i < data.length; i += 4) data.set([...colorAt((i / 4) % 640, Math.floor(i / 4 / 640)), 255], i);
  return createFrame(640, 480, data);
}

const isBesideHead = (x: number) => x < 160 || x > 480;

describe('the light of a frame', () => {
  test('is measured separately for face and room', () => {
    const frame = paint((x) => (isBesideHead(x) ? [40, 80, 120] : [200, 150, 100]));
    const { at, skin, patches, room } = measureLight(frame, LANDMARKS, BOX, 7);
    expect(at).toBe(7);
    for (const [i, value] of [...skin, ...patches].entries())
      expect(value).toBeCloseTo(toLight([200, 150, 100][i % 3]!), 4);
    for (const [i, value] of room.entries()) expect(value).toBeCloseTo(toLight([40, 80, 120][i % 3]!), 4);
  });

  test.each([
    ['too bright', 255],
    ['too dark', 0],
  ])('is not measured if the camera is clipped: %s', (_, clipped) => {
    const { skin, room } = measureLight(
      paint((x) => (isBesideHead(x) ? [40, 80, clipped] : [90, 90, 90])),
      LANDMARKS,
      BOX,
      0,
    );
    expect([...skin].some(Number.isNaN)).toBe(false);
    expect([...room].every(Number.isNaN)).toBe(true);
  });

  test('has no room if the face fills the frame', () => {
    const frame = paint(() => [90, 90, 90]);
    const { room } = measureLight(frame, LANDMARKS, { x: 20, y: 0, width: 600, height: 480 }, 0);
    expect([...room].every(Number.isNaN)).toBe(true);
  });
});
