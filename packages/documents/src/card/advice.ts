// Returns the most urgent obstacle to reading a document, if any.

import { findComponents } from '../image/components.ts';
import { type GrayImage, makeGray } from '../image/gray.ts';
import { blackhat } from '../image/morphology.ts';
import { shrinkToWidth } from '../image/resize.ts';
import { countLevels, levelAt } from '../image/threshold.ts';
import type { Box } from './box.ts';
import { type Corners, findCard } from './find-card.ts';

/** Change over four blurred pixels that counts as an edge, far above residual noise. */
const LEAST_CHANGE = 18;
const LEAST_EDGES = 300;

/** Returns about 0.6 for a sharp picture; null if there are hardly any edges. */
function measureSharpness(image: GrayImage, { left, top, right, bottom }: Box): number | null {
  const { width, data } = image;
  if (right - left < 20) return null;
  const blurred = new Float32Array(right - left);
  let [edges, own, after] = [0, 0, 0];
  for (let y = top; y < bottom; y += 3) {
    const row = y * width + left;
    for (let x = 2; x < blurred.length - 2; x += 1) {
      const at = row + x;
      blurred[x] = (data[at - 2]! + data[at - 1]! + data[at]! + data[at + 1]! + data[at + 2]!) / 5;
    }
    for (let x = 4; x < blurred.length - 4; x += 1) {
      const wide = blurred[x + 2]! - blurred[x - 2]!;
      if (wide < LEAST_CHANGE && wide > -LEAST_CHANGE) continue;
      const sharp = data[row + x + 1]! - data[row + x - 1]!;
      const soft = blurred[x + 1]! - blurred[x - 1]!;
      edges += 1;
      own += sharp * sharp;
      after += soft * soft;
    }
  }
  return edges < LEAST_EDGES || own === 0 ? null : 1 - after / own;
}

/** Sensors and compression rarely produce exactly 255. */
const BURNT = 249;
const STEP = 4;

/** Returns the largest burnt-out spot as a share of the box. White paper does not count. */
function measureGlare(image: GrayImage, { left, top, right, bottom }: Box): number {
  const small = makeGray(
    Math.max(1, Math.floor((right - left) / STEP)),
    Math.max(1, Math.floor((bottom - top) / STEP)),
  );
  let burnt = 0;
  for (let y = 0, i = 0; y < small.height; y += 1) {
    for (let x = 0; x < small.width; x += 1, i += 1) {
      const at = (top + y * STEP) * image.width + left + x * STEP;
      // Two pixels per block suffice, because print within glare is burnt out too.
      const value = Math.min(image.data[at]!, image.data[at + (STEP >> 1) * (image.width + 1)] ?? 0);
      small.data[i] = value;
      if (value > BURNT) burnt += 1;
    }
  }
  const area = small.width * small.height;
  if (burnt > area * 0.6) return 0;
  let largest = 0;
  for (const spot of findComponents(small, BURNT, 8)) largest = Math.max(largest, spot.area);
  return largest / area;
}

export type DocumentAdvice = 'none_seen' | 'closer' | 'farther' | 'edges' | 'glare' | 'blur' | 'dark';

/** Too dark to distinguish ink. Readable specimens in dim light have 48 or more. */
const DARKEST = 42;
/** Minimum pixels of the longer side, at which capitals are about 10 px high. */
const LEAST_LENGTH = { page: 540, card: 400 };
/** Share of the frame to fill if it has fewer pixels. */
const LARGEST_SHARE = 0.8;
/** Share of the picture's width. */
const BORDER = 0.006;
/** Readable specimens blurred by 1.5 px have 0.34 or more. */
const LEAST_SHARPNESS = 0.22;
/** Share of the document's area, in one spot. */
const MOST_GLARE = 0.012;
/** Minimum share of the picture with small dark strokes. An empty table has less. */
const LEAST_PRINT = 0.012;

/** Returns null if the document is readable. Finds the outline if none is given. */
export function adviseOn(image: GrayImage, looking: 'page' | 'card', outline?: Corners | null): DocumentAdvice | null {
  const small = shrinkToWidth(image, 320);
  if (levelAt(countLevels(small), 0.9) < DARKEST) return 'dark';
  const corners = outline === undefined ? findCard(image) : outline;
  const print = measurePrint(small);
  if (corners === null && print.share < LEAST_PRINT) return 'none_seen';
  const distance = corners === null ? (print.touchesBorder ? 'edges' : null) : judgeDistance(image, corners, looking);
  if (distance !== null) return distance;
  const box = chooseBox(image, corners);
  const sharpness = measureSharpness(image, box);
  if (sharpness !== null && sharpness < LEAST_SHARPNESS) return 'blur';
  return measureGlare(image, box) > MOST_GLARE ? 'glare' : null;
}

function judgeDistance(image: GrayImage, corners: Corners, looking: 'page' | 'card'): DocumentAdvice | null {
  const { width, height } = image;
  const border = width * BORDER;
  const touches = corners.filter(
    ({ x, y }) => x < border || y < border || x > width - border || y > height - border,
  ).length;
  if (touches >= 2) return 'farther';
  if (touches === 1) return 'edges';
  const sides = corners.map((corner, i) => {
    const next = corners[(i + 1) % 4]!;
    return Math.hypot(next.x - corner.x, next.y - corner.y);
  });
  const lying = sides[0]! + sides[2]! > sides[1]! + sides[3]!;
  const length = (lying ? sides[0]! + sides[2]! : sides[1]! + sides[3]!) / 2;
  const least = Math.min(LEAST_LENGTH[looking], (lying ? width : height) * LARGEST_SHARE);
  return length < least ? 'closer' : null;
}

/** Measures small dark strokes along x, and whether the border cuts them off. */
function measurePrint(small: GrayImage): { share: number; touchesBorder: boolean } {
  const { width, height, data } = blackhat(small, 9, 1);
  const [marginX, marginY] = [Math.round(width * 0.03), Math.round(height * 0.04)];
  let [all, outer] = [0, 0];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (data[y * width + x]! < 30) continue;
      all += 1;
      if (x < marginX || y < marginY || x >= width - marginX || y >= height - marginY) outer += 1;
    }
  }
  const margin = width * height - (width - marginX * 2) * (height - marginY * 2);
  return { share: all / (width * height), touchesBorder: outer / margin > LEAST_PRINT * 2 };
}

function chooseBox({ width, height }: GrayImage, corners: Corners | null): Box {
  if (corners === null)
    return { left: width >> 2, right: width - (width >> 2), top: height >> 2, bottom: height - (height >> 2) };
  const xs = corners.map(({ x }) => x);
  const ys = corners.map(({ y }) => y);
  return {
    left: Math.max(0, Math.floor(Math.min(...xs))),
    right: Math.min(width, Math.ceil(Math.max(...xs))),
    top: Math.max(0, Math.floor(Math.min(...ys))),
    bottom: Math.min(height, Math.ceil(Math.max(...ys))),
  };
}
