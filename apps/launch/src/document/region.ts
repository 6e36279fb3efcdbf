// Region of the document in a picture. Faces outside of it belong to the holder.
import type { Corner, SeenLine } from '@limen/documents';

/** Four corners in order. */
export type Region = readonly Corner[];

export interface PortraitPlace {
  readonly region: Region;
  /** Maximum height of the printed face in pixels. */
  readonly maxFace: number;
  /** Clockwise quarter turns that make the document upright, if known. */
  readonly quarters?: number;
}

/**
 * In lengths of the lines. 44 characters of 2.54 mm are 112 mm; a passport page extends 65 mm above
 * and 7 mm beyond them (ICAO 9303-4). Three lines of 30 are 76 mm, with 34 mm above them on a card
 * (9303-5).
 */
const ABOVE = 0.6;
const ABOVE_THREE = 0.45;
const BESIDE = 0.08;
/**
 * A portrait is at most 45 mm high and its face 36 mm (9303-3), relative to 112 mm. Smaller
 * documents have smaller ones.
 */
const MAX_FACE = 0.42;

/** Returns the page above the lines; null without lines. */
export function findPageAbove(lines: readonly SeenLine[]): PortraitPlace | null {
  const [top] = lines;
  const [longest] = lines.toSorted((a, b) => b.width - a.width);
  if (!top || !longest) return null;
  const { width, angle } = longest;
  const [along, across] = [Math.cos(angle), Math.sin(angle)];
  const half = width * (0.5 + BESIDE);
  const reach = width * (lines.length === 3 ? ABOVE_THREE : ABOVE);
  const place = (right: number, up: number): Corner => ({
    x: top.x + right * along + up * across,
    y: top.y + right * across - up * along,
  });
  return {
    region: [place(-half, reach), place(half, reach), place(half, 0), place(-half, 0)],
    maxFace: width * MAX_FACE,
    quarters: (4 - (Math.round(angle / (Math.PI / 2)) & 3)) & 3,
  };
}

/** Returns the whole picture as a region. */
export function createFullRegion({ width, height }: { width: number; height: number }): Region {
  return [
    { x: 0, y: 0 },
    { x: width, y: 0 },
    { x: width, y: height },
    { x: 0, y: height },
  ];
}

export function isInside(region: Region, { x, y }: Corner): boolean {
  let inside = false;
  for (const [i, corner] of region.entries()) {
    const next = region[(i + 1) % region.length]!;
    const crosses = corner.y > y !== next.y > y;
    if (crosses && x < corner.x + ((y - corner.y) / (next.y - corner.y)) * (next.x - corner.x)) inside = !inside;
  }
  return inside;
}

/** Returns the upright bounding box within the picture. */
export function boundRegion(region: Region, { width, height }: { width: number; height: number }) {
  const clamp = (value: number, most: number) => Math.min(Math.max(Math.round(value), 0), most);
  const x = clamp(Math.min(...region.map((corner) => corner.x)), width);
  const y = clamp(Math.min(...region.map((corner) => corner.y)), height);
  return {
    x,
    y,
    width: clamp(Math.max(...region.map((corner) => corner.x)), width) - x,
    height: clamp(Math.max(...region.map((corner) => corner.y)), height) - y,
  };
}
