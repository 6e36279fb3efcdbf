// What to show a barcode reader in turn: a reader of stacked codes wants their rows level and their bars clean.
import { boxBlur } from '../image/blur.ts';
import type { GrayImage } from '../image/gray.ts';
import type { Homography } from '../image/homography.ts';
import { cutQuad, warp } from '../image/warp.ts';
import { type Corners, findCard } from './find-card.ts';

/** A code fails from 3° on (measured), so steps of half of that leave nothing out. */
const STEP_DEGREES = 1.5;
const STEPS = 6;
/** Long by short side of a card, in print. */
const ASPECT = 85.6 / 53.98;
/** Where bars are hardly wider than a pixel it is luck which size is read: three sizes are three chances. */
const WIDTHS = [1100, 1600, 900];

/**
 * The rectified card first, if an outline is seen, as it is and slightly blurred, which joins bars that noise has
 * broken; then the picture as it is, then turned by up to 9° either way, then all of these blurred. At most 32 views,
 * each made when it is asked for.
 */
export function* barcodeViews(image: GrayImage): Generator<GrayImage> {
  const corners = findCard(image);
  for (const width of corners === null ? [] : WIDTHS) {
    const card = rectify(image, corners!, width);
    if (card === null) break;
    yield card;
    yield boxBlur(card, 1);
  }
  yield image;
  for (const degrees of turns()) yield turn(image, degrees);
  yield boxBlur(image, 1);
  for (const degrees of turns()) yield boxBlur(turn(image, degrees), 1);
}

function* turns(): Generator<number> {
  for (let step = 1; step <= STEPS; step += 1) {
    yield step * STEP_DEGREES;
    yield -step * STEP_DEGREES;
  }
}

/** Lying, whichever way it is held: readers find codes upside down, but not standing on end. */
function rectify(image: GrayImage, corners: Corners, width: number): GrayImage | null {
  const [a, b, c, d] = corners;
  const across = Math.hypot(b.x - a.x, b.y - a.y) + Math.hypot(c.x - d.x, c.y - d.y);
  const down = Math.hypot(d.x - a.x, d.y - a.y) + Math.hypot(c.x - b.x, c.y - b.y);
  return cutQuad(image, across >= down ? [a, b, c, d] : [d, a, b, c], width, Math.round(width / ASPECT));
}

/** About its middle, in its own size: what is in the corners is no barcode. */
function turn(image: GrayImage, degrees: number): GrayImage {
  const [x, y] = [image.width / 2, image.height / 2];
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const map: Homography = Float64Array.of(
    cosine,
    -sine,
    x - cosine * x + sine * y,
    sine,
    cosine,
    y - sine * x - cosine * y,
    0,
    0,
    1,
  );
  return warp(image, map, image.width, image.height);
}
