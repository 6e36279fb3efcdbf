// A top view of a table with a document, in pixels and millimeters.
import type { Picture } from '../../src/image/gray.ts';
import { reducePicture } from './reduce.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
  readonly pixelsPerMillimetre: number;
  /** Position of the first pixel, in millimeters from the document's center. */
  readonly originX: number;
  readonly originY: number;
}

/** In millimeters. */
export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Averages the document's pixels below each pixel of the scene. */
export function layDocument(scene: Scene, document: Picture, { width, height }: Size): void {
  const { pixelsPerMillimetre: scale, originX, originY } = scene;
  const [perX, perY] = [document.width / width, document.height / height];
  const [left, top] = [Math.floor((-width / 2 - originX) * scale), Math.floor((-height / 2 - originY) * scale)];
  const across = {
    from: (left / scale + originX + width / 2) * perX,
    step: perX / scale,
    count: Math.ceil(width * scale) + 1,
  };
  const down = {
    from: (top / scale + originY + height / 2) * perY,
    step: perY / scale,
    count: Math.ceil(height * scale) + 1,
  };
  const reduced = reducePicture(document, across, down);
  for (let row = Math.max(0, -top); row < reduced.height && row + top < scene.height; row += 1)
    for (let column = Math.max(0, -left); column < reduced.width && column + left < scene.width; column += 1) {
      const from = (row * reduced.width + column) * 4;
      const at = ((row + top) * scene.width + column + left) * 4;
      const rest = 1 - reduced.data[from + 3]! / 255;
      scene.data[at] = scene.data[at]! * rest + reduced.data[from]!;
      scene.data[at + 1] = scene.data[at + 1]! * rest + reduced.data[from + 1]!;
      scene.data[at + 2] = scene.data[at + 2]! * rest + reduced.data[from + 2]!;
    }
}

/** Calls back for each pixel within the bounds: millimeters and data index. */
export function paint(scene: Scene, bounds: Bounds, dab: (x: number, y: number, at: number) => void): void {
  const { pixelsPerMillimetre: scale, originX, originY, width, height } = scene;
  const left = Math.max(0, Math.floor((bounds.left - originX) * scale));
  const right = Math.min(width, Math.ceil((bounds.right - originX) * scale));
  const top = Math.max(0, Math.floor((bounds.top - originY) * scale));
  const bottom = Math.min(height, Math.ceil((bounds.bottom - originY) * scale));
  for (let row = top; row < bottom; row += 1)
    for (let column = left; column < right; column += 1)
      dab((column + 0.5) / scale + originX, (row + 0.5) / scale + originY, (row * width + column) * 4);
}
