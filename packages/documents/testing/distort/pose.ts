// Where a camera stands: from its pixels to millimetres on the table, and back.

export interface Pose {
  /** Degrees: tipped back, turned sideways, rolled in the picture. */
  readonly tilt: readonly [number, number, number];
  /** The document's centre from the middle of the frame, in millimetres. */
  readonly shift: readonly [number, number];
  /** From the camera to the document's centre, and the focal length in pixels. */
  readonly distance: number;
  readonly focal: number;
}

/** Nine numbers, row by row. */
export type Projection = Float64Array;

/** Millimetres on the table (the document's centre is 0, 0) to pixels. */
export function project({ tilt, shift, distance, focal }: Pose, width: number, height: number): Projection {
  const [a, b, c] = tilt.map((degrees) => (degrees * Math.PI) / 180) as [number, number, number];
  const [sa, ca, sb, cb, sc, cc] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b), Math.sin(c), Math.cos(c)];
  // Roll first, then sideways, then back: the first two columns of the rotation are all a plane needs.
  const [x0, x1] = [cb * cc, -cb * sc];
  const [y0, y1] = [ca * sc + sa * sb * cc, ca * cc - sa * sb * sc];
  const [z0, z1] = [sa * sc - ca * sb * cc, sa * cc + ca * sb * sc];
  const [cx, cy] = [width / 2, height / 2];
  return Float64Array.of(
    focal * x0 + cx * z0,
    focal * x1 + cx * z1,
    focal * shift[0] + cx * distance,
    focal * y0 + cy * z0,
    focal * y1 + cy * z1,
    focal * shift[1] + cy * distance,
    z0,
    z1,
    distance,
  );
}

export function invert(m: Projection): Projection {
  const [a, b, c, d, e, f, g, h, i] = m as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  const cofactors = [
    e * i - f * h,
    c * h - b * i,
    b * f - c * e,
    f * g - d * i,
    a * i - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ];
  return Float64Array.from(cofactors, (value) => value / determinant);
}

export function applyTo(m: Projection, x: number, y: number): [number, number] {
  const z = m[6]! * x + m[7]! * y + m[8]!;
  return [(m[0]! * x + m[1]! * y + m[2]!) / z, (m[3]! * x + m[4]! * y + m[5]!) / z];
}

/** The farthest that `points` reach from the middle of the frame, as parts of half its width and height. */
export function measureReach(
  m: Projection,
  points: readonly (readonly [number, number])[],
  width: number,
  height: number,
) {
  let reach = 0;
  for (const [x, y] of points) {
    const [px, py] = applyTo(m, x, y);
    reach = Math.max(reach, Math.abs(px / (width / 2) - 1), Math.abs(py / (height / 2) - 1));
  }
  return reach;
}
