// Reads a part of a frame, rotated, scaled or mirrored, into the input of a model.

import type { ModelInput } from '@limen/face-models';
import type { Affine, Box } from './geometry.ts';

export interface Frame {
  width: number;
  height: number;
  /** Red, green, blue and alpha, like a canvas. */
  data: Uint8ClampedArray;
}

export interface Sampling {
  /** Maps the model's picture to the frame. */
  from: Affine;
  /** Pixels beyond `within`: the nearest edge pixel, or black. */
  beyond: 'edge' | 'black';
  /** Part of the frame to read; by default all of it. */
  within?: Box;
}

/** More samples per pixel have no benefit, and bound the time for huge frames. */
const MAX_SAMPLES_PER_SIDE = 4;

export function createFrame(width: number, height: number, data: Uint8ClampedArray): Frame {
  if (width < 1 || height < 1 || data.length !== width * height * 4) throw new Error('A frame of the wrong size');
  return { width, height, data };
}

/** Samples bilinearly; averages when scaling down by more than two, against aliasing. */
export function readPixels(frame: Frame, input: ModelInput, { from, beyond, within }: Sampling): Float32Array {
  const { width, height } = input;
  const { a, b, c, d, e, f } = from;
  const step = Math.max(Math.hypot(a, d), Math.hypot(b, e));
  const samples = Math.min(Math.max(Math.ceil(step / 2), 1), MAX_SAMPLES_PER_SIDE);
  const share = 1 / (samples * samples);
  const write = createWriter(input);
  const { data, width: stride } = frame;

  // Range of readable pixels.
  const left = Math.max(Math.floor(within?.x ?? 0), 0);
  const top = Math.max(Math.floor(within?.y ?? 0), 0);
  const right = Math.min(Math.ceil(within ? within.x + within.width : frame.width), frame.width) - 1;
  const bottom = Math.min(Math.ceil(within ? within.y + within.height : frame.height), frame.height) - 1;
  const isBlack = beyond === 'black';
  const nothing = right < left || bottom < top;

  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let sample = 0; sample < samples * samples && !nothing; sample += 1) {
        const u = column + ((sample % samples) + 0.5) / samples;
        const v = row + (Math.floor(sample / samples) + 0.5) / samples;
        const x = a * u + b * v + c;
        const y = d * u + e * v + f;
        if (isBlack && (x < left || y < top || x > right + 1 || y > bottom + 1)) continue;

        const px = Math.min(Math.max(x - 0.5, left), right);
        const py = Math.min(Math.max(y - 0.5, top), bottom);
        const x0 = Math.floor(px);
        const y0 = Math.floor(py);
        const toRight = x0 < right ? 4 : 0;
        const i = (y0 * stride + x0) * 4;
        const j = y0 < bottom ? i + stride * 4 : i;
        const fx = px - x0;
        const fy = py - y0;
        const w00 = (1 - fx) * (1 - fy);
        const w10 = fx * (1 - fy);
        const w01 = (1 - fx) * fy;
        const w11 = fx * fy;
        red += w00 * data[i]! + w10 * data[i + toRight]! + w01 * data[j]! + w11 * data[j + toRight]!;
        green += w00 * data[i + 1]! + w10 * data[i + toRight + 1]! + w01 * data[j + 1]! + w11 * data[j + toRight + 1]!;
        blue += w00 * data[i + 2]! + w10 * data[i + toRight + 2]! + w01 * data[j + 2]! + w11 * data[j + toRight + 2]!;
      }
      write(row * width + column, red * share, green * share, blue * share);
    }
  }
  return write.values;
}

type Writer = ((pixel: number, red: number, green: number, blue: number) => void) & { values: Float32Array };

function createWriter({ width, height, channels, mean, scale, layout }: ModelInput): Writer {
  const pixels = width * height;
  const factor = 1 / scale;
  if (channels === 'gray') {
    const values = new Float32Array(pixels);
    const base = mean[0]!;
    const write = (pixel: number, red: number, green: number, blue: number) => {
      values[pixel] = (computeGray(red, green, blue) - base) * factor;
    };
    return Object.assign(write, { values });
  }

  const values = new Float32Array(pixels * 3);
  const [first, second, third] = mean as [number, number, number];
  const perPixel = layout === 'nchw' ? 1 : 3;
  const perChannel = layout === 'nchw' ? pixels : 1;
  const isRgb = channels === 'rgb';
  const write = (pixel: number, red: number, green: number, blue: number) => {
    const at = pixel * perPixel;
    values[at] = ((isRgb ? red : blue) - first) * factor;
    values[at + perChannel] = (green - second) * factor;
    values[at + perChannel * 2] = ((isRgb ? blue : red) - third) * factor;
  };
  return Object.assign(write, { values });
}

export function computeGray(red: number, green: number, blue: number): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
