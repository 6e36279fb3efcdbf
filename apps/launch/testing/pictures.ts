// Pictures for tests: group photos of an npm package, and camera-like crops of them.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  type Affine,
  type Box,
  createFrame,
  type Frame,
  mapOntoBox,
  mirrorFirst,
  readPixels,
  resizeAround,
} from '@limen/face-geometry';
import { decode } from 'jpeg-js';
import type { ModelInput } from '../src/face/read/models.ts';

const SAMPLES = new URL('./demo/', import.meta.resolve('@vladmandic/face-api/package.json'));

export async function readPicture(path: string): Promise<Frame> {
  return decodePicture(await readFile(path));
}

export function decodePicture(jpeg: Uint8Array): Frame {
  const { width, height, data } = decode(jpeg, { maxMemoryUsageInMB: 512, useTArray: true });
  return createFrame(width, height, new Uint8ClampedArray(data));
}

const samples = new Map<number, Promise<Frame>>();

/** Reads sample 1 to 6. Shared by test files in the same process, which must not modify it. */
export function readSample(number: number): Promise<Frame> {
  const sample = samples.get(number) ?? readPicture(fileURLToPath(new URL(`sample${number}.jpg`, SAMPLES)));
  samples.set(number, sample);
  return sample;
}

export function cutOut(frame: Frame, box: Box, width: number, height: number): Frame {
  return redraw(frame, mapOntoBox(box, width, height), width, height);
}

export function mirrorFrame(frame: Frame): Frame {
  const { width, height } = frame;
  return redraw(frame, mirrorFirst(mapOntoBox({ x: 0, y: 0, width, height }, width, height), width), width, height);
}

/** Position of the face in `cutPortrait`'s landscape frame. */
export const PRINT: Box = { x: 150, y: 70, width: 340, height: 340 };

/** Puts one face of a group as a print in the middle of a gray frame, 200 pixels high. */
export function cutPortrait(group: Frame, face: Box, width = 640, height = 480): Frame {
  const side = PRINT.width;
  const print = cutOut(group, resizeAround(face, face.height * 1.7), side, side);
  const frame = createFrame(width, height, new Uint8ClampedArray(width * height * 4).fill(110));
  for (let row = 0; row < side; row += 1) {
    const from = print.data.subarray(row * side * 4, (row + 1) * side * 4);
    frame.data.set(from, (((height - side) / 2 + row) * width + (width - side) / 2) * 4);
  }
  return frame;
}

/** Simulates defocus by scaling down and up. */
export function blurFrame(frame: Frame, factor: number): Frame {
  const { width, height } = frame;
  const small = cutOut(frame, { x: 0, y: 0, width, height }, Math.round(width / factor), Math.round(height / factor));
  return cutOut(small, { x: 0, y: 0, width: small.width, height: small.height }, width, height);
}

/** Applies a function to every pixel value. */
export function changePixels(frame: Frame, change: (value: number) => number): Frame {
  return createFrame(
    frame.width,
    frame.height,
    frame.data.map((value, i) => (i % 4 === 3 ? value : change(value))),
  );
}

function redraw(frame: Frame, from: Affine, width: number, height: number): Frame {
  const input: ModelInput = { width, height, channels: 'rgb', mean: [0, 0, 0], scale: 1, layout: 'nhwc' };
  const values = readPixels(frame, input, { from, beyond: 'edge' });
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i += 1) for (const c of [0, 1, 2]) data[i * 4 + c] = values[i * 3 + c]!;
  return createFrame(width, height, data);
}
