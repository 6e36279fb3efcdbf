// Simulates a flat photo in front of the camera: tilted, squeezed, rolled, closer or farther, as in
// an attack.
import { createFrame, type Frame } from '@limen/face-geometry';

export interface PhotoPose {
  /** Degrees around the vertical and horizontal axis, and in the plane. */
  yaw?: number;
  pitch?: number;
  roll?: number;
  zoom?: number;
  /** Width and height relative to the original, as of a bent print or a stretched video. */
  squeezeX?: number;
  squeezeY?: number;
  /** Radians around a vertical axis from edge to edge; the middle is nearest to the camera. */
  bend?: number;
  /** Distance of the camera in widths of the photo. A near camera has a stronger perspective. */
  distance?: number;
}

const GREY = 110;

export function showPhoto(photo: Frame, pose: PhotoPose): Frame {
  const { yaw = 0, pitch = 0, roll = 0, zoom = 1, squeezeX = 1, squeezeY = 1, bend = 0, distance = 2 } = pose;
  const { width, height } = photo;
  const far = distance * width;
  const [sinY, cosY, sinP, cosP, sinR, cosR] = [yaw, pitch, roll].flatMap((degrees) => {
    const radians = (degrees * Math.PI) / 180;
    return [Math.sin(radians), Math.cos(radians)];
  }) as [number, number, number, number, number, number];
  // Two directions of the photo's plane in space, after squeeze, roll and tilts.
  const place = (x: number, y: number) => {
    const [rx, ry] = [cosR * x - sinR * y, sinR * x + cosR * y];
    const [tx, tz] = [cosY * rx, sinY * rx];
    return [tx, cosP * ry - sinP * tz, sinP * ry + cosP * tz] as const;
  };
  const u = place(squeezeX * zoom, 0);
  const v = place(0, squeezeY * zoom);

  const radius = width / bend;
  /** Maps a distance from the middle of a flat sheet to the point on a bent sheet. */
  const unroll = (x: number) => {
    if (bend === 0) return x;
    const behind = radius - Math.sqrt(Math.max(radius ** 2 - x ** 2, 0));
    // Points further back move sideways when the sheet turns; there are none beyond its edge.
    return radius * Math.asin(Math.min(Math.max((x + (behind * sinY) / cosY) / radius, -1), 1));
  };

  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      // Intersects the pixel's ray with the plane: p·u + q·v = t·ray, with the camera at (0, 0,
      // −far).
      const x = column + 0.5 - width / 2;
      const y = row + 0.5 - height / 2;
      const a = u[0] * far - x * u[2];
      const b = v[0] * far - x * v[2];
      const c = u[1] * far - y * u[2];
      const d = v[1] * far - y * v[2];
      const area = a * d - b * c;
      const p = (far * (x * d - y * b)) / area + width / 2;
      const q = (far * (y * a - x * c)) / area + height / 2;
      copyPixel(photo, unroll(p - 0.5 - width / 2) + width / 2, q - 0.5, data, (row * width + column) * 4);
    }
  }
  return createFrame(width, height, data);
}

function copyPixel({ width, height, data }: Frame, x: number, y: number, to: Uint8ClampedArray, at: number): void {
  const x0 = Math.floor(x);
  const y0 = Math.floor(y);
  const inside = x0 >= 0 && y0 >= 0 && x0 < width - 1 && y0 < height - 1;
  const fx = x - x0;
  const fy = y - y0;
  for (let c = 0; c < 3; c += 1) {
    const i = (y0 * width + x0) * 4 + c;
    to[at + c] = inside
      ? (1 - fy) * ((1 - fx) * data[i]! + fx * data[i + 4]!) +
        fy * ((1 - fx) * data[i + width * 4]! + fx * data[i + width * 4 + 4]!)
      : GREY;
  }
}
