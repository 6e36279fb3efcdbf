// Position of a camera: maps between pixels and millimeters on the table.

export interface Pose {
  /** Degrees: backwards, sideways, and rotation in the picture. */
  readonly tilt: readonly [number, number, number];
  /** Offset of the document's center from the middle of the frame, in millimeters. */
  readonly shift: readonly [number, number];
  /** Distance to the document's center, and focal length in pixels. */
  readonly distance: number;
  readonly focal: number;
}

/** Nine numbers by rows. */
export type Projection = Float64Array;

/** Maps millimeters on the table (origin: the document's center) to pixels. */
export function project({ tilt, shift, distance, focal }: Pose, width: number, height: number): Projection {
  const [a, b, c] = tilt.map((degrees) => (degrees * Math.PI) / 180) as [number, number, number];
  const [sa, ca, sb, cb, sc, cc] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b), Math.sin(c), Math.cos(c)];
  // Rotations in the order roll, sideways, back. A plane only needs the first two columns.
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

/** Returns how far the points are from the middle, relative to half the frame. */
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
