// Simulated screens and their detection. All measurements: npm run eval:documents.
import { expect, test } from 'vitest';
import { findCopySigns } from '../../src/card/copy-signs.ts';
import type { Picture } from '../../src/image/gray.ts';
import { CAMERA_KINDS, type CameraName, createCamera, type Distortion, type PhotographOptions } from './index.ts';

const MILLIMETERS = { width: 85.6, height: 54 };
const PART = { width: 448, height: 320 };
const CORNERS = [
  { x: 0, y: 0 },
  { x: PART.width, y: 0 },
  { x: PART.width, y: PART.height },
  { x: 0, y: PART.height },
];
/** Two colors, so that it is no photocopy. */
const card = paint((x) => (x < 0.5 ? [235, 225, 210] : [190, 210, 235]));

function paint(color: (x: number) => readonly [number, number, number]): Picture {
  const [width, height] = [428, 270];
  const data = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i += 1) data.set([...color((i % width) / width), 255], i * 4);
  return { width, height, data };
}

function take(how: Distortion, camera: CameraName, more: Partial<PhotographOptions>): Picture {
  const { frame } = CAMERA_KINDS[camera];
  return createCamera(card, how, { ...frame, part: PART, seed: 4, millimetres: MILLIMETERS, camera, ...more }).shoot(0);
}

test('detects a screen whose grid the camera resolves', () => {
  expect(findCopySigns(take('on_screen', 'phone', { screen: 'phone_lcd' }), CORNERS)).toEqual(['screen']);
});

test('does not detect a screen that is too fine for the camera', () => {
  expect(findCopySigns(take('on_screen', 'webcam_720', { screen: 'monitor_4k' }), CORNERS)).toEqual([]);
});

test.each(['lines', 'halftone'] as const)('does not mistake fine print for a screen: %s', (print) => {
  expect(findCopySigns(take('clean', 'webcam_1080', { print }), CORNERS)).toEqual([]);
});

test('adds no colors by the mosaic', () => {
  const gray = paint(() => [150, 150, 150]);
  const options = { ...PART, seed: 3, millimetres: MILLIMETERS, part: { width: 96, height: 96 } };
  for (const camera of ['webcam_720', 'phone', 'phone_smooth'] as const) {
    const { data } = createCamera(gray, 'clean', { ...options, camera, table: 'plain' }).shoot(0);
    let apart = 0;
    for (let at = 0; at < data.length; at += 4) apart += Math.abs(data[at]! - data[at + 2]!);
    // The lamp's tint and the grain.
    expect(apart / (data.length / 4)).toBeLessThan(20);
  }
});
