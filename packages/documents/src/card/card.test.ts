import { expect, test } from 'vitest';
import {
  addGrain,
  colorIn,
  drawBars,
  fillBox,
  makePage,
  placePage,
  poseCorners,
} from '../../testing/scenes/draw-scene.ts';
import { boxBlur } from '../image/blur.ts';
import { type GrayImage, turnClockwise } from '../image/gray.ts';
import { shrinkToWidth } from '../image/resize.ts';
import { adviseOn } from './advice.ts';
import { barcodeViews } from './barcode-views.ts';
import { findCopySigns } from './copy-signs.ts';
import { type Corner, type Corners, findCard } from './find-card.ts';

const FRAME = { width: 960, height: 540 };
const CARD = { width: 686, height: 432 };

function drawCard(level = 210): GrayImage {
  const card = makePage(CARD.width, CARD.height, level);
  fillBox(card, [40, 60, 160, 200], 120);
  for (let i = 0; i < 5; i += 1) drawBars(card, 240, 60 + i * 45, 14, 14, 16);
  for (let i = 0; i < 3; i += 1) drawBars(card, 40, 280 + i * 48, 30, 19, 20);
  return card;
}

const card = drawCard();

function shoot(pose: { width: number; degrees?: number; away?: number }, table = 80, own = card): GrayImage {
  const picture = placePage(own, poseCorners(FRAME, CARD, pose), FRAME.width, FRAME.height, table);
  addGrain(picture, 5);
  return picture;
}

function expectCorners(found: readonly Corner[] | null, wanted: readonly Corner[]): void {
  expect(found).not.toBeNull();
  for (let i = 0; i < 4; i += 1)
    expect(Math.hypot(found![i]!.x - wanted[i]!.x, found![i]!.y - wanted[i]!.y)).toBeLessThan(12);
}

test.each([
  ['lying straight', { width: 640 }, 80],
  ['turned', { width: 560, degrees: 14 }, 80],
  ['tilted', { width: 600, degrees: -4, away: 0.12 }, 80],
  ['hardly brighter than the table', { width: 600, degrees: 5 }, 195],
  ['darker than the table', { width: 600, degrees: -5 }, 245],
] as const)('finds a card: %s', (_, pose, table) => {
  expectCorners(findCard(shoot(pose, table)), poseCorners(FRAME, CARD, pose));
});

test('finds a card with a hand over part of its edge', () => {
  const pose = { width: 620, degrees: 3 };
  const picture = shoot(pose);
  fillBox(picture, [100, 220, 110, 140], 150);
  expectCorners(findCard(picture), poseCorners(FRAME, CARD, pose));
});

test('finds no card without one, or with only part of one', () => {
  expect(findCard(makePage(FRAME.width, FRAME.height))).toBeNull();
  const noise = makePage(FRAME.width, FRAME.height, 128);
  addGrain(noise, 100);
  expect(findCard(noise)).toBeNull();
  expect(findCard(shoot({ width: 1300 }))).toBeNull();
});

test('gives no advice for a readable card', () => {
  expect(adviseOn(shoot({ width: 640, degrees: 3 }), 'card')).toBeNull();
});

test('returns the problem of a picture', () => {
  const good = shoot({ width: 640, degrees: 3 });
  expect(adviseOn(shoot({ width: 300 }), 'card')).toBe('closer');
  expect(adviseOn(shoot({ width: 1200 }), 'card')).toBe('edges');
  expect(adviseOn(makePage(FRAME.width, FRAME.height, 120), 'card')).toBe('none_seen');
  expect(adviseOn({ ...good, data: good.data.map((value) => value / 7) }, 'card')).toBe('dark');
  expect(adviseOn(boxBlur(boxBlur(good, 3), 3), 'card')).toBe('blur');
  const glare = { ...good, data: good.data.slice() };
  fillBox(glare, [400, 200, 120, 80], 255);
  expect(adviseOn(glare, 'card')).toBe('glare');
});

test('yields the rectified card first, then the picture, and a limited number of views', () => {
  const pose = { width: 600, degrees: 8 };
  const picture = shrinkToWidth(shoot(pose), 480);
  const views = [...barcodeViews(picture)];
  expect(views).toHaveLength(32);
  expect(views[0]!.width / views[0]!.height).toBeCloseTo(85.6 / 53.98, 1);
  // In the rectified view, the block of the portrait has its position on the card.
  const { width, height, data } = views[0]!;
  const at = (x: number, y: number) =>
    data[Math.round((y / CARD.height) * height) * width + Math.round((x / CARD.width) * width)]!;
  for (const [x, y] of [
    [50, 70],
    [190, 250],
  ] as const)
    expect(Math.abs(at(x, y) - 120)).toBeLessThan(20);
  expect(Math.abs(at(20, 30) - 210)).toBeLessThan(20);
  expect(views[1]).toBe(picture);
  expect(new Set(views.map(({ data }) => hashBytes(data))).size).toBe(32);
});

test('does not repeat views in the next frame', () => {
  const picture = shrinkToWidth(shoot({ width: 600, degrees: 8 }), 240);
  const places = (from: number, count: number, corners: Corners | null) =>
    barcodeViews(picture, corners, from)
      .take(count)
      .map(({ width, data }) => `${width} ${hashBytes(data)}`)
      .toArray();
  const outline = poseCorners({ width: 240, height: 135 }, CARD, { width: 150, degrees: 8 });
  for (const [corners, most] of [
    [null, 26],
    [outline, 12],
  ] as const) {
    const shown = new Set<string>();
    for (let from = 0; from < most; from += 3) for (const place of places(from, 3, corners)) shown.add(place);
    expect(shown.size).toBeGreaterThanOrEqual(most);
    // Restarts after the last one.
    expect(places(26 * 6, 3, corners)).toEqual(places(0, 3, corners));
  }
});

test('does not search for a known outline', () => {
  const picture = shoot({ width: 640, degrees: 3 });
  expect(adviseOn(picture, 'card', poseCorners(FRAME, CARD, { width: 300 }))).toBe('closer');
  expect(adviseOn(picture, 'card', null)).toBeNull();
  expect(barcodeViews(picture, null).next().value).toBe(picture);
});

function hashBytes(data: Uint8Array): number {
  let hash = 0;
  for (let i = 0; i < data.length; i += 1) hash = (Math.imul(hash, 31) + data[i]!) | 0;
  return hash;
}

test('rotates an upright card to landscape for the barcode reader', () => {
  const [view] = barcodeViews(turnClockwise(shoot({ width: 560 })));
  expect(view!.width).toBeGreaterThan(view!.height);
});

test('yields the picture as it is without an outline', () => {
  const picture = makePage(200, 100);
  expect([...barcodeViews(picture)]).toHaveLength(26);
  expect(barcodeViews(picture).next().value).toBe(picture);
});

test('finds the sign of a photocopy on a gray document in any light', () => {
  const picture = colorIn(shoot({ width: 640 }), [1, 0.95, 0.8]);
  expect(findCopySigns(picture, poseCorners(FRAME, CARD, { width: 640 }))).toEqual(['photocopy']);
  expect(findCopySigns(picture, null)).toEqual(['photocopy']);
});

test('finds no sign on a colored document', () => {
  expect(findCopySigns(paint(shoot({ width: 640 })), null)).toEqual([]);
});

test('finds the sign of a screen in narrow slanted color stripes', () => {
  const picture = paint(shoot({ width: 640 }));
  const { width, data } = picture;
  for (let i = 0; i < data.length / 4; i += 1) {
    const phase = ((i % width) * 1.05 + Math.floor(i / width) * 0.9) * 0.9;
    for (let k = 0; k < 3; k += 1)
      data[i * 4 + k] = data[i * 4 + k]! * (0.8 + 0.2 * Math.sin(phase + (k * 2 * Math.PI) / 3));
  }
  expect(findCopySigns(picture, null)).toEqual(['screen']);
});

/** Adds a green heading and a skin-colored portrait. */
function paint(image: GrayImage) {
  const picture = colorIn(image, [1, 1, 1]);
  for (let y = 130; y < 330; y += 1) {
    for (let x = 200; x < 360; x += 1) {
      const at = (y * image.width + x) * 4;
      picture.data[at] = 190;
      picture.data[at + 2] = 90;
    }
  }
  return picture;
}
