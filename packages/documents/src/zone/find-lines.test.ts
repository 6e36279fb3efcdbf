import { expect, test } from 'vitest';
import { addGrain, drawBars, fillBox, makePage, placePage, poseCorners } from '../../testing/scenes/draw-scene.ts';
import type { GrayImage } from '../image/gray.ts';
import { applyHomography, fitHomography, type Quad } from '../image/homography.ts';
import { LINE_HEIGHT, LINE_WIDTH } from './alphabet.ts';
import { cutBand } from './cut-band.ts';
import { findLines } from './find-lines.ts';
import { measureBands } from './measure-bands.ts';

const FRAME = { width: 1280, height: 720 };
/** A passport page at 8 px per millimeter, with lines of 44 characters. */
const PAGE = { width: 1000, height: 704 };
const HEIGHT = 20;
const PITCH = 20.3;
const LINES = [
  { x: 54, y: 574 },
  { x: 54, y: 625 },
];

function drawPage(): GrayImage {
  const page = makePage(PAGE.width, PAGE.height);
  for (let i = 0; i < 6; i += 1) drawBars(page, 350, 100 + i * 60, 12, 16, 17);
  fillBox(page, [40, 100, 250, 320], 120);
  for (const { x, y } of LINES) drawBars(page, x, y, 44, HEIGHT, PITCH);
  return page;
}

const page = drawPage();

/** Ends of the lines' middles in the picture. */
function truth(corners: Quad) {
  const own: Quad = [
    { x: 0, y: 0 },
    { x: PAGE.width, y: 0 },
    { x: PAGE.width, y: PAGE.height },
    { x: 0, y: PAGE.height },
  ];
  const map = fitHomography(own, corners)!;
  return LINES.map(({ x, y }) => ({
    from: applyHomography(map, x, y + HEIGHT / 2),
    to: applyHomography(map, x + 43.65 * PITCH, y + HEIGHT / 2),
  }));
}

test.each([
  ['lying straight', { width: 1000 }, 640],
  ['turned by 12°', { width: 900, degrees: 12 }, 640],
  ['turned by -9° and tilted away', { width: 900, degrees: -9, away: 0.12 }, 640],
  ['filling half of the frame, at a finer search', { width: 640, degrees: 5 }, 960],
] as const)('finds a zone and cuts it for the recognizer: %s', (_, pose, width) => {
  const corners = poseCorners(FRAME, PAGE, pose);
  const picture = placePage(page, corners, FRAME.width, FRAME.height, 70);
  addGrain(picture, 6);
  const [group] = findLines(picture, width);
  expect(group).toHaveLength(2);
  for (const [i, line] of truth(corners).entries()) {
    for (const end of ['from', 'to'] as const) {
      expect(Math.abs(group![i]![end].x - line[end].x)).toBeLessThan(24);
      expect(Math.abs(group![i]![end].y - line[end].y)).toBeLessThan(6);
    }
  }
  for (const band of measureBands(picture, group!)) expectReadable(cutBand(picture, band!)!);
});

/** Characters occupy the same rows at the left, middle and right, dark on white. */
function expectReadable(line: GrayImage): void {
  expect([line.width, line.height]).toEqual([LINE_WIDTH, LINE_HEIGHT]);
  for (const from of [80, 400, 700]) {
    const rows: number[] = [];
    for (let y = 0; y < LINE_HEIGHT; y += 1) {
      let inked = 0;
      for (let x = from; x < from + 120; x += 1) if (line.data[y * LINE_WIDTH + x]! < 150) inked += 1;
      if (inked > 10) rows.push(y);
    }
    const [top, bottom] = [rows[0]!, rows.at(-1)! + 1];
    expect(bottom - top).toBeGreaterThanOrEqual(18);
    expect(bottom - top).toBeLessThanOrEqual(25);
    expect(Math.abs((top + bottom) / 2 - LINE_HEIGHT / 2)).toBeLessThanOrEqual(2);
  }
  expect(line.data.toSorted()[line.data.length >> 1]).toBeGreaterThanOrEqual(225);
}

test('adds a parallel third line of equal length to the group', () => {
  const card = makePage(800, 507);
  for (let i = 0; i < 3; i += 1) drawBars(card, 94, 293 + i * 53, 30, 20, 20.3);
  const picture = placePage(card, poseCorners(FRAME, card, { width: 900, degrees: -5 }), 1280, 720, 60);
  expect(findLines(picture, 640)[0]).toHaveLength(3);
});

test.each([47, 200])('joins a line broken by glare of %i pixels', (width) => {
  const broken = drawPage();
  fillBox(broken, [467, 566, width, 34], 215);
  const picture = placePage(broken, poseCorners(FRAME, PAGE, { width: 1000 }), 1280, 720, 70);
  const [group] = findLines(picture, 640);
  expect(group).toHaveLength(2);
  expect(group![0]!.to.x - group![0]!.from.x).toBeGreaterThan(850);
});

test('finds no lines on an empty table, in noise, or in a single pixel', () => {
  expect(findLines(makePage(1280, 720), 640)).toEqual([]);
  const noise = makePage(640, 360, 128);
  addGrain(noise, 120);
  expect(findLines(noise, 640)).toEqual([]);
  expect(findLines(makePage(1, 1), 640)).toEqual([]);
});
