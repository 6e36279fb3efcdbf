// Simulates a camera: light in, 8-bit frames out, with noise and automatic adjustments.
import { createFrame, type Frame } from '@limen/face-geometry';
import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { CameraKind } from './room.ts';

export interface SimulatedCamera {
  /** `light`: reflected lux per pixel and channel. `sinceMs`: time since the previous frame. */
  take(light: Float32Array, sinceMs: number): Frame;
}

/** Target mean of a picture. */
const TARGET = 0.2;
const READ_NOISE = 4;
/** Each pixel represents four of a camera's, so a color block of sixteen is eight wide here. */
const BLOCK = 8;
const POINTS = 4;
const MOST_ELECTRONS = 12_000;

export function createCamera(kind: CameraKind, width: number, height: number, random: () => number): SimulatedCamera {
  const noise = makeNoise(random);
  let gain = 0;
  let white = [1, 1, 1];
  let before: Float32Array | null = null;
  const kept = new Float32Array(width * height * 3);
  const codes = new Float32Array(width * height * 3);

  function adapt(light: Float32Array, sinceMs: number): void {
    const means = [0, 0, 0];
    for (let i = 0; i < light.length; i += 3 * 7) for (let c = 0; c < 3; c += 1) means[c]! += light[i + c]!;
    const samples = Math.ceil(light.length / 21);
    for (let c = 0; c < 3; c += 1) means[c]! /= samples;
    const mean = (means[0]! + means[1]! + means[2]!) / 3;
    // Halfway to gray, because no camera assumes that every picture is gray on average.
    const wanted = means.map((value) => Math.sqrt(mean / Math.max(value, 1e-6)));
    const follow = (seconds: number) => (gain === 0 ? 1 : 1 - Math.exp(-sinceMs / 1000 / seconds));
    const [fast, slow] = [follow(kind.exposureSeconds), follow(kind.whiteSeconds)];
    gain += fast * (TARGET / Math.max(mean, 1e-6) - gain);
    white = white.map((value, c) => value + slow * (wanted[c]! - value));
  }

  return {
    take(light, sinceMs) {
      adapt(light, sinceMs);
      // In bright rooms the exposure is shorter; in dark ones there are few electrons, which are
      // amplified.
      const electrons = POINTS * Math.min(kind.electronsPerLux / gain, MOST_ELECTRONS);
      const frame = createFrame(width, height, new Uint8ClampedArray(width * height * 4).fill(255));
      for (let i = 0; i < light.length; i += 3)
        for (let c = 0; c < 3; c += 1) {
          const signal = Math.min(light[i + c]! * gain, 1.2);
          const raw = signal + (noise() * Math.sqrt(signal * electrons + POINTS * READ_NOISE ** 2)) / electrons;
          let value = Math.min(Math.max(raw * white[c]!, 0), 1);
          if (before) value = (1 - kind.smoothing) * value + kind.smoothing * before[i + c]!;
          kept[i + c] = value;
          codes[i + c] = toCode(value);
        }
      before ??= new Float32Array(kept.length);
      before.set(kept);
      write(frame, codes, kind.colourStep);
      return frame;
    },
  };
}

/** Encodes with the sRGB curve and coarse color blocks, like video codecs. */
function write(frame: Frame, codes: Float32Array, step: number): void {
  const { width, height, data } = frame;
  for (let top = 0; top < height; top += BLOCK)
    for (let left = 0; left < width; left += BLOCK) {
      const [bottom, right] = [Math.min(top + BLOCK, height), Math.min(left + BLOCK, width)];
      const count = (bottom - top) * (right - left);
      let cb = 0;
      let cr = 0;
      for (let y = top; y < bottom; y += 1)
        for (let x = left; x < right; x += 1) {
          const i = (y * width + x) * 3;
          const [r, g, b] = [codes[i]!, codes[i + 1]!, codes[i + 2]!];
          cb += -0.168736 * r - 0.331264 * g + 0.5 * b;
          cr += 0.5 * r - 0.418688 * g - 0.081312 * b;
        }
      const moveB = Math.round(cb / count / step) * step - cb / count;
      const moveR = Math.round(cr / count / step) * step - cr / count;
      for (let y = top; y < bottom; y += 1)
        for (let x = left; x < right; x += 1) {
          const i = (y * width + x) * 3;
          const o = (y * width + x) * 4;
          data[o] = codes[i]! + 1.402 * moveR;
          data[o + 1] = codes[i + 1]! - 0.344136 * moveB - 0.714136 * moveR;
          data[o + 2] = codes[i + 2]! + 1.772 * moveB;
        }
    }
}

const CODES = Float32Array.from({ length: 4097 }, (_, i) => {
  const light = i / 4096;
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
});

export function toCode(light: number): number {
  const at = Math.min(Math.max(light, 0), 1) * 4096;
  const low = Math.floor(at);
  if (low >= 4096) return 255;
  return CODES[low]! + (at - low) * (CODES[low + 1]! - CODES[low]!);
}

/** Draws normal random numbers from a table, because millions are needed. */
function makeNoise(random: () => number): () => number {
  let at = Math.floor(random() * NORMAL.length);
  let step = 1 + 2 * Math.floor(random() * 500);
  return () => {
    at += step;
    if (at >= NORMAL.length) {
      at -= NORMAL.length;
      step = 1 + 2 * Math.floor(random() * 500);
    }
    return NORMAL[at]!;
  };
}

const NORMAL = (() => {
  const random = createRandom(20_407);
  return Float32Array.from({ length: 1 << 16 }, () => {
    const size = Math.sqrt(-2 * Math.log(1 - random()));
    return size * Math.cos(2 * Math.PI * random());
  });
})();
