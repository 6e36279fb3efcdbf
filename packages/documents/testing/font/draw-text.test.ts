import { describe, expect, test } from 'vitest';
import type { GrayImage } from '../../src/image/gray.ts';
import { drawText, fillRings, findZoneFont, loadFont } from './index.ts';

function makePaper(width: number, height: number): GrayImage {
  return { width, height, data: new Uint8Array(width * height).fill(255) };
}

describe('a polygon', () => {
  const square = Float64Array.of(0, 0, 2, 0, 2, 2, 0, 2);

  test('shades pixels by their covered share', () => {
    const paper = makePaper(5, 4);
    fillRings(paper, [square], { x: 1.5, y: 1, size: 1, ink: 55 });
    expect([...paper.data.subarray(5, 10)]).toEqual([255, 155, 55, 155, 255]);
    expect([...paper.data.subarray(0, 5)]).toEqual([255, 255, 255, 255, 255]);
  });

  test('has a hole where another one has the opposite orientation', () => {
    const paper = makePaper(4, 4);
    const hole = Float64Array.of(0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75, 0.25);
    fillRings(paper, [square.map((value) => value / 2), hole], { x: 0, y: 0, size: 4, ink: 0 });
    expect([...paper.data.subarray(4, 8)]).toEqual([0, 255, 255, 0]);
  });

  test('has no effect beyond the picture', () => {
    const paper = makePaper(3, 3);
    fillRings(paper, [square], { x: 10, y: -10, size: 1, ink: 0 });
    expect(paper.data.every((value) => value === 255)).toBe(true);
  });
});

describe.skipIf(!findZoneFont())('text (needs the font of Debian’s fonts-ocr-b)', () => {
  test('is on its baseline with the given height and width', () => {
    const paper = makePaper(200, 60);
    drawText(paper, loadFont(findZoneFont()!), 'HHH', { x: 10, y: 50, size: 50, pitch: 60 });
    const rows = [...Array(60).keys()].filter((y) => paper.data.subarray(y * 200, (y + 1) * 200).includes(0));
    const columns = [...Array(200).keys()].filter((x) => rows.some((y) => paper.data[y * 200 + x] === 0));
    expect([rows[0], rows.at(-1)]).toEqual([15, 49]);
    expect(columns[0]).toBeGreaterThan(14);
    expect(columns.at(-1)).toBeLessThan(10 + 3 * 60);
    expect(columns.filter((x) => x >= 70 && x < 130).map((x) => x - 60)).toEqual(columns.filter((x) => x < 70));
  });
});
