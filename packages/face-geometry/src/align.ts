// Aligns a face: the similarity that maps its five points closest to the positions that recognition
// models expect.
import { type Affine, invertAffine, type Points } from './geometry.ts';
import { takeFive } from './landmarks.ts';

export const ALIGNED_SIDE = 112;
/** Eye centers, nose and mouth corners in the 112 × 112 picture of embedding models. */
const EXPECTED = [38.2946, 51.6963, 73.5318, 51.5014, 56.0252, 71.7366, 41.5493, 92.3655, 70.7299, 92.2041];

/** Maps the aligned picture, `side` wide, to the frame. */
export function alignFace(landmarks: Points, side = ALIGNED_SIDE): Affine {
  const expected = EXPECTED.map((value) => (value * side) / ALIGNED_SIDE);
  return invertAffine(fitSimilarity(takeFive(landmarks), expected));
}

/** Fits the least-squares similarity (Umeyama), never a reflection. */
export function fitSimilarity(from: Points, to: Points): Affine {
  const count = from.length / 2;
  const [fromX, fromY] = findCenter(from);
  const [toX, toY] = findCenter(to);
  let [along, across, spread] = [0, 0, 0];
  for (let i = 0; i < count; i += 1) {
    const x = from[i * 2]! - fromX;
    const y = from[i * 2 + 1]! - fromY;
    const u = to[i * 2]! - toX;
    const v = to[i * 2 + 1]! - toY;
    along += x * u + y * v;
    across += x * v - y * u;
    spread += x * x + y * y;
  }
  // Coincident points have no rotation or scale.
  const a = spread > 0 ? along / spread : 0;
  const d = spread > 0 ? across / spread : 0;
  return { a, b: -d, c: toX - a * fromX + d * fromY, d, e: a, f: toY - d * fromX - a * fromY };
}

function findCenter(points: Points): [number, number] {
  let [x, y] = [0, 0];
  for (let i = 0; i < points.length; i += 2) {
    x += points[i]!;
    y += points[i + 1]!;
  }
  return [(x * 2) / points.length, (y * 2) / points.length];
}
