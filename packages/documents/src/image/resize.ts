// Scales down without losing thin strokes: each new pixel is the mean of the covered ones.
import { type GrayImage, makeGray } from './gray.ts';

/** Never enlarges. */
export function shrinkToWidth(image: GrayImage, width: number): GrayImage {
  if (image.width <= width) return image;
  return shrink(image, width, Math.max(1, Math.round((image.height * width) / image.width)));
}

function shrink(image: GrayImage, width: number, height: number): GrayImage {
  if (image.width === width * 2 && image.height === height * 2) return halve(image);
  const small = makeGray(width, height);
  const columns = planColumns(image.width, width);
  const down = image.height / height;
  const sums = new Float32Array(width);
  for (let y = 0; y < height; y += 1) {
    const top = y * down;
    const bottom = Math.min(image.height, top + down);
    sums.fill(0);
    for (let from = Math.floor(top); from < bottom; from += 1) {
      addRow(image, from, columns, (Math.min(bottom, from + 1) - Math.max(top, from)) / (bottom - top), sums);
    }
    for (let x = 0; x < width; x += 1) small.data[y * width + x] = sums[x]! + 0.5;
  }
  return small;
}

interface Columns {
  readonly first: Int32Array;
  readonly last: Int32Array;
  /** Weights of the first, the whole and the last covered pixel. */
  readonly firstShare: Float32Array;
  readonly wholeShare: number;
  readonly lastShare: Float32Array;
}

function planColumns(from: number, to: number): Columns {
  const across = from / to;
  const plan = {
    first: new Int32Array(to),
    last: new Int32Array(to),
    firstShare: new Float32Array(to),
    wholeShare: 1 / across,
    lastShare: new Float32Array(to),
  };
  for (let x = 0; x < to; x += 1) {
    const left = x * across;
    const right = Math.min(from, left + across);
    plan.first[x] = Math.floor(left);
    plan.last[x] = Math.min(from - 1, Math.floor(right));
    plan.firstShare[x] = (Math.floor(left) + 1 - left) / across;
    plan.lastShare[x] = (right - plan.last[x]!) / across;
  }
  return plan;
}

function addRow(image: GrayImage, y: number, columns: Columns, share: number, sums: Float32Array): void {
  const { data } = image;
  const { first, last, firstShare, wholeShare, lastShare } = columns;
  const start = y * image.width;
  for (let x = 0; x < sums.length; x += 1) {
    const end = start + last[x]!;
    let at = start + first[x]!;
    let sum = data[at]! * firstShare[x]! + data[end]! * lastShare[x]!;
    for (at += 1; at < end; at += 1) sum += data[at]! * wholeShare;
    sums[x] = sums[x]! + sum * share;
  }
}

/** Averages 2 × 2 pixels. */
export function halve(image: GrayImage): GrayImage {
  const small = makeGray(image.width >> 1, image.height >> 1);
  const { width, data } = image;
  const out = small.data;
  for (let y = 0, i = 0; y < small.height; y += 1) {
    for (let x = 0, from = y * 2 * width; x < small.width; x += 1, from += 2, i += 1) {
      out[i] = (data[from]! + data[from + 1]! + data[from + width]! + data[from + width + 1]! + 2) >> 2;
    }
  }
  return small;
}
