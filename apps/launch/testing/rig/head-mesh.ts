// A 3D head from the landmarks of a portrait, with manually defined depths.

import { averagePoints, type Box, LANDMARKS, LEFT_EYE, type Points, RIGHT_EYE } from '@limen/face-geometry';
import { type Triangle, triangulate } from './triangulate.ts';

export interface HeadMesh {
  /** x and y of each point in the portrait: landmarks, forehead, hair and border. */
  flat: Float64Array;
  /** Depth toward the viewer in pixels. Border points do not move. */
  depths: Float64Array;
  movable: number;
  triangles: Triangle[];
  lids: LidMotion[];
  /** Center of rotation. */
  pivot: { x: number; y: number; z: number };
  /** Pixels between the eyes. */
  unit: number;
}

/** Points that move from one landmark to the other when the eye closes. */
export interface LidMotion {
  upper: number;
  lower: number;
  points: number[];
}

/** Pairs of upper and lower lid landmarks. */
const LIDS = [
  [LEFT_EYE.lids[0], LEFT_EYE.lids[3]],
  [LEFT_EYE.lids[1], LEFT_EYE.lids[2]],
  [RIGHT_EYE.lids[0], RIGHT_EYE.lids[3]],
  [RIGHT_EYE.lids[1], RIGHT_EYE.lids[2]],
] as const;

/** In distances between the eyes, relative to the corners of the eyes. */
const JAW = [-1, -0.85, -0.66, -0.45, -0.24, -0.04, 0.12, 0.2, 0.24];
const BROW = [-0.2, 0.02, 0.14, 0.2, 0.22];
const NOSE = [0.18, 0.34, 0.5, 0.62, 0.26, 0.34, 0.39, 0.34, 0.26];
const EYE = [-0.08, 0.03, 0.06, 0.03, 0.06, 0.03];
const OUTER_LIPS = [0.14, 0.3, 0.4, 0.42, 0.4, 0.3, 0.14, 0.27, 0.35, 0.38, 0.35, 0.27];
const INNER_LIPS = [0.17, 0.35, 0.38, 0.35, 0.17, 0.34, 0.36, 0.34];
const DEPTHS = [
  ...[...JAW, ...JAW.slice(0, -1).reverse()],
  ...[...BROW, ...BROW.toReversed()],
  ...NOSE,
  ...EYE,
  ...[3, 2, 1, 0, 5, 4].map((i) => EYE[i]!),
  ...OUTER_LIPS,
  ...INNER_LIPS,
];
/** Forehead and hairline above each point of the brows: height, and depth backwards. */
const FOREHEAD = [
  [0.55, 0.04],
  [1.05, 0.4],
] as const;
/** Upper lid and brow. The row between them moves with the lid; a crease stays. */
const CREASES = [
  [37, 19],
  [38, 20],
  [43, 23],
  [44, 24],
] as const;
const LASH_SHARE = 0.18;
const CREASE_SHARE = 0.5;
/** Ears and hair around jaw and hairline. */
const RING = { size: 1.22, depth: -1.05 };
const PIVOT = { down: 0.5, depth: -0.8 };
const BORDER_POINTS_PER_SIDE = 8;

export function buildHeadMesh(landmarks: Points, within: Box, depth = 1): HeadMesh {
  const [leftX, leftY] = averagePoints(landmarks, LEFT_EYE.lids);
  const [rightX, rightY] = averagePoints(landmarks, RIGHT_EYE.lids);
  const unit = Math.hypot(rightX - leftX, rightY - leftY);
  const up = { x: (rightY - leftY) / unit, y: -(rightX - leftX) / unit };
  const middle = { x: (leftX + rightX) / 2, y: (leftY + rightY) / 2 };

  const flat: number[] = Array.from(landmarks);
  const depths = DEPTHS.map((share) => share * depth);
  const add = (x: number, y: number, z: number) => {
    // Points beyond the picture would leave a hole at its edge.
    flat.push(Math.min(Math.max(x, within.x + 3), within.x + within.width - 3));
    flat.push(Math.min(Math.max(y, within.y + 3), within.y + within.height - 3));
    depths.push(z);
  };
  for (const [height, back] of FOREHEAD)
    for (let brow = 17; brow < 27; brow += 1) {
      const [x, y] = [landmarks[brow * 2]!, landmarks[brow * 2 + 1]!];
      add(x + up.x * height * unit, y + up.y * height * unit, (DEPTHS[brow]! - back) * depth);
    }
  const lids: LidMotion[] = LIDS.map(([upper, lower]) => ({ upper, lower, points: [upper] }));
  for (const [lid, brow] of CREASES) {
    const between = (axis: 0 | 1, share: number) =>
      landmarks[lid * 2 + axis]! * (1 - share) + landmarks[brow * 2 + axis]! * share;
    lids.find(({ upper }) => upper === lid)!.points.push(depths.length);
    for (const share of [LASH_SHARE, CREASE_SHARE]) add(between(0, share), between(1, share), DEPTHS[lid]! * depth);
  }
  const hairline = Array.from({ length: 10 }, (_, i) => LANDMARKS + 10 + i);
  for (const point of [...Array.from({ length: 17 }, (_, i) => i), ...hairline]) {
    const [x, y] = [flat[point * 2]!, flat[point * 2 + 1]!];
    add(middle.x + (x - middle.x) * RING.size, middle.y + (y - middle.y) * RING.size, RING.depth * depth);
  }
  const movable = depths.length;
  for (let i = 0; i < BORDER_POINTS_PER_SIDE; i += 1) {
    const share = i / BORDER_POINTS_PER_SIDE;
    const { x, y, width, height } = within;
    flat.push(x + share * width, y, x + width, y + share * height);
    flat.push(x + width - share * width, y + height, x, y + height - share * height);
    depths.push(-2, -2, -2, -2);
  }

  return {
    flat: Float64Array.from(flat),
    depths: Float64Array.from(depths, (share) => share * unit),
    movable,
    triangles: triangulate(flat),
    lids,
    pivot: {
      x: middle.x - up.x * PIVOT.down * unit,
      y: middle.y - up.y * PIVOT.down * unit,
      z: PIVOT.depth * unit,
    },
    unit,
  };
}
