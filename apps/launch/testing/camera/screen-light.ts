// What the page's own light does to a portrait before the test camera: a head answers by its shape, the room hardly.
import type { Rgb } from '../../src/face/light/colours.ts';
import { toLight } from '../../src/face/light/colours.ts';
import { averagePoints, type Points } from '../../src/face/maths/geometry.ts';
import type { Frame } from '../../src/face/maths/image.ts';
import { LEFT_EYE, RIGHT_EYE } from '../../src/face/read/landmarks.ts';

/** Of a wholly lit screen, as a share of the room's light on the face: a phone in a room of some 150 lux. */
const STRENGTH = 0.12;
const ON_ROOM = 0.06;
/** In distances between the eyes, from between them. */
const HEAD = { down: 0.36, width: 1.35, height: 1.8, depth: 1.2 };

/** By a head's shape; as on a sheet, with a room behind it; or all of the picture alike, as a tint over it is. */
export type LightShape = 'head' | 'flat' | 'everywhere';

export interface ScreenLight {
  /** Changes the picture. */
  shine(onto: Frame, emission: Rgb): void;
}

export function createScreenLight(landmarks: Points, width: number, height: number, shape: LightShape): ScreenLight {
  const shares = measureShares(landmarks, width, height, shape);
  return {
    shine({ data }, emission) {
      // By the curve of sRGB a factor of light is a factor of the value to the power of 1 ÷ 2.2, near enough.
      const tables = [0, 1, 2].map((c) =>
        Float32Array.from(
          { length: 65 },
          (_, share) => (1 + (STRENGTH * share * emission[c as 0 | 1 | 2]) / 32) ** (1 / 2.2),
        ),
      );
      for (let i = 0; i < shares.length; i += 1)
        for (let c = 0; c < 3; c += 1) data[i * 4 + c] = data[i * 4 + c]! * tables[c]![shares[i]!]!;
    },
  };
}

/** Of the screen's light beside the room's, in 32nds, pixel by pixel. */
function measureShares(landmarks: Points, width: number, height: number, shape: LightShape): Uint8Array {
  const shares = new Uint8Array(width * height).fill(32 * (shape === 'everywhere' ? 1 : ON_ROOM));
  if (shape === 'everywhere') return shares;
  const [leftX, leftY] = averagePoints(landmarks, LEFT_EYE.lids);
  const [rightX, rightY] = averagePoints(landmarks, RIGHT_EYE.lids);
  const unit = Math.hypot(rightX - leftX, rightY - leftY);
  const [middleX, middleY] = [(leftX + rightX) / 2, (leftY + rightY) / 2];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const across = (x - middleX) / unit / HEAD.width;
      const down = ((y - middleY) / unit - HEAD.down) / HEAD.height;
      const rest = 1 - across ** 2 - down ** 2;
      if (rest <= 0) continue;
      shares[y * width + x] = Math.min(
        Math.round(32 * (shape === 'flat' ? 1 : shareOf(across, down, Math.sqrt(rest)))),
        64,
      );
    }
  return shares;
}

/** Where the screen is before and a little below, and the lamps are above. */
function shareOf(across: number, down: number, towards: number): number {
  const normal = [across / HEAD.width, down / HEAD.height, towards / HEAD.depth] as const;
  const length = Math.hypot(...normal);
  const [nx, ny, nz] = normal.map((value) => value / length) as [number, number, number];
  const fromScreen = Math.max(0.97 * nz + 0.24 * ny, 0);
  const fromLamps = 0.6 + 0.6 * Math.max(0.3 * nx - 0.7 * ny + 0.6 * nz, 0);
  return fromScreen / fromLamps;
}

/** As the page shows it at this moment, fading included; null where it shows none. */
export function readGlow(): Rgb | null {
  const glow = document.querySelector('.glow');
  const values =
    glow &&
    getComputedStyle(glow)
      .backgroundColor.match(/[\d.]+/g)
      ?.map(Number);
  return values ? [toLight(values[0]!), toLight(values[1]!), toLight(values[2]!)] : null;
}
