// Draws simple scenes for search tests: bars like print, and a card on a table in any pose.
import type { GrayImage, Picture } from '../../src/image/gray.ts';
import { fitHomography, type Quad } from '../../src/image/homography.ts';
import { warp } from '../../src/image/warp.ts';

export function makePage(width: number, height: number, level = 215): GrayImage {
  return { width, height, data: new Uint8Array(width * height).fill(level) };
}

export function fillBox(image: GrayImage, box: readonly [number, number, number, number], level: number): void {
  const [left, top, width, height] = box;
  for (let y = Math.max(0, top); y < Math.min(image.height, top + height); y += 1)
    image.data.fill(level, y * image.width + left, y * image.width + left + width);
}

/** Draws blocks of two stems and two bars, which look like text. `y`: top of the line. */
export function drawBars(image: GrayImage, x: number, y: number, count: number, height: number, pitch: number): void {
  const stroke = Math.max(2, Math.round(height / 8));
  const wide = Math.round(pitch * 0.65);
  for (let i = 0; i < count; i += 1) {
    const left = Math.round(x + i * pitch);
    fillBox(image, [left, y, stroke, height], 30);
    fillBox(image, [left + wide - stroke, y, stroke, height], 30);
    fillBox(image, [left, y, wide, stroke], 30);
    fillBox(image, [left, y + height - stroke, wide, stroke], 30);
  }
}

/** Renders a page with the given corners on a table of one brightness. */
export function placePage(page: GrayImage, corners: Quad, width: number, height: number, table: number): GrayImage {
  // A border of table around the page, because warping repeats the border.
  const border = 4;
  const framed = makePage(page.width + border * 2, page.height + border * 2, table);
  for (let y = 0; y < page.height; y += 1)
    framed.data.set(page.data.subarray(y * page.width, (y + 1) * page.width), (y + border) * framed.width + border);
  const at = (x: number, y: number) => ({ x: x + border, y: y + border });
  const own: Quad = [at(0, 0), at(page.width, 0), at(page.width, page.height), at(0, page.height)];
  const map = fitHomography(corners, own);
  if (map === null) throw new Error('The corners enclose no area.');
  return warp(framed, map, width, height);
}

/** Corners of a centered rectangle: its width, rotated, and tilted away to the right. */
export function poseCorners(
  frame: { width: number; height: number },
  page: { width: number; height: number },
  pose: { width: number; degrees?: number; away?: number },
): Quad {
  const { width, degrees = 0, away = 0 } = pose;
  const turn = (degrees * Math.PI) / 180;
  const corner = (u: number, v: number) => {
    const size = 1 / (1 + away * u);
    const x = (u * width * size) / 2;
    const y = (v * width * page.height * size) / page.width / 2;
    return {
      x: frame.width / 2 + x * Math.cos(turn) - y * Math.sin(turn),
      y: frame.height / 2 + x * Math.sin(turn) + y * Math.cos(turn),
    };
  };
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

export function addGrain(image: GrayImage, strength: number): void {
  let state = 1;
  for (let i = 0; i < image.data.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    const grain = ((state >>> 8) / 2 ** 24 - 0.5) * 2 * strength;
    image.data[i] = Math.min(255, Math.max(0, image.data[i]! + grain));
  }
}

export function colorIn(image: GrayImage, tint: readonly [number, number, number]): Picture {
  const data = new Uint8ClampedArray(image.data.length * 4);
  for (let i = 0; i < image.data.length; i += 1) {
    for (let k = 0; k < 3; k += 1) data[i * 4 + k] = image.data[i]! * tint[k]!;
    data[i * 4 + 3] = 255;
  }
  return { width: image.width, height: image.height, data };
}
