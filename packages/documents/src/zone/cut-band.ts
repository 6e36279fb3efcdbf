// Cuts a line out of the full picture: straight, flat and in the recognizer's size.

import { type GrayImage, makeGray } from '../image/gray.ts';
import type { Quad } from '../image/homography.ts';
import { levelAt } from '../image/threshold.ts';
import { cutQuad } from '../image/warp.ts';
import { LINE_HEIGHT, LINE_WIDTH } from './alphabet.ts';
import { type Band, estimatePaper } from './measure-bands.ts';

/** Height of a digit in the line (capitals are 20 to 21), and margin before the first character. */
const DIGIT = 22.3;
const MARGIN = 36;
/** Includes paper around the line, which flattening needs. */
const TALL = 64;
const PAPER = 245;
const INK = 50;
/** Maximum gain for faint ink, so that noise does not become ink. */
const MAX_GAIN = 2.5;

export function cutBand(image: GrayImage, band: Band): GrayImage | null {
  const { from, to, heightFrom, heightTo } = band;
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  // The ends may differ in size, so the middle decides.
  const natural = (DIGIT * length) / ((heightFrom + heightTo) / 2);
  const width = Math.round(Math.min(LINE_WIDTH - MARGIN * 1.4, natural));
  // Even, because paper is estimated at half resolution.
  const used = Math.min(LINE_WIDTH, (width + MARGIN * 2) & ~1);
  const quad = surround(band, TALL / DIGIT / 2, MARGIN / width, (used - MARGIN) / width);
  const strip = cutQuad(image, quad, used, TALL);
  return strip === null ? null : flatten(strip);
}

/** Extends the band by `reach` heights, from `begin` to `end` in lengths of the line. */
function surround({ from, to, heightFrom, heightTo }: Band, reach: number, begin: number, end: number): Quad {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(x, y);
  // Perspective: evenly printed characters get closer as the line recedes, in proportion to the
  // height.
  const growth = heightTo / heightFrom;
  const at = (share: number, up: 1 | -1) => {
    const place = share / (share + (1 - share) * growth);
    const height = (heightFrom + (heightTo - heightFrom) * place) * reach * up;
    return { x: from.x + x * place + (y / length) * height, y: from.y + y * place - (x / length) * height };
  };
  return [at(-begin, 1), at(end, 1), at(end, -1), at(-begin, -1)];
}

/** Divides by the paper's brightness, enhances faint ink, and puts the middle rows on white. */
function flatten(strip: GrayImage): GrayImage {
  const paper = estimatePaper(strip);
  const line = makeGray(LINE_WIDTH, LINE_HEIGHT);
  line.data.fill(PAPER);
  const above = (TALL - LINE_HEIGHT) / 2;
  const counts = new Int32Array(256);
  for (let y = 0; y < LINE_HEIGHT; y += 1) {
    const row = ((y + above) >> 1) * paper.width;
    for (let x = 0, from = (y + above) * strip.width; x < strip.width; x += 1, from += 1) {
      const value = Math.min(255, (strip.data[from]! * PAPER) / Math.max(1, paper.data[row + (x >> 1)]!)) | 0;
      line.data[y * LINE_WIDTH + x] = value;
      counts[value] = counts[value]! + 1;
    }
  }
  const ink = levelAt(counts, 0.04);
  const gain = Math.min(MAX_GAIN, Math.max(1, (PAPER - INK) / Math.max(1, PAPER - ink)));
  if (gain === 1) return line;
  for (let i = 0; i < line.data.length; i += 1) {
    const value = PAPER + (line.data[i]! - PAPER) * gain;
    line.data[i] = value < 0 ? 0 : value > 255 ? 255 : value;
  }
  return line;
}
