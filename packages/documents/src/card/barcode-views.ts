// Views of a picture for a barcode reader, which needs horizontal rows and clean bars.
import { boxBlur } from '../image/blur.ts';
import type { GrayImage } from '../image/gray.ts';
import type { Homography } from '../image/homography.ts';
import { cutQuad, warp } from '../image/warp.ts';
import { type Corners, findCard } from './find-card.ts';

/** Aspect ratio of a card. */
const ASPECT = 85.6 / 53.98;
/** If bars are hardly wider than a pixel, reading depends on the size, so try three. */
const WIDTHS = [1100, 1600, 900];
/** Codes fail from 3° on (measured). The steps in between close the gaps. */
const TURNS = [0, 3, -3, 6, -6, 9, -9, 1.5, -1.5, 4.5, -4.5, 7.5, -7.5];

type View = (image: GrayImage) => GrayImage | null;

const PLAIN: readonly View[] = [
  ...TURNS.map((degrees) => (image: GrayImage) => turn(image, degrees)),
  ...TURNS.map((degrees) => (image: GrayImage) => boxBlur(turn(image, degrees), 1)),
];

/**
 * Yields the rectified card, if there is an outline, plain and slightly blurred, which joins broken
 * bars. Alternates with the picture as it is, then rotated by up to 9°, then blurred. At most 32
 * distinct views, created on demand. `from`: number of views used for earlier frames. Finds the
 * outline if none is given.
 */
export function* barcodeViews(
  image: GrayImage,
  corners: Corners | null = findCard(image),
  from = 0,
): Generator<GrayImage> {
  const straight = corners === null ? [] : straightViews(corners);
  let [ofStraight, ofPlain] = straight.length > 0 ? [Math.ceil(from / 2), Math.floor(from / 2)] : [0, from];
  const [endOfStraight, endOfPlain] = [ofStraight + straight.length, ofPlain + PLAIN.length];
  for (let i = from; ofStraight < endOfStraight || ofPlain < endOfPlain; i += 1) {
    const isStraight = ofPlain === endOfPlain || (ofStraight < endOfStraight && i % 2 === 0);
    const view = isStraight ? straight[ofStraight % straight.length]! : PLAIN[ofPlain % PLAIN.length]!;
    if (isStraight) ofStraight += 1;
    else ofPlain += 1;
    const made = view(image);
    if (made !== null) yield made;
  }
}

function straightViews(corners: Corners): View[] {
  return WIDTHS.flatMap((width): View[] => [
    (image) => rectify(image, corners, width),
    (image) => {
      const card = rectify(image, corners, width);
      return card && boxBlur(card, 1);
    },
  ]);
}

/** Landscape in either orientation: readers find upside-down codes, but not vertical ones. */
function rectify(image: GrayImage, corners: Corners, width: number): GrayImage | null {
  const [a, b, c, d] = corners;
  const across = Math.hypot(b.x - a.x, b.y - a.y) + Math.hypot(c.x - d.x, c.y - d.y);
  const down = Math.hypot(d.x - a.x, d.y - a.y) + Math.hypot(c.x - b.x, c.y - b.y);
  return cutQuad(image, across >= down ? [a, b, c, d] : [d, a, b, c], width, Math.round(width / ASPECT));
}

/** Rotates around the middle without resizing. Barcodes are not in the corners. */
function turn(image: GrayImage, degrees: number): GrayImage {
  if (degrees === 0) return image;
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
