// Incremental Delaunay triangulation (Bowyer–Watson).

import type { Points } from '@limen/face-geometry';

export type Triangle = readonly [number, number, number];

export function triangulate(points: Points): Triangle[] {
  const count = points.length / 2;
  // Three far points enclose everything and are removed at the end.
  const coordinates = [...Array.from(points), -1e5, -1e5, 1e5, -1e5, 0, 2e5];
  let triangles: Triangle[] = [[count, count + 1, count + 2]];
  for (let point = 0; point < count; point += 1) {
    const [x, y] = [coordinates[point * 2]!, coordinates[point * 2 + 1]!];
    const kept: Triangle[] = [];
    const edges = new Map<string, [number, number]>();
    for (const triangle of triangles) {
      if (!isInCircle(coordinates, triangle, x, y)) {
        kept.push(triangle);
        continue;
      }
      const [a, b, c] = triangle;
      for (const [from, to] of [
        [a, b],
        [b, c],
        [c, a],
      ] as const) {
        // An edge shared by two triangles is inside the hole.
        if (!edges.delete(`${to} ${from}`)) edges.set(`${from} ${to}`, [from, to]);
      }
    }
    triangles = [...kept, ...[...edges.values()].map(([from, to]): Triangle => [from, to, point])];
  }
  return triangles.filter((triangle) => triangle.every((corner) => corner < count));
}

/** Returns twice the area: positive if the corners are clockwise on screen. */
export function measureArea(points: Points, [a, b, c]: Triangle): number {
  const [x, y] = [points[a * 2]!, points[a * 2 + 1]!];
  return (points[b * 2]! - x) * (points[c * 2 + 1]! - y) - (points[c * 2]! - x) * (points[b * 2 + 1]! - y);
}

/** Expects a clockwise triangle. */
function isInCircle(points: readonly number[], triangle: Triangle, x: number, y: number): boolean {
  const [a, b, c] = triangle.map((corner) => {
    const [dx, dy] = [points[corner * 2]! - x, points[corner * 2 + 1]! - y];
    return [dx, dy, dx * dx + dy * dy] as const;
  }) as [Offset, Offset, Offset];
  return (
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]) > 0
  );
}

type Offset = readonly [number, number, number];
