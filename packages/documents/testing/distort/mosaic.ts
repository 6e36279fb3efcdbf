// A camera from lens to frame: a color filter mosaic, scaled down to the picture.

import type { Picture } from '../../src/image/gray.ts';
import type { Scene, Size } from './canvas.ts';
import type { FinePattern } from './fine-pattern.ts';
import type { Projection } from './pose.ts';

export const CAMERAS = ['webcam_720', 'webcam_1080', 'phone', 'phone_smooth'] as const;
export type CameraName = (typeof CAMERAS)[number];

interface CameraKind {
  /** Frame that the page gets: it requests 1920 × 1080 of a rear camera. */
  readonly frame: Size;
  /** Sensor pixels per frame pixel. */
  readonly finer: 1 | 2;
  /** Weights of the sensor pixels around a frame pixel, starting `before` it. */
  readonly weights: readonly number[];
  readonly before: number;
  /** Range of the deviation of lens and focus, in frame pixels. */
  readonly blur: readonly [number, number];
  /** Range of the compression quality. At 100 only the color resolution is halved. */
  readonly quality: readonly [number, number];
}

const HD = { width: 1280, height: 720 };
const FULL_HD = { width: 1920, height: 1080 };
/** Interpolates missing colors from neighbors. */
const WEBCAM = { finer: 1, weights: [0.5, 1, 0.5], before: 1, blur: [0.35, 0.8], quality: [80, 92] } as const;
const PHONE = { frame: FULL_HD, finer: 2, blur: [0.15, 0.5], quality: [100, 100] } as const;

export const CAMERA_KINDS: Readonly<Record<CameraName, CameraKind>> = {
  webcam_720: { frame: HD, ...WEBCAM },
  webcam_1080: { frame: FULL_HD, ...WEBCAM },
  // Averages 2 × 2 pixels.
  phone: { ...PHONE, weights: [0.25, 0.75, 0.75, 0.25], before: 1 },
  // Uses 8 × 8 pixels, with weights that suppress finer detail.
  phone_smooth: { ...PHONE, ...smooth() },
};

/** Two-lobed Lanczos at half size, over interpolated colors. */
function smooth(): Pick<CameraKind, 'weights' | 'before'> {
  const sinc = (value: number) => Math.sin(Math.PI * value) / (Math.PI * value);
  const taps = [-1.75, -1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 1.75].map((place) => sinc(place) * sinc(place / 2));
  const weights = Array.from({ length: taps.length + 2 }, (_, i) =>
    [0.5, 1, 0.5].reduce((sum, share, k) => sum + share * (taps[i - k] ?? 0), 0),
  );
  return { weights, before: 4 };
}

/** Lateral chromatic aberration of red and blue, in pixels of 1000 from the middle. */
const ABERRATION = 0.4;
const SCALES = [1 + ABERRATION / 1000, 1, 1 - ABERRATION / 1000] as const;

const LINEAR = Float32Array.from({ length: 256 * 16 }, (_, i) => {
  const level = i / 16 / 255;
  return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
});
const LIGHTS = 4096;
const ENCODED = Uint8ClampedArray.from({ length: LIGHTS + 1 }, (_, i) => {
  const light = i / LIGHTS;
  return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);
});

/** Sensor pixels of each color: columns and rows. */
const SITES = [
  (x: number, y: number) => (x | y) % 2 === 0,
  (x: number, y: number) => (x ^ y) % 2 !== 0,
  (x: number, y: number) => (x & y) % 2 !== 0,
];

export function exposeMosaic(
  scene: Scene,
  toPlane: Projection,
  target: Picture,
  device: CameraKind,
  pattern: FinePattern | null,
): void {
  const { finer } = device;
  const [width, height] = [target.width * finer, target.height * finer];
  const light = gatherLight(scene, toPlane, width, height, finer, pattern);
  const rows = new Float32Array(target.width * height);
  for (const [channel, isIn] of SITES.entries()) {
    const along = [0, 1].map((row) => weigh(target.width, width, device, (x) => isIn(x, row)));
    for (let y = 0; y < height; y += 1) {
      const { taps, places, shares } = along[y & 1]!;
      for (let x = 0, k = 0; taps > 0 && x < target.width; x += 1) {
        let sum = 0;
        for (const end = k + taps; k < end; k += 1) sum += light[y * width + places[k]!]! * shares[k]!;
        rows[y * target.width + x] = sum;
      }
    }
    const { taps, places, shares } = weigh(target.height, height, device, (y) => isIn(0, y) || isIn(1, y));
    for (let y = 0; y < target.height; y += 1) {
      for (let x = 0; x < target.width; x += 1) {
        let seen = 0;
        for (let k = y * taps; k < (y + 1) * taps; k += 1) seen += rows[places[k]! * target.width + x]! * shares[k]!;
        const step = (Math.min(1, Math.max(0, seen)) * LIGHTS + 0.5) | 0;
        target.data[(y * target.width + x) * 4 + channel] = ENCODED[step]!;
      }
    }
  }
  for (let at = 3; at < target.data.length; at += 4) target.data[at] = 255;
}

interface Shares {
  /** Number of taps per frame pixel; 0 if none has the color. */
  readonly taps: number;
  readonly places: Int32Array;
  readonly shares: Float32Array;
}

/** Lists the sensor pixels of each frame pixel in one direction. Shares add up to 1. */
function weigh(count: number, from: number, device: CameraKind, isIn: (place: number) => boolean): Shares {
  const { finer, weights, before } = device;
  const used = Array.from({ length: count }, (_, i) =>
    weights
      .map((weight, k) => ({ weight, place: i * finer + k - before }))
      .filter(({ weight, place }) => weight !== 0 && place >= 0 && place < from && isIn(place)),
  );
  const taps = Math.max(...used.map(({ length }) => length));
  const places = new Int32Array(count * taps);
  const shares = new Float32Array(count * taps);
  for (const [i, own] of used.entries()) {
    const total = own.reduce((sum, { weight }) => sum + weight, 0);
    for (const [k, { place, weight }] of own.entries()) {
      places[i * taps + k] = place;
      shares[i * taps + k] = weight / total;
    }
  }
  return { taps, places, shares };
}

/** Returns the light of each sensor pixel: one color, clipped at white. */
function gatherLight(
  scene: Scene,
  toPlane: Projection,
  width: number,
  height: number,
  finer: number,
  pattern: FinePattern | null,
): Float32Array {
  const { data, pixelsPerMillimetre: scale, originX, originY, width: across } = scene;
  const [a, b, c, d, e, f, g, h, i] = toPlane as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [maxX, maxY] = [scene.width - 1.01, scene.height - 1.01];
  const light = new Float32Array(width * height);
  const [middleX, middleY] = [width / 2, height / 2];
  for (let row = 0, at = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1, at += 1) {
      const channel = (row & 1) + (column & 1);
      const size = SCALES[channel]! / finer;
      const px = (column + 0.5 - middleX) * size + middleX / finer;
      const py = (row + 0.5 - middleY) * size + middleY / finer;
      const depth = 1 / (g * px + h * py + i);
      const x = (a * px + b * py + c) * depth;
      const y = (d * px + e * py + f) * depth;
      const u = Math.min(maxX, Math.max(0, (x - originX) * scale - 0.5));
      const v = Math.min(maxY, Math.max(0, (y - originY) * scale - 0.5));
      const left = u | 0;
      const top = v | 0;
      const right = u - left;
      const lower = v - top;
      const place = (top * across + left) * 4 + channel;
      const upper = data[place]! * (1 - right) + data[place + 4]! * right;
      const below = data[place + across * 4]! * (1 - right) + data[place + across * 4 + 4]! * right;
      const own = LINEAR[((upper * (1 - lower) + below * lower) * 16) | 0]!;
      light[at] = pattern ? Math.min(1, own * pattern(x, y, channel)) : own;
    }
  }
  return light;
}
