// Resizes a picture by averaging the covered pixels.

import type { Picture } from '../../src/image/gray.ts';

export interface Reduced {
  readonly width: number;
  readonly height: number;
  /** Premultiplied red, green and blue, and coverage, 0 to 255. */
  readonly data: Float32Array;
}

/** New pixel `i` covers old pixels from `from + i * step` for one step. */
export interface Ruling {
  readonly from: number;
  readonly step: number;
  readonly count: number;
}

export function reducePicture(picture: Picture, across: Ruling, down: Ruling): Reduced {
  const width = across.count;
  const narrow = new Float32Array(width * picture.height * 4);
  const { data } = picture;
  const shares = listShares(across, picture.width);
  for (let row = 0; row < picture.height; row += 1) {
    let next = 0;
    for (let column = 0; column < width; column += 1) {
      const to = (row * width + column) * 4;
      const first = Math.max(0, Math.floor(across.from + column * across.step));
      const last = Math.min(picture.width, Math.ceil(across.from + (column + 1) * across.step));
      let from = (row * picture.width + first) * 4;
      for (let x = first; x < last; x += 1) {
        const cover = data[from + 3]! * shares[next]!;
        narrow[to]! += data[from]! * cover;
        narrow[to + 1]! += data[from + 1]! * cover;
        narrow[to + 2]! += data[from + 2]! * cover;
        narrow[to + 3]! += 255 * cover;
        from += 4;
        next += 1;
      }
    }
  }
  const reduced = new Float32Array(width * down.count * 4);
  for (let row = 0; row < down.count; row += 1) {
    const top = Math.max(0, down.from + row * down.step);
    const bottom = Math.min(picture.height, down.from + (row + 1) * down.step);
    for (let y = Math.floor(top); y < bottom; y += 1) {
      const share = (Math.min(bottom, y + 1) - Math.max(top, y)) / down.step;
      const [from, to] = [y * width * 4, row * width * 4];
      for (let i = 0; i < width * 4; i += 1) reduced[to + i]! += narrow[from + i]! * share;
    }
  }
  return { width, height: down.count, data: reduced };
}

/** Weights of the old pixels for each new one, in order, for coverage of 0 to 255. */
function listShares({ from, step, count }: Ruling, length: number): Float32Array {
  const shares: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const [left, right] = [from + i * step, from + (i + 1) * step];
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(length, Math.ceil(right)); x += 1)
      shares.push((Math.min(right, x + 1) - Math.max(left, x)) / step / 255);
  }
  return Float32Array.from(shares);
}
