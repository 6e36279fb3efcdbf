// Text on a sheet: OCR-B for the zone, and a plain face for the rest if installed.

import { existsSync } from 'node:fs';
import { drawText, type Font, findZoneFont, loadFont } from '../font/index.ts';
import { blend, type Color, type Sheet } from './sheet.ts';

export type Face = 'zone' | 'plain' | 'bold';

/** Debian's fonts-dejavu-core. Without it, everything is in OCR-B. */
const FILES = {
  plain: '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf',
  bold: '/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf',
};
const loaded = new Map<Face, Font>();

function findFace(face: Face): Font {
  let font = loaded.get(face);
  if (!font) {
    const path = face !== 'zone' && existsSync(FILES[face]) ? FILES[face] : findZoneFont();
    if (!path) throw new Error('The OCR-B font is missing: install the package fonts-ocr-b.');
    font = loadFont(path);
    loaded.set(face, font);
  }
  return font;
}

export interface WriteOptions {
  /** Start and baseline in millimeters. */
  readonly x: number;
  readonly y: number;
  /** Millimeters per em. */
  readonly size: number;
  readonly face?: Face;
  readonly colour?: Color;
  readonly part?: number;
  /** Millimeters per character, in place of the face's advance. */
  readonly pitch?: number;
  /** Additional millimeters after each character. */
  readonly spacing?: number;
}

const INK: Color = [24, 24, 30];

export function writeText(sheet: Sheet, text: string, options: WriteOptions): void {
  const { face = 'plain', colour: color = INK, part = 1, size, pitch, spacing = 0 } = options;
  const font = findFace(face);
  const em = size * sheet.scale;
  let x = options.x * sheet.scale;
  for (const character of text) {
    stamp(sheet, font, character, x, options.y * sheet.scale, em, color, part);
    x += pitch === undefined ? font.outline(character).advance * em + spacing * sheet.scale : pitch * sheet.scale;
  }
}

/** Returns millimeters. */
export function measureText(
  text: string,
  { size, face = 'plain', spacing = 0 }: Omit<WriteOptions, 'x' | 'y'>,
): number {
  const font = findFace(face);
  return [...text].reduce((sum, character) => sum + font.outline(character).advance * size + spacing, 0);
}

/** Draws each character as a gray mask, because the sheet has colors. */
function stamp(
  sheet: Sheet,
  font: Font,
  character: string,
  x: number,
  y: number,
  em: number,
  color: Color,
  part: number,
) {
  if (character === ' ') return;
  const [left, top] = [Math.floor(x - em * 0.2), Math.floor(y - em * 1.1)];
  const [width, height] = [Math.ceil(em * 1.7), Math.ceil(em * 1.5)];
  const mask = { width, height, data: new Uint8Array(width * height) };
  drawText(mask, font, character, { x: x - left, y: y - top, size: em, ink: 255 });
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const ink = mask.data[row * width + column]!;
      const [px, py] = [left + column, top + row];
      if (ink === 0 || px < 0 || py < 0 || px >= sheet.width || py >= sheet.height) continue;
      blend(sheet, (py * sheet.width + px) * 4, color, (part * ink) / 255);
    }
}

/** Writes a small label with the value below it. */
export function writeField(
  sheet: Sheet,
  label: string,
  value: string,
  at: { x: number; y: number; size?: number; colour?: Color },
) {
  const { x, y, size = 2.9, colour: color = [36, 46, 78] } = at;
  writeText(sheet, label, { x, y, size: size * 0.58, colour: color });
  writeText(sheet, value, { x, y: y + size * 1.16, size, face: 'bold' });
}

/** OCR-B size 1 (ISO 1073-2): capitals 2.4 mm high, ten characters per inch. */
export const ZONE = { size: 2.4 / 0.72, pitch: 2.54, leading: 6.35 };

/** `bottom`: baseline of the last line. */
export function writeZone(sheet: Sheet, lines: readonly string[], { x, bottom }: { x: number; bottom: number }): void {
  lines.forEach((line, index) => {
    const y = bottom - (lines.length - 1 - index) * ZONE.leading;
    writeText(sheet, line, { x, y, size: ZONE.size, pitch: ZONE.pitch, face: 'zone', colour: [18, 18, 20] });
  });
}
