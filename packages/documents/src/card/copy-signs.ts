// Detects signs of a screen or photocopy in place of a document. Hints, never proof.
import type { Picture } from '../image/gray.ts';
import type { Box } from './box.ts';
import { measureColorGrid } from './colour-grid.ts';
import type { Corner } from './find-card.ts';

export type CopySign = 'screen' | 'photocopy';

/** Judges one frame. Single frames err, so callers take the majority of several. */
export function findCopySigns(picture: Picture, corners: readonly Corner[] | null): CopySign[] {
  const box = chooseBox(picture, corners);
  const signs: CopySign[] = [];
  if ((measureColorGrid(picture, box) ?? 0) > LEAST_GRID) signs.push('screen');
  else if (measureColor(picture, box) < LEAST_COLOR) signs.push('photocopy');
  return signs;
}

// Measured on 141 specimens on screens and 173 originals: 52 of the former exceed the first limit,
// and 3 of the latter, all with a rainbow foil. Photocopies have a color of 2 to 3, others 15 or
// more. Color copies and fine screens show neither sign.
const LEAST_GRID = 0.21;
const LEAST_COLOR = 8;

/** Returns the upright rectangle inside the corners; without corners, the middle of the picture. */
function chooseBox({ width, height }: Picture, corners: readonly Corner[] | null): Box {
  const inner = corners?.length === 4 ? innerBox(corners, width, height) : null;
  if (inner && inner.right - inner.left > width / 5 && inner.bottom - inner.top > height / 8) return inner;
  return {
    left: Math.round(width * 0.2),
    right: Math.round(width * 0.8),
    top: Math.round(height * 0.2),
    bottom: Math.round(height * 0.8),
  };
}

function innerBox(corners: readonly Corner[], width: number, height: number): Box {
  const xs = corners.map(({ x }) => x).sort((a, b) => a - b);
  const ys = corners.map(({ y }) => y).sort((a, b) => a - b);
  return {
    left: Math.max(0, Math.ceil(xs[1]!)),
    right: Math.min(width, Math.floor(xs[2]!)),
    top: Math.max(0, Math.ceil(ys[1]!)),
    bottom: Math.min(height, Math.floor(ys[2]!)),
  };
}

const BLOCK = 6;

/** Returns the distance from gray of the most colorful twentieth of all blocks, of 255. */
function measureColor(picture: Picture, { left, top, right, bottom }: Box): number {
  const columns = Math.floor((right - left) / BLOCK);
  const rows = Math.floor((bottom - top) / BLOCK);
  const count = columns * rows;
  if (count < 50) return 255;
  const reds = new Float32Array(count);
  const greens = new Float32Array(count);
  const blues = new Float32Array(count);
  for (let row = 0, i = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, i += 1) {
      let [red, green, blue] = [0, 0, 0];
      for (let y = 0; y < BLOCK; y += 1) {
        let at = ((top + row * BLOCK + y) * picture.width + left + column * BLOCK) * 4;
        for (let x = 0; x < BLOCK; x += 1, at += 4) {
          red += picture.data[at]!;
          green += picture.data[at + 1]!;
          blue += picture.data[at + 2]!;
        }
      }
      reds[i] = red / BLOCK / BLOCK;
      greens[i] = green / BLOCK / BLOCK;
      blues[i] = blue / BLOCK / BLOCK;
    }
  }
  const [red, green, blue] = [measureWhite(reds), measureWhite(greens), measureWhite(blues)];
  const colors = new Float32Array(count);
  for (let i = 0; i < count; i += 1) {
    const a = (reds[i]! / red) * 255;
    const b = (greens[i]! / green) * 255;
    const c = (blues[i]! / blue) * 255;
    colors[i] = Math.max(a, b, c) - Math.min(a, b, c);
  }
  return colors.sort()[Math.floor(count * 0.95)]!;
}

/** Brightness of paper: brighter than nine of ten blocks. */
function measureWhite(values: Float32Array): number {
  return Math.max(1, values.toSorted()[Math.floor(values.length * 0.9)]!);
}
