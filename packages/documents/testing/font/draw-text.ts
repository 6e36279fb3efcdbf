// Draws anti-aliased text into a gray picture, by thin scan lines with exact ends.
import type { GrayImage } from '../../src/image/gray.ts';
import type { Font } from './font.ts';

export interface TextOptions {
  /** Start of the first character's cell, and the baseline. */
  x: number;
  y: number;
  /** Pixels per em; a capital of OCR-B is 0.72 em high. */
  size: number;
  /** Pixels per character, in place of the font's advance. */
  pitch?: number;
  /** Gray of the ink; 0 by default. */
  ink?: number;
}

/** Scan lines per row of pixels. */
const LINES_PER_ROW = 5;

export function drawText(target: GrayImage, font: Font, text: string, options: TextOptions): void {
  const { y, size, pitch, ink = 0 } = options;
  let { x } = options;
  for (const character of text) {
    const { rings, advance } = font.outline(character);
    fillRings(target, rings, { x, y, size, ink });
    x += pitch ?? advance * size;
  }
}

interface Crossing {
  x: number;
  winding: number;
}

/** Fills by the non-zero winding rule. `x`, `y`: origin of the rings in pixels. */
export function fillRings(
  target: GrayImage,
  rings: readonly Float64Array[],
  { x, y, size, ink }: { x: number; y: number; size: number; ink: number },
): void {
  const placed = rings.map((ring) => ring.map((value, index) => value * size + (index % 2 === 0 ? x : y)));
  let top = Number.POSITIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  for (const ring of placed)
    for (let at = 1; at < ring.length; at += 2) {
      top = Math.min(top, ring[at]!);
      bottom = Math.max(bottom, ring[at]!);
    }
  const first = Math.max(0, Math.floor(top));
  const last = Math.min(target.height - 1, Math.floor(bottom));
  const cover = new Float32Array(target.width);
  for (let row = first; row <= last; row += 1) {
    cover.fill(0);
    for (let line = 0; line < LINES_PER_ROW; line += 1)
      coverSpans(cover, findCrossings(placed, row + (line + 0.5) / LINES_PER_ROW));
    for (let column = 0; column < target.width; column += 1) {
      if (cover[column] === 0) continue;
      const at = row * target.width + column;
      const share = Math.min(1, cover[column]! / LINES_PER_ROW);
      target.data[at] = Math.round(target.data[at]! * (1 - share) + ink * share);
    }
  }
}

function findCrossings(rings: readonly Float64Array[], y: number): Crossing[] {
  const crossings: Crossing[] = [];
  for (const ring of rings) {
    let x0 = ring[ring.length - 2]!;
    let y0 = ring[ring.length - 1]!;
    for (let at = 0; at < ring.length; at += 2) {
      const x1 = ring[at]!;
      const y1 = ring[at + 1]!;
      if (y0 <= y !== y1 <= y)
        crossings.push({ x: x0 + ((y - y0) / (y1 - y0)) * (x1 - x0), winding: y1 > y0 ? 1 : -1 });
      x0 = x1;
      y0 = y1;
    }
  }
  return crossings.sort((a, b) => a.x - b.x);
}

function coverSpans(cover: Float32Array, crossings: readonly Crossing[]): void {
  let winding = 0;
  for (let index = 0; index + 1 < crossings.length; index += 1) {
    winding += crossings[index]!.winding;
    if (winding === 0) continue;
    const from = Math.max(0, crossings[index]!.x);
    const to = Math.min(cover.length, crossings[index + 1]!.x);
    for (let column = Math.floor(from); column < to; column += 1)
      cover[column]! += Math.max(0, Math.min(to, column + 1) - Math.max(from, column));
  }
}
