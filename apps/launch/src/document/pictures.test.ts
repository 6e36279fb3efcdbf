import { describe, expect, test } from 'vitest';
import { createFrame } from '../face/index.ts';
import { cutOut, shrink, turn, turnBack, withCopy } from './pictures.ts';
import { boundRegion, findPageAbove, isInside } from './region.ts';

/** Each pixel has a different red. */
function draw(width: number, height: number) {
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i += 1) data[i * 4] = i;
  return createFrame(width, height, data);
}
const reds = ({ data }: { data: Uint8ClampedArray }) => [...data].filter((_, i) => i % 4 === 0);

describe('a picture', () => {
  test('can be cropped', () => {
    const piece = cutOut(draw(4, 3), { x: 1, y: 1, width: 2, height: 2 });
    expect([piece.width, piece.height, reds(piece)]).toEqual([2, 2, [5, 6, 9, 10]]);
  });

  test.each([
    [0, 3, 2, [0, 1, 2, 3, 4, 5]],
    [1, 2, 3, [3, 0, 4, 1, 5, 2]],
    [2, 3, 2, [5, 4, 3, 2, 1, 0]],
    [3, 2, 3, [2, 5, 1, 4, 0, 3]],
  ])('is rotated by %i quarters, and its points back again', (quarters, width, height, pixels) => {
    const size = { width: 3, height: 2 };
    const turned = turn(draw(3, 2), quarters);
    expect([turned.width, turned.height, reds(turned)]).toEqual([width, height, pixels]);
    for (const [i, red] of pixels.entries()) {
      const middle = { x: (i % width) + 0.5, y: Math.floor(i / width) + 0.5 };
      expect(turnBack(middle, quarters, size)).toEqual({ x: (red % 3) + 0.5, y: Math.floor(red / 3) + 0.5 });
    }
  });

  test('is scaled down by averaging, and never up', () => {
    const picture = draw(4, 2);
    expect(reds(shrink(picture, 0.5))).toEqual([2, 4]);
    expect(shrink(picture, 1)).toBe(picture);
  });
});

test.each([
  ['in the end', () => undefined],
  [
    'even if that fails',
    () => {
      throw new Error('gone');
    },
  ],
])('overwrites the copy %s', async (_, then) => {
  const picture = draw(4, 2);
  let copy = picture;
  const looking = withCopy(picture, { share: 0.5, quarters: 1 }, async (given) => {
    copy = given;
    expect([given.width, given.height, reds(given)]).toEqual([1, 2, [2, 4]]);
    then();
  });
  await looking.catch(() => undefined);
  expect([...copy.data]).toEqual(new Array(8).fill(0));
  expect(reds(picture)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  await withCopy(picture, { share: 1, quarters: 0 }, async (given) => expect(given).toBe(picture));
  expect(reds(picture)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

describe('the region of a document', () => {
  const lines = [
    { x: 500, y: 700, width: 800, height: 20, angle: 0 },
    { x: 500, y: 740, width: 800, height: 20, angle: 0 },
  ];

  test('is the page above its lines, never below them', () => {
    const { region, maxFace, quarters } = findPageAbove(lines)!;
    expect(isInside(region, { x: 200, y: 400 })).toBe(true);
    expect(isInside(region, { x: 200, y: 150 })).toBe(false);
    expect(isInside(region, { x: 200, y: 720 })).toBe(false);
    expect(isInside(region, { x: 200, y: 900 })).toBe(false);
    expect(isInside(region, { x: 990, y: 400 })).toBe(false);
    expect([maxFace, quarters]).toEqual([800 * 0.42, 0]);
  });

  test('is below the lines in the picture if it is upside down', () => {
    const { region, quarters } = findPageAbove(lines.toReversed().map((line) => ({ ...line, angle: Math.PI })))!;
    expect(isInside(region, { x: 200, y: 900 })).toBe(true);
    expect(isInside(region, { x: 200, y: 400 })).toBe(false);
    expect(quarters).toBe(2);
  });

  test('rotates with the lines', () => {
    const standing = lines.map(({ x, y, ...line }) => ({ ...line, x: 1000 - y, y: x, angle: Math.PI / 2 }));
    const { region, quarters } = findPageAbove(standing)!;
    expect(isInside(region, { x: 600, y: 200 })).toBe(true);
    expect(isInside(region, { x: 100, y: 200 })).toBe(false);
    expect(quarters).toBe(3);
    const rotated = lines.map(({ x, y, ...line }) => ({ ...line, x: y, y: 1000 - x, angle: -Math.PI / 2 }));
    expect(findPageAbove(rotated)!.quarters).toBe(1);
  });

  test('is shorter on a card with three lines', () => {
    const three = [...lines, { ...lines[1]!, y: 780 }];
    expect(isInside(findPageAbove(three)!.region, { x: 500, y: 320 })).toBe(false);
    expect(isInside(findPageAbove(lines)!.region, { x: 500, y: 320 })).toBe(true);
  });

  test('is null without lines, and its bounding box stays within the picture', () => {
    expect(findPageAbove([])).toBeNull();
    expect(boundRegion(findPageAbove(lines)!.region, { width: 640, height: 480 })).toEqual({
      x: 36,
      y: 220,
      width: 604,
      height: 260,
    });
  });
});
