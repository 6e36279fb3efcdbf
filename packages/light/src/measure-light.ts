// Measures the light of each part of a face and of the room behind it in one frame.
import type { Box, Points } from '@limen/face-geometry';
import { ALIGNED_SIDE, alignFace, estimatePose, type Frame, readPixels } from '@limen/face-geometry';
import { createMean, type Mean } from './mean-light.ts';
import { PATCHES, SKIN_PIXELS } from './patches.ts';

/** Red, green and blue of each place, 0 to 1 within the camera's range; NaN if clipped. */
export interface LightSample {
  at: number;
  /** All skin. */
  skin: Float64Array;
  patches: Float64Array;
  /** Position and direction of the face, because motion changes its color too. */
  motion: readonly number[];
  /** Cells of the room next to the head. */
  room: Float64Array;
}

const ALIGNED = {
  width: ALIGNED_SIDE,
  height: ALIGNED_SIDE,
  channels: 'rgb' as const,
  mean: [0, 0, 0],
  scale: 1,
  layout: 'nhwc' as const,
};

/** Excluded width next to the head: hair and ears are lit like the face. */
const BESIDE = 0.35;
const ROOM_ROWS = 4;
/** Narrower strips, in pixels, are hair or noise. */
const LEAST_WIDTH = 8;
/** The room is large enough to skip pixels. */
const ROOM_STRIDE = 2;

export function measureLight(frame: Frame, landmarks: Points, box: Box, at: number): LightSample {
  return { at, ...measureFace(frame, landmarks), motion: readMotion(landmarks), room: measureRoom(frame, box) };
}

function readMotion(landmarks: Points): number[] {
  const { c, f } = alignFace(landmarks);
  const { yaw = 0, pitch = 0 } = estimatePose(landmarks) ?? {};
  return [c, f, yaw, pitch];
}

function measureFace(frame: Frame, landmarks: Points): Pick<LightSample, 'skin' | 'patches'> {
  const pixels = readPixels(frame, ALIGNED, { from: alignFace(landmarks), beyond: 'edge' });
  const addTo = (mean: Mean, pixel: number) =>
    mean.add(pixels[pixel * 3]!, pixels[pixel * 3 + 1]!, pixels[pixel * 3 + 2]!);
  const skin = createMean();
  for (const pixel of SKIN_PIXELS) addTo(skin, pixel);
  const patches: number[] = [];
  for (const box of PATCHES) {
    const mean = createMean();
    for (let y = box.y; y < box.y + box.height; y += 1)
      for (let x = box.x; x < box.x + box.width; x += 1) addTo(mean, y * ALIGNED_SIDE + x);
    patches.push(...mean.read());
  }
  return { skin: Float64Array.from(skin.read()), patches: Float64Array.from(patches) };
}

/** Measures left and right of the head, from the top to the chin; below are shoulders. */
function measureRoom({ width, height, data }: Frame, { x, y, width: wide, height: high }: Box): Float64Array {
  const found: number[] = [];
  const bottom = Math.min(Math.round(y + high), height);
  const sides = [
    [0, Math.floor(x - BESIDE * wide)],
    [Math.ceil(x + (1 + BESIDE) * wide), width],
  ] as const;
  for (const [left, right] of sides) {
    for (let row = 0; row < ROOM_ROWS; row += 1) {
      const mean = createMean();
      const [top, below] = [(bottom * row) / ROOM_ROWS, (bottom * (row + 1)) / ROOM_ROWS].map(Math.round) as [
        number,
        number,
      ];
      if (right - left >= LEAST_WIDTH)
        for (let py = top; py < below; py += ROOM_STRIDE)
          for (let px = left; px < right; px += ROOM_STRIDE) {
            const i = (py * width + px) * 4;
            mean.add(data[i]!, data[i + 1]!, data[i + 2]!);
          }
      found.push(...mean.read());
    }
  }
  return Float64Array.from(found);
}
