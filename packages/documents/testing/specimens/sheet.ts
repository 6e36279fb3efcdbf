// The surface of a document, in millimeters.

import type { Picture } from '../../src/image/gray.ts';

export type Color = readonly [number, number, number];

export interface Sheet extends Picture {
  /** Pixels per millimeter. */
  readonly scale: number;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const PIXELS_PER_MILLIMETER = 12;

export function createSheet(width: number, height: number, paper: Color = [255, 255, 255]): Sheet {
  const scale = PIXELS_PER_MILLIMETER;
  const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
  const sheet = { width: columns, height: rows, data: new Uint8ClampedArray(columns * rows * 4).fill(255), scale };
  fillBox(sheet, { x: 0, y: 0, width, height }, paper);
  return sheet;
}

/** Blends `part` of the color over the existing one. */
export function blend(sheet: Sheet, at: number, color: Color, part: number): void {
  const { data } = sheet;
  data[at] = data[at]! + (color[0] - data[at]!) * part;
  data[at + 1] = data[at + 1]! + (color[1] - data[at + 1]!) * part;
  data[at + 2] = data[at + 2]! + (color[2] - data[at + 2]!) * part;
}

/** Calls back for each pixel in the box with its center in millimeters and its data index. */
export function eachPixel(sheet: Sheet, box: Box, dab: (x: number, y: number, at: number) => void): void {
  const { scale, width, height } = sheet;
  const [left, top] = [Math.max(0, Math.round(box.x * scale)), Math.max(0, Math.round(box.y * scale))];
  const right = Math.min(width, Math.round((box.x + box.width) * scale));
  const bottom = Math.min(height, Math.round((box.y + box.height) * scale));
  for (let row = top; row < bottom; row += 1)
    for (let column = left; column < right; column += 1)
      dab((column + 0.5) / scale, (row + 0.5) / scale, (row * width + column) * 4);
}

export function fillBox(sheet: Sheet, box: Box, color: Color, part = 1): void {
  eachPixel(sheet, box, (_x, _y, at) => blend(sheet, at, color, part));
}

/** Fills with anti-aliased round corners. */
export function fillRounded(sheet: Sheet, box: Box, radius: number, color: Color, part = 1): void {
  eachPixel(sheet, box, (x, y, at) => {
    const inside = measureInside(box, radius, x, y) * sheet.scale + 0.5;
    if (inside > 0) blend(sheet, at, color, part * Math.min(1, inside));
  });
}

/** Makes the sheet's corners transparent. */
export function roundCorners(sheet: Sheet, radius: number): void {
  const fullBox = { x: 0, y: 0, width: sheet.width / sheet.scale, height: sheet.height / sheet.scale };
  eachPixel(sheet, fullBox, (x, y, at) => {
    const inside = measureInside(fullBox, radius, x, y) * sheet.scale + 0.5;
    if (inside < 1) sheet.data[at + 3] = 255 * Math.max(0, inside);
  });
}

/** Millimeters from the rounded edge, positive inside. */
function measureInside({ x, y, width, height }: Box, radius: number, px: number, py: number): number {
  const across = Math.abs(px - x - width / 2) - width / 2 + radius;
  const down = Math.abs(py - y - height / 2) - height / 2 + radius;
  if (across <= 0 || down <= 0) return radius - Math.max(across, down);
  return radius - Math.hypot(across, down);
}

/** Crops the picture to the box's aspect ratio. `part` below 1 makes it translucent. */
export function placePicture(
  sheet: Sheet,
  picture: Picture,
  box: Box,
  { radius = 0, part = 1, gray = false } = {},
): void {
  const zoom = Math.min(picture.width / box.width, picture.height / box.height);
  const [left, top] = [(picture.width - box.width * zoom) / 2, (picture.height - box.height * zoom) / 2];
  const color: [number, number, number] = [0, 0, 0];
  eachPixel(sheet, box, (x, y, at) => {
    const inside = Math.min(1, measureInside(box, radius, x, y) * sheet.scale + 0.5);
    if (inside <= 0) return;
    sample(picture, left + (x - box.x) * zoom - 0.5, top + (y - box.y) * zoom - 0.5, color);
    if (gray) color.fill(0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2]);
    blend(sheet, at, color, part * inside);
  });
}

/** Bilinear. */
function sample({ width, height, data }: Picture, x: number, y: number, color: [number, number, number]): void {
  const px = Math.min(width - 1.001, Math.max(0, x));
  const py = Math.min(height - 1.001, Math.max(0, y));
  const [left, top] = [Math.floor(px), Math.floor(py)];
  const [u, v] = [px - left, py - top];
  const upper = (top * width + left) * 4;
  const lower = upper + width * 4;
  for (let channel = 0; channel < 3; channel += 1) {
    const above = data[upper + channel]! * (1 - u) + data[upper + 4 + channel]! * u;
    const below = data[lower + channel]! * (1 - u) + data[lower + 4 + channel]! * u;
    color[channel] = above * (1 - v) + below * v;
  }
}
