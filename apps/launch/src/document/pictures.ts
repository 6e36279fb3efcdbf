import { createFrame, type Frame } from '../face/index.ts';

/** The crop must lie within the picture. */
export function cutOut(
  { width: stride, data }: Frame,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): Frame {
  const out = new Uint8ClampedArray(width * height * 4);
  for (let row = 0; row < height; row += 1) {
    const from = ((y + row) * stride + x) * 4;
    out.set(data.subarray(from, from + width * 4), row * width * 4);
  }
  return createFrame(width, height, out);
}

/** Rotates clockwise by quarter turns. */
export function turn(frame: Frame, quarters: number): Frame {
  if (quarters === 0) return frame;
  const { width, height } = frame;
  const isFlat = quarters % 2 === 0;
  const from = new Uint32Array(frame.data.buffer, frame.data.byteOffset, width * height);
  const out = new Uint32Array(width * height);
  const turnedWidth = isFlat ? width : height;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const toX = quarters === 1 ? height - 1 - y : quarters === 2 ? width - 1 - x : y;
      const toY = quarters === 1 ? x : quarters === 2 ? height - 1 - y : width - 1 - x;
      out[toY * turnedWidth + toX] = from[y * width + x]!;
    }
  }
  return createFrame(turnedWidth, isFlat ? height : width, new Uint8ClampedArray(out.buffer));
}

/** Maps a point of a rotated picture back. `size`: size of the original picture. */
export function turnBack(
  { x, y }: { x: number; y: number },
  quarters: number,
  { width, height }: { width: number; height: number },
): { x: number; y: number } {
  if (quarters === 1) return { x: y, y: height - x };
  if (quarters === 2) return { x: width - x, y: height - y };
  return quarters === 3 ? { x: width - y, y: x } : { x, y };
}

/** Scales to this share of the sides, at most 1, by averaging. */
export function shrink(frame: Frame, share: number): Frame {
  const { width, height, data } = frame;
  const [toWidth, toHeight] = [Math.max(Math.round(width * share), 1), Math.max(Math.round(height * share), 1)];
  if (toWidth >= width) return frame;
  const out = new Uint8ClampedArray(toWidth * toHeight * 4);
  for (let y = 0; y < toHeight; y += 1) {
    const top = Math.floor((y * height) / toHeight);
    const bottom = Math.max(Math.ceil(((y + 1) * height) / toHeight), top + 1);
    for (let x = 0; x < toWidth; x += 1) {
      const left = Math.floor((x * width) / toWidth);
      const right = Math.max(Math.ceil(((x + 1) * width) / toWidth), left + 1);
      let [red, green, blue] = [0, 0, 0];
      for (let row = top; row < bottom; row += 1) {
        for (let at = (row * width + left) * 4; at < (row * width + right) * 4; at += 4) {
          red += data[at]!;
          green += data[at + 1]!;
          blue += data[at + 2]!;
        }
      }
      const count = (bottom - top) * (right - left);
      const to = (y * toWidth + x) * 4;
      out[to] = red / count;
      out[to + 1] = green / count;
      out[to + 2] = blue / count;
      out[to + 3] = 255;
    }
  }
  return createFrame(toWidth, toHeight, out);
}

/** Runs `look` on a scaled and rotated copy, and overwrites the copy afterwards. */
export async function withCopy<Result>(
  frame: Frame,
  { share, quarters }: { share: number; quarters: number },
  look: (copy: Frame) => Promise<Result>,
): Promise<Result> {
  const copies = [shrink(frame, share)];
  copies.push(turn(copies[0]!, quarters));
  try {
    return await look(copies[1]!);
  } finally {
    for (const copy of copies) if (copy !== frame) copy.data.fill(0);
  }
}
