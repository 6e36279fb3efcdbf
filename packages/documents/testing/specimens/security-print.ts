// Security backgrounds of fine colored lines: waves, rosettes, and a color gradient.

import { createRandom } from '../distort/random.ts';
import { type Box, blend, type Color, eachPixel, type Sheet } from './sheet.ts';

export interface Palette {
  /** Colors of the paper at the left and right. */
  readonly from: Color;
  readonly to: Color;
  readonly lines: readonly [Color, Color, Color];
  /** Headings and bands. */
  readonly strong: Color;
}

export const PALETTES: readonly Palette[] = [
  {
    from: [226, 236, 244],
    to: [246, 230, 226],
    lines: [
      [120, 160, 196],
      [206, 150, 160],
      [150, 170, 150],
    ],
    strong: [34, 62, 110],
  },
  {
    from: [230, 242, 230],
    to: [246, 240, 218],
    lines: [
      [120, 176, 140],
      [206, 180, 110],
      [140, 160, 190],
    ],
    strong: [26, 84, 66],
  },
  {
    from: [242, 230, 242],
    to: [226, 234, 248],
    lines: [
      [176, 136, 180],
      [130, 150, 206],
      [200, 160, 150],
    ],
    strong: [84, 40, 96],
  },
  {
    from: [248, 236, 220],
    to: [228, 240, 240],
    lines: [
      [210, 160, 110],
      [120, 172, 176],
      [190, 150, 150],
    ],
    strong: [122, 58, 30],
  },
];

/** Covers the whole sheet. `calm`: a band with fainter print for machine-readable text. */
export function printBackground(sheet: Sheet, palette: Palette, seed: number, calm: Box | null): void {
  const random = createRandom(seed * 13 + 3);
  const [width, height] = [sheet.width / sheet.scale, sheet.height / sheet.scale];
  const [a, b, c] = [random.between(0, 6), random.between(0, 6), random.between(0, 6)];
  const [wideA, wideB] = [random.between(0.16, 0.22), random.between(0.1, 0.15)];
  const rosette = {
    x: width * random.between(0.55, 0.75),
    y: height * random.between(0.3, 0.42),
    radius: height * 0.36,
  };
  const petals = 8 + random.below(7);
  const paper: [number, number, number] = [0, 0, 0];
  // Tabulated sines of columns and rows, shared by millions of pixels.
  const tabulate = (count: number, wave: (millimeters: number) => number) =>
    Float64Array.from({ length: count }, (_, i) => wave((i + 0.5) / sheet.scale));
  const broad = tabulate(sheet.width, (x) => 3.2 * Math.sin(x * wideA + a));
  const counterBroad = tabulate(sheet.width, (x) => -3.6 * Math.sin(x * wideB + b));
  const [fineSin, fineCos] = [Math.sin, Math.cos].map((f) =>
    tabulate(sheet.width, (x) => 1.4 * f(x * wideA * 2.7 + b)),
  );
  const [rowSin, rowCos] = [Math.sin, Math.cos].map((f) => tabulate(sheet.height, (y) => f(y * 0.11)));
  const drift = tabulate(sheet.height, (y) => 0.12 * Math.sin(y * 0.05 + c));
  eachPixel(sheet, { x: 0, y: 0, width, height }, (x, y, at) => {
    const column = (x * sheet.scale) | 0;
    const row = (y * sheet.scale) | 0;
    const part = Math.min(1, Math.max(0, x / width + drift[row]!));
    for (let channel = 0; channel < 3; channel += 1)
      paper[channel] = palette.from[channel]! + (palette.to[channel]! - palette.from[channel]!) * part;
    blend(sheet, at, paper, 1);
    const isCalm = calm && x >= calm.x && x < calm.x + calm.width && y >= calm.y && y < calm.y + calm.height;
    const strength = isCalm ? 0.3 : 0.56;
    const swing = broad[column]! + fineSin![column]! * rowCos![row]! + fineCos![column]! * rowSin![row]!;
    const first = drawLine(y + swing, 1.15, 0.11);
    if (first > 0) blend(sheet, at, palette.lines[0], strength * first);
    const second = drawLine(y * 0.96 + counterBroad[column]!, 1.4, 0.1);
    if (second > 0) blend(sheet, at, palette.lines[1], strength * second);
    const dx = x - rosette.x;
    const dy = y - rosette.y;
    const radius = Math.sqrt(dx * dx + dy * dy);
    if (radius > rosette.radius) return;
    const angle = Math.atan2(dy, dx);
    const bloom = radius + rosette.radius * 0.13 * Math.sin(petals * angle + radius * 0.35);
    const counter = radius - rosette.radius * 0.13 * Math.sin(petals * angle - radius * 0.2);
    const fade = strength * Math.min(1, (rosette.radius - radius) / 2);
    blend(sheet, at, palette.lines[2], fade * drawLine(bloom, 1.2, 0.1));
    blend(sheet, at, palette.lines[0], fade * drawLine(counter, 1.5, 0.09));
  });
}

/** Returns how much of `value` a line covers; there is one every `gap` millimeters. */
function drawLine(value: number, gap: number, half: number): number {
  const place = value / gap - Math.floor(value / gap);
  return Math.max(0, Math.min(1, (half - Math.abs(place - 0.5) * gap) * 12 + 0.5));
}

/** Prints a fictional emblem: a sun over waves in a ring. */
export function printEmblem(sheet: Sheet, x: number, y: number, radius: number, color: Color): void {
  const box = { x: x - radius, y: y - radius, width: radius * 2, height: radius * 2 };
  const soft = (millimeters: number) => Math.max(0, Math.min(1, millimeters * sheet.scale + 0.5));
  eachPixel(sheet, box, (px, py, at) => {
    const u = (px - x) / radius;
    const v = (py - y) / radius;
    const away = Math.hypot(u, v);
    const ring = soft((0.06 - Math.abs(away - 0.92)) * radius);
    const rays =
      away < 0.78 && v < 0.12 && away > 0.42 ? soft(0.02 + 0.12 * Math.sin(Math.atan2(v, u) * 16) * radius * 0.2) : 0;
    const sun = v < 0.12 ? soft((0.34 - Math.hypot(u, v)) * radius) : 0;
    const wave = Math.abs(((v - 0.28 + 0.04 * Math.sin(u * 14)) % 0.2) - 0.1);
    const sea = v > 0.22 && away < 0.8 ? soft((wave - 0.055) * radius) : 0;
    const part = Math.max(ring, rays, sun, sea);
    if (part > 0) blend(sheet, at, color, part * 0.9);
  });
}
