// A synthetic head for light simulations: shape, normals and skin.
import type { Rgb } from '../src/colours.ts';
import { unit } from './room.ts';

/** In eye distances from between the eyes; x right, y down, like landmarks. */
export interface HeadMap {
  side: number;
  /** Position and size of the map's cells. */
  left: number;
  top: number;
  step: number;
  /** Normals of the cells, positive toward the viewer; 0 outside of the head. */
  normals: Float32Array;
  /** Reflectance of red, green and blue. */
  albedo: Float32Array;
  /** Depth toward the viewer. */
  depth: Float32Array;
}

/** Reflectance of skin from very light to very dark, after published measurements. */
export const SKIN_TONES: readonly Rgb[] = [
  [0.62, 0.46, 0.38],
  [0.54, 0.37, 0.29],
  [0.44, 0.28, 0.2],
  [0.32, 0.19, 0.13],
  [0.2, 0.11, 0.075],
  [0.11, 0.06, 0.045],
];

const SIDE = 160;
const [LEFT, TOP, STEP] = [-1.6, -1.9, 0.025];
const HEAD = { x: 0, y: 0.36, width: 1.32, height: 1.78, depth: 1.2 };

/** A picture of a head on a sheet or screen. */
export interface Sheet {
  /** Rotation of the normal per eye distance. */
  bend: number;
  /** Direction of the lamp in the picture. */
  litFrom: Rgb;
}

/** Causes that darken one side in any light: long hair, or a mark. */
export type OneSided = 'hair' | 'mark';

export function createHead(skin: Rgb, sheet?: Sheet, oneSided?: OneSided): HeadMap {
  const cells = SIDE * SIDE;
  const map: HeadMap = {
    side: SIDE,
    left: LEFT,
    top: TOP,
    step: STEP,
    normals: new Float32Array(cells * 3),
    albedo: new Float32Array(cells * 3),
    depth: new Float32Array(cells),
  };
  for (let row = 0; row < SIDE; row += 1)
    for (let column = 0; column < SIDE; column += 1) {
      const [x, y] = [LEFT + column * STEP, TOP + row * STEP];
      const cell = row * SIDE + column;
      if (!isHead(x, y)) continue;
      const h = 0.02;
      const slopeX = (depthAt(x + h, y) - depthAt(x - h, y)) / (2 * h);
      const slopeY = (depthAt(x, y + h) - depthAt(x, y - h)) / (2 * h);
      const own = unit([-slopeX, -slopeY, 1]);
      const normal: Rgb = sheet ? [Math.sin(sheet.bend * x), 0, Math.cos(sheet.bend * x)] : own;
      map.normals.set(normal, cell * 3);
      map.depth[cell] = sheet ? 0 : depthAt(x, y);
      const tint = skinAt(x, y);
      const shade = sheet ? computeShade(own, sheet.litFrom) : oneSided ? darken(oneSided, x, y) : 1;
      for (let i = 0; i < 3; i += 1) map.albedo[cell * 3 + i] = skin[i]! * tint[i]! * shade;
    }
  return map;
}

/** Half of the light is directional, the rest is ambient. */
function computeShade(normal: Rgb, [x, y, z]: Rgb): number {
  return 0.5 + 0.8 * Math.max(normal[0] * x + normal[1] * y + normal[2] * z, 0);
}

/** Hair over temple, jaw and part of the forehead on one side; or a mark on half of the face. */
function darken(oneSided: OneSided, x: number, y: number): number {
  if (oneSided === 'mark') return 1 - 0.4 / (1 + Math.exp(x / 0.05));
  return x < -0.78 || (y < -0.25 && x < -0.3) || (y > 0.95 && x < -0.5) ? 0.15 : 1;
}

function isHead(x: number, y: number): boolean {
  return ((x - HEAD.x) / HEAD.width) ** 2 + ((y - HEAD.y) / HEAD.height) ** 2 < 0.985;
}

function depthAt(x: number, y: number): number {
  const across = (x - HEAD.x) / HEAD.width;
  const down = (y - HEAD.y) / HEAD.height;
  const skull = HEAD.depth * Math.sqrt(Math.max(1 - across ** 2 - down ** 2, 0.005));
  const ridge = Math.min(Math.max((y + 0.05) / 0.65, 0), 1) * (y < 0.72 ? 1 : Math.exp(-(((y - 0.72) / 0.1) ** 2)));
  const nose = 0.45 * ridge * Math.exp(-((x / 0.17) ** 2));
  const sockets = 0.12 * (bump(x + 0.5, y, 0.25) + bump(x - 0.5, y, 0.25));
  const lips = 0.06 * bump(x / 2, y - 1.1, 0.15);
  return skull + nose - sockets + lips;
}

/** Eyes, brows, lips, hair, and uneven skin. */
function skinAt(x: number, y: number): Rgb {
  if (y < -1.15 + 0.12 * Math.cos(x * 3)) return [0.25, 0.25, 0.25];
  const dark = Math.max(bump((x + 0.5) / 2, y, 0.11), bump((x - 0.5) / 2, y, 0.11));
  const brow = Math.max(bump((x + 0.5) / 3, y + 0.3, 0.09), bump((x - 0.5) / 3, y + 0.3, 0.09));
  const lip = bump(x / 3, y - 1.1, 0.13);
  const uneven = 1 + 0.06 * Math.sin(x * 5.1 + 1) * Math.cos(y * 4.3) + 0.05 * bump(Math.abs(x) - 0.7, y - 0.7, 0.3);
  const shade = uneven * (1 - 0.75 * Math.max(dark, brow));
  // Cheeks and nose are redder, and colors vary from place to place.
  const red =
    0.12 * (bump(Math.abs(x) - 0.65, y - 0.65, 0.35) + bump(x, y - 0.6, 0.2)) + 0.05 * Math.sin(x * 7 + y * 5);
  return [shade, shade * (1 - 0.25 * lip - red), shade * (1 - 0.2 * lip - 0.8 * red + 0.04 * Math.sin(x * 4 - y * 9))];
}

function bump(x: number, y: number, size: number): number {
  return Math.exp(-((x / size) ** 2) - (y / size) ** 2);
}
