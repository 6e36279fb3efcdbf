// Gray-level closing and opening with rectangles, in time independent of their size (van Herk and
// Gil-Werman).
import { type GrayImage, makeGray } from './gray.ts';

/** Fills dark areas narrower or lower than the rectangle. Sides are odd. */
export function close(image: GrayImage, across: number, down: number): GrayImage {
  return spread(spread(image, across, down, BRIGHTEST), across, down, DARKEST);
}

/** Removes bright areas narrower or lower than the rectangle. Sides are odd. */
export function open(image: GrayImage, across: number, down: number): GrayImage {
  return spread(spread(image, across, down, DARKEST), across, down, BRIGHTEST);
}

/** Returns dark areas on brighter ground that are smaller than the rectangle, as brightness. */
export function blackhat(image: GrayImage, across: number, down: number): GrayImage {
  const closed = close(image, across, down);
  const out = closed.data;
  for (let i = 0; i < out.length; i += 1) out[i] = out[i]! - image.data[i]!;
  return closed;
}

// The minimum of bytes is the maximum of their complements, so one loop serves both. `more & ~(more
// >> 31)` is a branchless max(more, 0), because branches on noise are mispredicted.
const BRIGHTEST = 0;
const DARKEST = 255;

function spread(image: GrayImage, across: number, down: number, mask: number): GrayImage {
  const rows = spreadAcross(image, across, mask);
  return down > 1 ? spreadDown(rows, down, mask) : rows;
}

function spreadAcross(image: GrayImage, side: number, mask: number): GrayImage {
  const { width, height, data } = image;
  const out = makeGray(width, height);
  const reach = side >> 1;
  const length = Math.ceil((width + reach * 2) / side) * side;
  const before = new Uint8Array(length);
  const after = new Uint8Array(length);
  const padded = new Uint8Array(length);
  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    for (let x = 0; x < width; x += 1) padded[x + reach] = data[row + x]! ^ mask;
    for (let block = 0; block < length; block += side) {
      let most = 0;
      for (let x = block; x < block + side; x += 1) {
        const more = padded[x]! - most;
        most += more & ~(more >> 31);
        before[x] = most;
      }
      most = 0;
      for (let x = block + side - 1; x >= block; x -= 1) {
        const more = padded[x]! - most;
        most += more & ~(more >> 31);
        after[x] = most;
      }
    }
    for (let x = 0; x < width; x += 1) {
      const a = after[x]!;
      const more = before[x + side - 1]! - a;
      out.data[row + x] = (a + (more & ~(more >> 31))) ^ mask;
    }
  }
  return out;
}

/** Row by row for cache locality: each block from its end, then the next from its start. */
function spreadDown(image: GrayImage, side: number, mask: number): GrayImage {
  const { width, height } = image;
  const out = makeGray(width, height);
  const reach = side >> 1;
  const after = new Uint8Array(side * width);
  const before = new Uint8Array(width);
  for (let block = 0; block < height; block += side) {
    for (let j = side - 1; j >= 0; j -= 1) {
      const own = after.subarray(j * width, (j + 1) * width);
      if (j === side - 1) own.fill(0);
      else own.set(after.subarray((j + 1) * width, (j + 2) * width));
      raise(own, image, block + j - reach, mask);
    }
    before.fill(0);
    for (let j = 0; j < side && block + j < height; j += 1) {
      if (j > 0) raise(before, image, block + side + j - 1 - reach, mask);
      const row = (block + j) * width;
      const own = j * width;
      for (let x = 0; x < width; x += 1) {
        const a = after[own + x]!;
        const more = before[x]! - a;
        out.data[row + x] = (a + (more & ~(more >> 31))) ^ mask;
      }
    }
  }
  return out;
}

/** Merges row `y` into the maxima; rows outside are ignored. */
function raise(maxima: Uint8Array, image: GrayImage, y: number, mask: number): void {
  if (y < 0 || y >= image.height) return;
  const { width, data } = image;
  const row = y * width;
  for (let x = 0; x < width; x += 1) {
    const most = maxima[x]!;
    const more = (data[row + x]! ^ mask) - most;
    maxima[x] = most + (more & ~(more >> 31));
  }
}
