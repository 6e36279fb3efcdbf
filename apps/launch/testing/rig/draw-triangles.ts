// Warps a picture: every triangle takes its pixels along, and later ones cover earlier ones.

import type { Frame, Points } from '@limen/face-geometry';
import { measureArea, type Triangle } from './triangulate.ts';

export function drawTriangles(from: Frame, to: Frame, triangles: readonly Triangle[], before: Points, after: Points) {
  for (const triangle of triangles) drawTriangle(from, to, triangle, before, after);
}

function drawTriangle(from: Frame, to: Frame, triangle: Triangle, before: Points, after: Points): void {
  const [a, b, c] = triangle;
  const area = measureArea(after, triangle);
  if (Math.abs(area) < 1e-6) return;
  const [ax, ay, bx, by] = [after[a * 2]!, after[a * 2 + 1]!, after[b * 2]!, after[b * 2 + 1]!];
  const [cx, cy] = [after[c * 2]!, after[c * 2 + 1]!];
  // Affine map from a pixel of the new picture to its source.
  const [ux, uy, vx, vy] = [bx - ax, by - ay, cx - ax, cy - ay];
  const mapAxis = (axis: 0 | 1) => {
    const start = before[a * 2 + axis]!;
    const [p, q] = [before[b * 2 + axis]! - start, before[c * 2 + axis]! - start];
    const [perX, perY] = [(p * vy - q * uy) / area, (q * ux - p * vx) / area];
    return [perX, perY, start - perX * ax - perY * ay] as const;
  };
  const [xx, xy, x1] = mapAxis(0);
  const [yx, yy, y1] = mapAxis(1);
  const top = Math.max(Math.ceil(Math.min(ay, by, cy) - 0.5), 0);
  const bottom = Math.min(Math.floor(Math.max(ay, by, cy) - 0.5), to.height - 1);
  for (let row = top; row <= bottom; row += 1) {
    const y = row + 0.5;
    // Unrolled, because WebKit takes four times as long with a list of edges.
    const left = Math.min(
      crossEdge(ax, ay, bx, by, y, Infinity),
      crossEdge(bx, by, cx, cy, y, Infinity),
      crossEdge(cx, cy, ax, ay, y, Infinity),
    );
    const right = Math.max(
      crossEdge(ax, ay, bx, by, y, -Infinity),
      crossEdge(bx, by, cx, cy, y, -Infinity),
      crossEdge(cx, cy, ax, ay, y, -Infinity),
    );
    const last = Math.min(Math.floor(right - 0.5 + 1e-6), to.width - 1);
    for (let column = Math.max(Math.ceil(left - 0.5 - 1e-6), 0); column <= last; column += 1) {
      const x = column + 0.5;
      copyPixel(from, xx * x + xy * y + x1 - 0.5, yx * x + yy * y + y1 - 0.5, to.data, (row * to.width + column) * 4);
    }
  }
}

/** Returns where a row meets an edge, or `none`. */
function crossEdge(px: number, py: number, qx: number, qy: number, y: number, none: number): number {
  if (py === qy || y < Math.min(py, qy) || y > Math.max(py, qy)) return none;
  return px + ((y - py) / (qy - py)) * (qx - px);
}

/** Copies with bilinear interpolation. */
function copyPixel(from: Frame, u: number, v: number, to: Uint8ClampedArray, at: number): void {
  const { width, height, data } = from;
  const x = Math.min(Math.max(u, 0), width - 1.001);
  const y = Math.min(Math.max(v, 0), height - 1.001);
  const x0 = Math.floor(x);
  const y0 = Math.floor(y);
  const fx = x - x0;
  const fy = y - y0;
  const i = (y0 * width + x0) * 4;
  const j = i + width * 4;
  for (let c = 0; c < 3; c += 1)
    to[at + c] =
      (1 - fy) * ((1 - fx) * data[i + c]! + fx * data[i + c + 4]!) +
      fy * ((1 - fx) * data[j + c]! + fx * data[j + c + 4]!);
}
