import { describe, expect, test } from 'vitest';
import { createFrame } from '../face/index.ts';
import { cutOut, shrink, turn, turnBack } from './pictures.ts';
import { boxAround, findPageBeside, isInside } from './region.ts';

/** Each pixel has a red of its own. */
function draw(width: number, height: number) {
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i += 1) data[i * 4] = i;
  return createFrame(width, height, data);
}
const reds = ({ data }: { data: Uint8ClampedArray }) => [...data].filter((_, i) => i % 4 === 0);

describe('a picture', () => {
  test('is cut', () => {
    const piece = cutOut(draw(4, 3), { x: 1, y: 1, width: 2, height: 2 });
    expect([piece.width, piece.height, reds(piece)]).toEqual([2, 2, [5, 6, 9, 10]]);
  });

  test.each([
    [0, 3, 2, [0, 1, 2, 3, 4, 5]],
    [1, 2, 3, [3, 0, 4, 1, 5, 2]],
    [2, 3, 2, [5, 4, 3, 2, 1, 0]],
    [3, 2, 3, [2, 5, 1, 4, 0, 3]],
  ])('is turned by %i quarters, and its points back again', (quarters, width, height, pixels) => {
    const size = { width: 3, height: 2 };
    const turned = turn(draw(3, 2), quarters);
    expect([turned.width, turned.height, reds(turned)]).toEqual([width, height, pixels]);
    for (const [i, red] of pixels.entries()) {
      const middle = { x: (i % width) + 0.5, y: Math.floor(i / width) + 0.5 };
      expect(turnBack(middle, quarters, size)).toEqual({ x: (red % 3) + 0.5, y: Math.floor(red / 3) + 0.5 });
    }
  });

  test('is made smaller by means, and never larger', () => {
    const picture = draw(4, 2);
    expect(reds(shrink(picture, 0.5))).toEqual([2, 4]);
    expect(shrink(picture, 1)).toBe(picture);
  });
});

describe('where the document is', () => {
  const lines = [
    { x: 500, y: 700, width: 800, height: 20, angle: 0 },
    { x: 500, y: 740, width: 800, height: 20, angle: 0 },
  ];

  test('is the page above its lines, or below them if it is upside down', () => {
    const [above, below] = findPageBeside(lines);
    expect(isInside(above!, { x: 200, y: 400 })).toBe(true);
    expect(isInside(above!, { x: 200, y: 150 })).toBe(false);
    expect(isInside(above!, { x: 200, y: 720 })).toBe(false);
    expect(isInside(below!, { x: 200, y: 900 })).toBe(true);
    expect(isInside(below!, { x: 200, y: 400 })).toBe(false);
    expect(isInside(above!, { x: 990, y: 400 })).toBe(false);
  });

  test('turns with the lines', () => {
    const standing = lines.map(({ x, y, ...line }) => ({ ...line, x: 1000 - y, y: x, angle: Math.PI / 2 }));
    const [above] = findPageBeside(standing);
    expect(isInside(above!, { x: 600, y: 200 })).toBe(true);
    expect(isInside(above!, { x: 100, y: 200 })).toBe(false);
  });

  test('is nowhere without lines, and a box around it stays within the picture', () => {
    expect(findPageBeside([])).toEqual([]);
    expect(boxAround(findPageBeside(lines)[0]!, { width: 640, height: 480 })).toEqual({
      ...{ x: 36, y: 220, width: 604, height: 260 },
    });
  });
});
