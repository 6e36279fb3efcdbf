// Boxes, points and affine maps in continuous coordinates: pixel i covers i to i + 1.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** x and y of each point. */
export type Points = ArrayLike<number>;

/** Maps (u, v) to (a·u + b·v + c, d·u + e·v + f). */
export interface Affine {
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
}

/** Maps a picture of this size to the box. */
export function mapOntoBox(box: Box, width: number, height: number): Affine {
  return { a: box.width / width, b: 0, c: box.x, d: 0, e: box.height / height, f: box.y };
}

/** Mirrors a picture of this width before the map. */
export function mirrorFirst({ a, b, c, d, e, f }: Affine, width: number): Affine {
  return { a: -a, b, c: c + a * width, d: -d, e, f: f + d * width };
}

export function applyAffine({ a, b, c, d, e, f }: Affine, x: number, y: number): [number, number] {
  return [a * x + b * y + c, d * x + e * y + f];
}

export function invertAffine({ a, b, c, d, e, f }: Affine): Affine {
  const area = a * e - b * d;
  return {
    a: e / area,
    b: -b / area,
    c: (b * f - c * e) / area,
    d: -d / area,
    e: a / area,
    f: (c * d - a * f) / area,
  };
}

/** Returns a box of the given size with the same center. */
export function resizeAround({ x, y, width, height }: Box, newWidth: number, newHeight = newWidth): Box {
  return { x: x + (width - newWidth) / 2, y: y + (height - newHeight) / 2, width: newWidth, height: newHeight };
}

/** Moves the box inside, scaling it down if necessary. */
export function moveInside(box: Box, width: number, height: number): Box {
  const scale = Math.min(1, width / box.width, height / box.height);
  const small = resizeAround(box, box.width * scale, box.height * scale);
  return {
    ...small,
    x: Math.min(Math.max(small.x, 0), width - small.width),
    y: Math.min(Math.max(small.y, 0), height - small.height),
  };
}

export function boundPoints(points: Points): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    left = Math.min(left, points[i]!);
    right = Math.max(right, points[i]!);
    top = Math.min(top, points[i + 1]!);
    bottom = Math.max(bottom, points[i + 1]!);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Returns the mean of the points with these indices. */
export function averagePoints(points: Points, numbers: readonly number[]): [number, number] {
  let [x, y] = [0, 0];
  for (const number of numbers) {
    x += points[number * 2]!;
    y += points[number * 2 + 1]!;
  }
  return [x / numbers.length, y / numbers.length];
}
