// The word that marks a fictional document.

import { fillRings, findZoneFont, loadFont } from '../font/index.ts';
import { blend, type Color, type Sheet } from './sheet.ts';

/** Stamps diagonal translucent letters across the middle. */
export function stampSpecimen(sheet: Sheet, color: Color, { x = 0.5, y = 0.45, width = 0.62, part = 0.16 } = {}): void {
  const path = findZoneFont();
  if (!path) return;
  const font = loadFont(path);
  const word = 'SPECIMEN';
  const advance = font.outline('S').advance;
  const size = (sheet.width * width) / (advance * word.length);
  const slant = -0.3;
  const [cos, sin] = [Math.cos(slant), Math.sin(slant)];
  const mask = { width: sheet.width, height: sheet.height, data: new Uint8Array(sheet.width * sheet.height) };
  [...word].forEach((letter, index) => {
    const along = (index - word.length / 2) * advance;
    const rings = font.outline(letter).rings.map((ring) =>
      ring.map((value, at) => {
        const [u, v] = at % 2 === 0 ? [value + along, ring[at + 1]! + 0.36] : [ring[at - 1]! + along, value + 0.36];
        return at % 2 === 0 ? u * cos - v * sin : u * sin + v * cos;
      }),
    );
    fillRings(mask, rings, { x: sheet.width * x, y: sheet.height * y, size, ink: 255 });
  });
  for (let pixel = 0; pixel < mask.data.length; pixel += 1)
    if (mask.data[pixel] !== 0) blend(sheet, pixel * 4, color, (part * mask.data[pixel]!) / 255);
}
