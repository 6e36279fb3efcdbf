// Drawn training lines: reproducible, correctly labeled, and within the limits of a line image.
import { describe, expect, test } from 'vitest';
import { ZONE_CHARACTERS } from '../../packages/documents/src/mrz/grammar.ts';
import { BETWEEN, COLUMN_WIDTH, LINE_HEIGHT, LINE_WIDTH } from '../../packages/documents/src/zone/alphabet.ts';
import { findZoneFont } from '../../packages/documents/testing/font/index.ts';
import { drawLine, drawPiece } from './draw-line.ts';
import { loadFaces } from './glyphs.ts';
import { passJpeg } from './jpeg.ts';
import { createRandom } from './random.ts';
import { makeZoneText } from './zone-text.ts';

describe.skipIf(!findZoneFont())('a drawn line (needs the font of Debian’s fonts-ocr-b)', () => {
  const faces = findZoneFont() ? loadFaces() : [];

  test('is determined by its seed', () => {
    const draw = (seed: number, position: number) => drawPiece(createRandom(seed, position), faces, 160);
    expect(draw(4, 9)).toEqual(draw(4, 9));
    expect(draw(4, 9)).not.toEqual(draw(4, 10));
    expect(draw(4, 9)).not.toEqual(draw(5, 9));
  });

  test('has each character’s label where its ink is', () => {
    const text = 'H0H0';
    const { ink, labels } = drawLine(createRandom(1), faces, { width: 160, start: 40, text, strength: 0, pitch: 21 });
    const darkest = (column: number) => {
      let most = 0;
      for (let y = 0; y < LINE_HEIGHT; y += 1)
        for (let x = column * COLUMN_WIDTH; x < (column + 1) * COLUMN_WIDTH; x += 1)
          most = Math.max(most, ink[y * 160 + x]!);
      return most;
    };
    const seen = [...labels].filter((label) => label >= 0 && label !== BETWEEN);
    expect(seen.filter((label, index) => label !== seen[index - 1]).map((label) => ZONE_CHARACTERS[label])).toEqual([
      ...text,
    ]);
    const [first, last] = [labels.indexOf(seen[0]!), labels.lastIndexOf(seen.at(-1)!)];
    for (const [column, label] of labels.entries())
      if (label !== BETWEEN && label >= 0) expect(darkest(column), `column ${column}`).toBeGreaterThan(0.3);
      else if (column < first - 2 || column > last + 2) expect(darkest(column), `column ${column}`).toBeLessThan(0.3);
  });

  test('has ink from 0 to 1 at any quality', () => {
    for (let position = 0; position < 30; position += 1) {
      const { ink } = drawPiece(createRandom(2, position), faces, 160);
      expect(ink.every((value) => value >= 0 && value <= 1)).toBe(true);
    }
  });
});

test('generates text of the requested length with zone characters only', () => {
  for (let position = 0; position < 50; position += 1) {
    const text = makeZoneText(createRandom(3, position), 44, 0.8);
    expect(text).toMatch(/^[0-9A-Z<]{44}$/);
  }
});

test('loses more to JPEG at lower quality', () => {
  const original = Float32Array.from({ length: 32 * LINE_WIDTH }, (_, at) => (at % 7 < 3 ? 40 : 220));
  const lossOf = (quality: number) => {
    const picture = original.slice();
    passJpeg(createRandom(1), picture, LINE_WIDTH, 32, quality);
    return picture.reduce((sum, value, at) => sum + Math.abs(value - original[at]!), 0) / picture.length;
  };
  expect(lossOf(95)).toBeLessThan(4);
  expect(lossOf(30)).toBeGreaterThan(lossOf(95) * 2);
});
