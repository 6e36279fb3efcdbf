import { createFrame, type Frame } from '@limen/face-geometry';
import { expect, test } from 'vitest';
import { createDocumentWitness } from './document-witness.ts';
import { looksAlike, measureDocument, sketchDocument } from './measure-document.ts';

const [WIDTH, HEIGHT] = [320, 180];

function paint(color: (x: number, y: number) => readonly [number, number, number]): Frame {
  const data = new Uint8ClampedArray(WIDTH * HEIGHT * 4);
  for (let i = 0; i < WIDTH * HEIGHT; i += 1) data.set([...color(i % WIDTH, Math.floor(i / WIDTH)), 255], i * 4);
  return createFrame(WIDTH, HEIGHT, data);
}

/** A portrait on the left and lines on the right, in colored light, slightly shifted. */
const card = (light: readonly [number, number, number] = [1, 1, 1], shift = 0) =>
  paint((x, y) => {
    const level = x - shift < 120 && y > 40 ? 90 : Math.floor(y / 24) % 2 === 0 ? 220 : 170;
    return [level * light[0], level * light[1], level * light[2]];
  });

test('measures each cell by its pixels, and none if they are clipped', () => {
  const halves = paint((x) => (x < WIDTH / 2 ? [255, 255, 255] : [188, 100, 50]));
  const { cells, at } = measureDocument(halves, 12);
  expect(at).toBe(12);
  expect(cells.slice(0, 6).every(Number.isNaN)).toBe(true);
  expect([...cells.slice(9, 12)]).toEqual([
    expect.closeTo(0.5029, 3),
    expect.closeTo(0.1274, 3),
    expect.closeTo(0.0319, 3),
  ]);
});

test('recognizes a document in other light and slightly shifted, but no other document', () => {
  const known = sketchDocument(card());
  expect(looksAlike(known, sketchDocument(card([1, 0.6, 0.6], 5)))).toBe(true);
  expect(looksAlike(known, sketchDocument(paint((x, y) => (x > 200 && y < 90 ? [90, 90, 90] : [200, 200, 200]))))).toBe(
    false,
  );
  expect(looksAlike(known, sketchDocument(paint(() => [128, 128, 128])))).toBe(false);
});

test('measures only the document of the last look, and nothing after `forget`', () => {
  const witness = createDocumentWitness();
  expect(witness.measure(card(), 1)).toBe(false);
  witness.know(card());
  expect(witness.measure(card([0.7, 0.7, 1]), 2)).toBe(true);
  expect(
    witness.measure(
      paint((x) => [x % 256, 0, 0]),
      3,
    ),
  ).toBe(false);
  witness.forget();
  expect(witness.measure(card(), 4)).toBe(false);
  expect(witness.judge([{ colour: 'red', at: 0 }], 0.1)).toBe('unknown');
});
