// Finds the OCR-B font on the system and returns its characters as polygons.
/// <reference path="./opentype.d.ts" />
import { existsSync, readFileSync } from 'node:fs';
import opentype, { type PathCommand } from 'opentype.js';

export interface Outline {
  /** Closed rings of alternating x and y in ems, y downwards. Non-zero winding rule. */
  readonly rings: readonly Float64Array[];
  /** Ems to the next character. */
  readonly advance: number;
}

export interface Font {
  outline(character: string): Outline;
}

/** From Debian's fonts-ocr-b. The sharp face has square corners, the other round ends. */
const FOLDER = '/usr/share/fonts/opentype/ocr-b';
const STEPS_PER_CURVE = 6;

export function findZoneFont(face: 'regular' | 'sharp' = 'regular'): string | undefined {
  const path = `${FOLDER}/${face === 'regular' ? 'OCRB' : 'OCRBS'}.otf`;
  return existsSync(path) ? path : undefined;
}

export function loadFont(path: string): Font {
  const file = readFileSync(path);
  const font = opentype.parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
  const outlines = new Map<string, Outline>();
  return {
    outline(character) {
      let outline = outlines.get(character);
      if (!outline) {
        const glyph = font.charToGlyph(character);
        const rings = flatten(glyph.path.commands, 1 / font.unitsPerEm);
        outline = { rings, advance: glyph.advanceWidth / font.unitsPerEm };
        outlines.set(character, outline);
      }
      return outline;
    },
  };
}

function flatten(commands: readonly PathCommand[], scale: number): Float64Array[] {
  const rings: Float64Array[] = [];
  let ring: number[] = [];
  let x = 0;
  let y = 0;
  const end = () => {
    if (ring.length >= 6) rings.push(Float64Array.from(ring));
    ring = [];
  };
  for (const command of commands) {
    if (command.type === 'M') end();
    if (command.type === 'Z') {
      end();
      continue;
    }
    if (command.type === 'C' || command.type === 'Q')
      for (let step = 1; step < STEPS_PER_CURVE; step += 1) {
        const point = pointOnCurve(x, y, command, step / STEPS_PER_CURVE);
        ring.push(point.x * scale, -point.y * scale);
      }
    ({ x, y } = command);
    ring.push(x * scale, -y * scale);
  }
  end();
  return rings;
}

function pointOnCurve(x0: number, y0: number, command: PathCommand, t: number): { x: number; y: number } {
  const { type, x, y, x1, y1 } = command;
  const s = 1 - t;
  if (type === 'Q') {
    const mix = (from: number, bend: number, to: number) => s * s * from + 2 * s * t * bend + t * t * to;
    return { x: mix(x0, x1, x), y: mix(y0, y1, y) };
  }
  const mix = (from: number, bend: number, bend2: number, to: number) =>
    s * s * s * from + 3 * s * s * t * bend + 3 * s * t * t * bend2 + t * t * t * to;
  return { x: mix(x0, x1, command.x2, x), y: mix(y0, y1, command.y2, y) };
}
