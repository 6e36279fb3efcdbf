// What is drawn on: a piece of the world seen from straight above, in pixels and millimetres.
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
  /** Where the first pixel lies, in millimetres from the document's centre. */
  readonly originX: number;
  readonly originY: number;
}

/** In millimetres. */
export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Each pixel of the scene is the mean of the document's pixels under it. */
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

/** Calls for each pixel whose middle, widened by half a pixel, is within the bounds: millimetres and place in the data. */
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
