// Top view of the table with a document: everything constant over a shot's frames.

import type { Picture } from '../../src/image/gray.ts';
import { type Bounds, layDocument, paint, type Scene, type Size } from './canvas.ts';
import { copyOnPaper, layPaper } from './copy.ts';
import { drawFinger } from './finger.ts';
import type { Random } from './random.ts';
import { lightScreen } from './screen.ts';
import type { Shot } from './shots.ts';
import { blurAlong, blurScene } from './soften.ts';
import { drawTable } from './table.ts';
import { hillAt } from './value-noise.ts';

export interface SceneWish {
  readonly document: Picture;
  readonly millimetres: Size;
  readonly shot: Shot;
  readonly bounds: Bounds;
  readonly pixelsPerMillimetre: number;
  /** Lit part of a screen, if it shows the document. */
  readonly lit: Bounds | null;
  /** Scene pixels per frame pixel. */
  readonly finer: number;
}

export function buildScene(wish: SceneWish, random: Random): Scene {
  const { bounds, shot, millimetres: millimeters, pixelsPerMillimetre: pixelsPerMillimeter } = wish;
  const width = Math.ceil((bounds.right - bounds.left) * pixelsPerMillimeter);
  const height = Math.ceil((bounds.bottom - bounds.top) * pixelsPerMillimeter);
  const data = new Uint8ClampedArray(width * height * 4);
  const scene = {
    width,
    height,
    data,
    pixelsPerMillimetre: pixelsPerMillimeter,
    originX: bounds.left,
    originY: bounds.top,
  };
  const seed = random.below(1_000_000);
  drawTable(scene, shot.table, seed, millimeters);
  if (wish.lit) lightScreen(scene, wish.document, millimeters, wish.lit, random);
  else {
    if (shot.medium === 'copy') layPaper(scene, random);
    else castShadow(scene, millimeters);
    const printed = shot.medium === 'copy' ? copyOnPaper(wish.document, random) : wish.document;
    layDocument(scene, printed, millimeters);
    if (shot.hasFinger) drawFinger(scene, millimeters, random);
    shade(scene, shot, seed, random);
  }
  blurScene(scene, shot.blur * wish.finer);
  if (shot.motion > 0) blurAlong(scene, shot.motion * wish.finer, random.between(0, Math.PI));
  return scene;
}

/** Draws the narrow dark seam slightly below a thin card. */
function castShadow(scene: Scene, { width, height }: Size): void {
  const reach = 1.6;
  paint(
    scene,
    { left: -width / 2 - 3, top: -height / 2 - 3, right: width / 2 + 3, bottom: height / 2 + 4 },
    (x, y, at) => {
      // Skips what the document will cover, except its round corners.
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

/** Applies uneven light: distance from the lamp, the shadow of a head, and vignetting. */
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
  // Light changes slowly, so every sixteenth pixel is computed and the rest interpolated.
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
