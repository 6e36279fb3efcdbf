// Simulates the page's light on a portrait: a head responds by its shape, the room hardly.

import type { Frame } from '@limen/face-geometry';
import { averagePoints, LEFT_EYE, type Points, RIGHT_EYE } from '@limen/face-geometry';
import type { Rgb } from '@limen/light';
import { toLight } from '@limen/light';

/** Light of a white screen relative to the room's light on the face: a phone at about 150 lux. */
const STRENGTH = 0.12;
const ON_ROOM = 0.06;
/** In distances between the eyes, relative to the point between them. */
const HEAD = { down: 0.36, width: 1.35, height: 1.8, depth: 1.2 };

/** Response: a head's, a uniform factor on face or picture, or a blended patch (`overlay`). */
export type LightShape = 'head' | 'flat' | 'everywhere' | 'overlay';

export interface ScreenLight {
  shine(onto: Frame, emission: Rgb): void;
}

/** Blending needs less color for the same change of a face. */
const OPACITY = STRENGTH / 3;

/** In 1/32. */
const MOST_SHARE = 96;
/** Neighborhood in eye distances. Its mean is shade; finer detail is skin and hair. */
const AROUND = [-0.25, -0.19, -0.13, -0.06, 0, 0.06, 0.13, 0.19, 0.25];
const CHEEKS = 0.6;
const LEAST_LAMPS = 0.3;

/** `picture`: the picture without the screen's light. */
export function createScreenLight(picture: Frame, landmarks: Points, shape: LightShape): ScreenLight {
  const shares = measureShares(picture, landmarks, shape);
  return {
    shine({ data }, emission) {
      if (shape === 'overlay') return layOver(data, shares, emission);
      // Under sRGB a factor of light is roughly a factor of the value to the power of 1/2.2.
      const tables = [0, 1, 2].map((c) =>
        Float32Array.from(
          { length: MOST_SHARE + 1 },
          (_, share) => (1 + (STRENGTH * share * emission[c as 0 | 1 | 2]) / 32) ** (1 / 2.2),
        ),
      );
      for (let i = 0; i < shares.length; i += 1)
        for (let c = 0; c < 3; c += 1) data[i * 4 + c] = data[i * 4 + c]! * tables[c]![shares[i]!]!;
    },
  };
}

function layOver(data: Frame['data'], shares: Uint8Array, emission: Rgb): void {
  const color = emission.map((light) => 255 * light ** (1 / 2.2));
  for (let i = 0; i < shares.length; i += 1)
    if (shares[i]! === 32) for (let c = 0; c < 3; c += 1) data[i * 4 + c]! += OPACITY * (color[c]! - data[i * 4 + c]!);
}

/** Computes each pixel's share of the screen's light, in 1/32. */
function measureShares(picture: Frame, landmarks: Points, shape: LightShape): Uint8Array {
  const { width, height } = picture;
  const shares = new Uint8Array(width * height).fill(32 * (shape === 'everywhere' ? 1 : ON_ROOM));
  if (shape === 'everywhere') return shares;
  const [leftX, leftY] = averagePoints(landmarks, LEFT_EYE.lids);
  const [rightX, rightY] = averagePoints(landmarks, RIGHT_EYE.lids);
  const unit = Math.hypot(rightX - leftX, rightY - leftY);
  const [middleX, middleY] = [(leftX + rightX) / 2, (leftY + rightY) / 2];
  const lampsAt = measureLamps(picture, unit);
  const cheeks = lampsAt(middleX, middleY + CHEEKS * unit);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const across = (x - middleX) / unit / HEAD.width;
      const down = ((y - middleY) / unit - HEAD.down) / HEAD.height;
      const rest = 1 - across ** 2 - down ** 2;
      if (rest <= 0) continue;
      const lamps = () => Math.max(lampsAt(x, y) / cheeks, LEAST_LAMPS);
      const share = shape === 'head' ? towardsScreen(across, down, Math.sqrt(rest)) / lamps() : 1;
      shares[y * width + x] = Math.min(Math.round(32 * share), MOST_SHARE);
    }
  return shares;
}

/** Estimates the light on each part. Larger darker parts of skin are in shade. */
function measureLamps({ width, height, data }: Frame, unit: number): (x: number, y: number) => number {
  return (x, y) => {
    let sum = 0;
    for (const down of AROUND)
      for (const across of AROUND) {
        const px = Math.min(Math.max(Math.round(x + across * unit), 0), width - 1);
        const py = Math.min(Math.max(Math.round(y + down * unit), 0), height - 1);
        sum += toLight(data[(py * width + px) * 4 + 1]!);
      }
    return sum / AROUND.length ** 2;
  };
}

/** Returns how much a part of a head faces a screen slightly below. */
function towardsScreen(across: number, down: number, toward: number): number {
  const normal = [across / HEAD.width, down / HEAD.height, toward / HEAD.depth] as const;
  const length = Math.hypot(...normal);
  const [, ny, nz] = normal.map((value) => value / length) as [number, number, number];
  return Math.max(0.97 * nz + 0.24 * ny, 0);
}

/** Reads the page's current color, including fades; null if there is none. */
export function readGlow(): Rgb | null {
  const glow = document.querySelector('.glow');
  const values =
    glow &&
    getComputedStyle(glow)
      .backgroundColor.match(/[\d.]+/g)
      ?.map(Number);
  return values ? [toLight(values[0]!), toLight(values[1]!), toLight(values[2]!)] : null;
}
