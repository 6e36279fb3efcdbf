// Backgrounds: a plain table, wood, cloth, or a dark surface.

import type { Scene, Size } from './canvas.ts';
import type { Table } from './shots.ts';
import { hillAt } from './value-noise.ts';

type Color = readonly [number, number, number];

const PLAIN: readonly Color[] = [
  [208, 204, 196],
  [176, 188, 196],
  [224, 214, 200],
  [150, 160, 150],
];
const WOODS: readonly (readonly [Color, Color])[] = [
  [
    [186, 140, 92],
    [128, 86, 48],
  ],
  [
    [150, 106, 72],
    [92, 58, 36],
  ],
  [
    [214, 184, 140],
    [178, 142, 96],
  ],
];
const CLOTHS: readonly Color[] = [
  [92, 112, 140],
  [150, 132, 120],
  [176, 170, 160],
  [110, 70, 76],
];
const DARKS: readonly Color[] = [
  [38, 38, 42],
  [46, 40, 36],
  [30, 40, 46],
];

/** Millimeters at the round corners where the table is visible. */
const CORNER = 4;

/** Skips the covered area, because drawing is slow. */
export function drawTable(scene: Scene, table: Table, seed: number, covered: Size): void {
  const { width, height, data, pixelsPerMillimetre: scale, originX, originY } = scene;
  const shade = chooseShade(table, seed);
  const color = new Float64Array(3);
  const [halfX, halfY] = [covered.width / 2 - CORNER, covered.height / 2 - CORNER];
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const x = column / scale + originX;
      const y = row / scale + originY;
      if (Math.abs(y) < halfY && Math.abs(x) < halfX) continue;
      shade(x, y, color);
      const at = (row * width + column) * 4;
      data[at] = color[0]!;
      data[at + 1] = color[1]!;
      data[at + 2] = color[2]!;
      data[at + 3] = 255;
    }
}

/** Maps millimeters to a color, written to the array. */
function chooseShade(table: Table, seed: number): (x: number, y: number, color: Float64Array) => void {
  if (table === 'wood') {
    const [light, dark] = WOODS[seed % WOODS.length]!;
    return (x, y, color) => {
      const bend = hillAt(x / 60, y / 14, seed) * 14;
      const ring = 0.5 + 0.5 * Math.sin((y + bend) * 0.9 + 3 * hillAt(x / 140, y / 5, seed + 1));
      const grain = hillAt(x / 7, y / 0.35, seed + 2);
      mix(light, dark, 0.55 * ring * ring + 0.4 * grain, color);
    };
  }
  if (table === 'cloth') {
    const base = CLOTHS[seed % CLOTHS.length]!;
    return (x, y, color) => {
      const weave = Math.sin(x * 5.2) * Math.sin(y * 5.2);
      const fold = hillAt(x / 45 + y / 90, y / 60, seed);
      fill(base, 0.86 + 0.08 * weave + 0.2 * fold + 0.08 * hillAt(x * 2, y * 2, seed + 3), color);
    };
  }
  if (table === 'stripes') {
    // A shirt: threads of half a millimeter, every second or third in another color.
    const [base, other] = [CLOTHS[seed % CLOTHS.length]!, PLAIN[seed % PLAIN.length]!];
    const width = 1 + (seed % 5) / 2;
    return (x, y, color) => {
      const isOther = Math.sin(((x + y * 0.05) * Math.PI) / width) > 0;
      fill(isOther ? other : base, 0.9 + 0.1 * Math.sin(x * 12.6) * Math.sin(y * 12.6), color);
    };
  }
  if (table === 'keyboard') {
    // Keys of 16 mm in rows of 19 mm, each row slightly offset.
    return (x, y, color) => {
      const row = Math.floor(y / 19);
      const [u, v] = [x + row * 4.7 - 19 * Math.floor((x + row * 4.7) / 19), y - row * 19];
      const isKey = u < 16 && v < 16;
      const isLetter = isKey && u > 3 && u < 6 && v > 3 && v < 7 && hillAt(u * 2, v * 2, seed + row) > 0.5;
      fill(DARKS[seed % DARKS.length]!, isLetter ? 5 : isKey ? 1.1 : 2.2, color);
    };
  }
  const bases = table === 'dark' ? DARKS : PLAIN;
  const base = bases[seed % bases.length]!;
  return (x, y, color) => fill(base, 0.94 + 0.08 * hillAt(x / 30, y / 30, seed) + 0.04 * hillAt(x, y, seed + 5), color);
}

function mix(a: Color, b: Color, part: number, color: Float64Array): void {
  for (let channel = 0; channel < 3; channel += 1) color[channel] = a[channel]! + (b[channel]! - a[channel]!) * part;
}

function fill(base: Color, light: number, color: Float64Array): void {
  for (let channel = 0; channel < 3; channel += 1) color[channel] = base[channel]! * light;
}
