// Smooths with running means, in time independent of the window's size.
import { type GrayImage, makeGray } from './gray.ts';

/** Averages squares of `2 * reach + 1` pixels. Edge pixels repeat beyond the border. */
export function boxBlur(image: GrayImage, reach: number): GrayImage {
  if (reach < 1) return image;
  return blurDown(blurAcross(image, reach), reach);
}

function blurAcross(image: GrayImage, reach: number): GrayImage {
  const { width, height, data } = image;
  const out = makeGray(width, height);
  const scale = 1 / (reach * 2 + 1);
  const last = width - 1;
  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    let sum = data[row]! * (reach + 1);
    for (let x = 1; x <= reach; x += 1) sum += data[row + (x < last ? x : last)]!;
    for (let x = 0; x < width; x += 1) {
      out.data[row + x] = sum * scale + 0.5;
      const enters = x + reach + 1;
      const leaves = x - reach;
      sum += data[row + (enters < last ? enters : last)]! - data[row + (leaves > 0 ? leaves : 0)]!;
    }
  }
  return out;
}

function blurDown(image: GrayImage, reach: number): GrayImage {
  const { width, height, data } = image;
  const out = makeGray(width, height);
  const scale = 1 / (reach * 2 + 1);
  const last = height - 1;
  const sums = new Int32Array(width);
  for (let x = 0; x < width; x += 1) sums[x] = data[x]! * (reach + 1);
  for (let y = 1; y <= reach; y += 1) {
    const row = Math.min(y, last) * width;
    for (let x = 0; x < width; x += 1) sums[x] = sums[x]! + data[row + x]!;
  }
  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    const enters = Math.min(y + reach + 1, last) * width;
    const leaves = Math.max(y - reach, 0) * width;
    for (let x = 0; x < width; x += 1) {
      const sum = sums[x]!;
      out.data[row + x] = sum * scale + 0.5;
      sums[x] = sum + data[enters + x]! - data[leaves + x]!;
    }
  }
  return out;
}
