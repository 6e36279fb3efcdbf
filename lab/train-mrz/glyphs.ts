// Characters as signed distance fields, for strokes of any weight, size and slant.
import { ZONE_CHARACTERS } from '../../packages/documents/src/mrz/grammar.ts';
import { type Font, findZoneFont, loadFont, type Outline } from '../../packages/documents/testing/font/index.ts';

/** Samples per em, and the area of the em square around a character. */
const DENSITY = 56;
const LEFT = -0.12;
const TOP = -0.86;
const ACROSS = Math.ceil(0.96 * DENSITY);
const DOWN = Math.ceil(1.1 * DENSITY);
/** Width of a character's cell in OCR-B, and height of its capitals, in ems. */
export const CELL = 0.723;
export const CAPITAL = 0.723;

/** Distances in ems by class, positive inside the ink. */
export type Glyphs = readonly Float32Array[];

/** Typefaces of zones: with round and with square stroke ends. */
export function loadFaces(): Glyphs[] {
  return (['regular', 'sharp'] as const).map((face) => makeGlyphs(loadFont(findZoneFont(face)!)));
}

function makeGlyphs(font: Font): Glyphs {
  return [...ZONE_CHARACTERS].map((character) => measureDistances(font.outline(character)));
}

function measureDistances({ rings }: Outline): Float32Array {
  const field = new Float32Array(ACROSS * DOWN);
  for (let row = 0; row < DOWN; row += 1)
    for (let column = 0; column < ACROSS; column += 1)
      field[row * ACROSS + column] = distanceTo(rings, LEFT + column / DENSITY, TOP + row / DENSITY);
  return field;
}

function distanceTo(rings: readonly Float64Array[], x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  let winding = 0;
  for (const ring of rings) {
    let x0 = ring[ring.length - 2]!;
    let y0 = ring[ring.length - 1]!;
    for (let at = 0; at < ring.length; at += 2) {
      const x1 = ring[at]!;
      const y1 = ring[at + 1]!;
      const dx = x1 - x0;
      const dy = y1 - y0;
      const along = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
      nearest = Math.min(nearest, (x0 + along * dx - x) ** 2 + (y0 + along * dy - y) ** 2);
      if (y0 <= y !== y1 <= y && x0 + ((y - y0) / dy) * dx > x) winding += y1 > y0 ? 1 : -1;
      x0 = x1;
      y0 = y1;
    }
  }
  return Math.sqrt(nearest) * (winding === 0 ? -1 : 1);
}

/** Interpolates between samples. Far outside the ink if there are none. */
export function sampleGlyph(field: Float32Array, x: number, y: number): number {
  const column = (x - LEFT) * DENSITY;
  const row = (y - TOP) * DENSITY;
  if (column < 0 || row < 0 || column >= ACROSS - 1 || row >= DOWN - 1) return -1;
  const left = Math.floor(column);
  const top = Math.floor(row);
  const right = column - left;
  const down = row - top;
  const at = top * ACROSS + left;
  return (
    (field[at]! * (1 - right) + field[at + 1]! * right) * (1 - down) +
    (field[at + ACROSS]! * (1 - right) + field[at + ACROSS + 1]! * right) * down
  );
}
