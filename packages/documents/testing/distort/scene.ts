// The table with a document on it, seen from straight above: all that is the same in every frame of one shot.

import type { Picture } from '../../src/image/gray.ts';
import { copyOnPaper, layPaper } from './copy.ts';
import { drawFinger } from './finger.ts';
import type { Random } from './random.ts';
import { reducePicture } from './reduce.ts';
import { lightScreen } from './screen.ts';
import type { Shot } from './shots.ts';
import { blurAlong, blurScene } from './soften.ts';
import { drawTable } from './table.ts';
import { hillAt } from './value-noise.ts';

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

export interface SceneWish {
  readonly document: Picture;
  readonly millimetres: Size;
  readonly shot: Shot;
  readonly bounds: Bounds;
  readonly pixelsPerMillimetre: number;
  /** The part of a screen that shines, where one shows the document. */
  readonly lit: Bounds | null;
  /** Pixels of the scene per pixel of the frame. */
  readonly finer: number;
}

export function buildScene(wish: SceneWish, random: Random): Scene {
  const { bounds, shot, millimetres, pixelsPerMillimetre } = wish;
  const width = Math.ceil((bounds.right - bounds.left) * pixelsPerMillimetre);
  const height = Math.ceil((bounds.bottom - bounds.top) * pixelsPerMillimetre);
  const data = new Uint8ClampedArray(width * height * 4);
  const scene = { width, height, data, pixelsPerMillimetre, originX: bounds.left, originY: bounds.top };
  const seed = random.below(1_000_000);
  drawTable(scene, shot.table, seed, millimetres);
  if (wish.lit) lightScreen(scene, wish.document, millimetres, wish.lit, random);
  else {
    if (shot.medium === 'copy') layPaper(scene, random);
    else castShadow(scene, millimetres);
    const printed = shot.medium === 'copy' ? copyOnPaper(wish.document, random) : wish.document;
    layDocument(scene, printed, millimetres);
    if (shot.hasFinger) drawFinger(scene, millimetres, random);
    shade(scene, shot, seed, random);
  }
  blurScene(scene, shot.blur * wish.finer);
  if (shot.motion > 0) blurAlong(scene, shot.motion * wish.finer, random.between(0, Math.PI));
  return scene;
}

/** A card is thin: a narrow dark seam, a little lower than it. */
function castShadow(scene: Scene, { width, height }: Size): void {
  const reach = 1.6;
  paint(
    scene,
    { left: -width / 2 - 3, top: -height / 2 - 3, right: width / 2 + 3, bottom: height / 2 + 4 },
    (x, y, at) => {
      // What the document will cover, but for its round corners, is left as it is.
      if (Math.abs(x) < width / 2 - 4 && Math.abs(y) < height / 2 - 4) return;
      const outside = Math.hypot(
        Math.max(0, Math.abs(x) - width / 2 + 1),
        Math.max(0, Math.abs(y - 0.7) - height / 2 + 1),
      );
      const dark = 1 - 0.55 * Math.max(0, 1 - outside / reach / 1.6);
      for (let channel = 0; channel < 3; channel += 1) scene.data[at + channel] = scene.data[at + channel]! * dark;
    },
  );
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

/** One side of the table is farther from the lamp, someone's head is before it, and the lens is darker at its edge. */
function shade(scene: Scene, shot: Shot, seed: number, random: Random): void {
  const angle = random.between(0, 2 * Math.PI);
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
  const warmth = random.between(-0.05, 0.05);
  const { width, height, data } = scene;
  const lookUp = (column: number, row: number) => {
    const u = column / width - 0.5;
    const v = row / height - 0.5;
    const slope = 0.5 + (u * dx + v * dy);
    const hill = hillAt(u * 2.2 + 7, v * 2.2 + 3, seed + 11);
    return shot.exposure * (1 - shot.shadow * (0.55 * slope + 0.6 * hill) - 0.12 * (u * u + v * v));
  };
  // Light changes slowly: every sixteenth pixel is looked up, the rest lies between.
  const step = 16;
  for (let row = 0; row < height; row += 1) {
    let at = row * width * 4;
    let light = lookUp(0, row);
    for (let column = 0; column < width; column += step) {
      const next = lookUp(column + step, row);
      const change = (next - light) / step;
      for (const end = Math.min(at + step * 4, (row + 1) * width * 4); at < end; at += 4) {
        data[at] = data[at]! * light * (1 + warmth);
        data[at + 1] = data[at + 1]! * light;
        data[at + 2] = data[at + 2]! * light * (1 - warmth);
        light += change;
      }
      light = next;
    }
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
