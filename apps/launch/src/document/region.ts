// Where on a picture the document is: only a face in there is the document's, and not that of who holds it.
import type { Corner, SeenLine } from '@limen/documents';

/** Four corners, one after the other around it. */
export type Region = readonly Corner[];

/**
 * Of a passport's page, in widths of its lines: 44 characters of 2.54 mm are 112 mm long, and the page goes on for 65 mm
 * above them and 7 mm beside them (ICAO 9303-4).
 */
const ABOVE = 0.6;
const BESIDE = 0.08;

/** The page above the lines, and what would be the page if it were upside down, which the lines alone do not tell. */
export function findPageBeside(lines: readonly SeenLine[]): Region[] {
  const [longest] = lines.toSorted((a, b) => b.width - a.width);
  if (!longest) return [];
  const [along, across] = [Math.cos(longest.angle), Math.sin(longest.angle)];
  const depthOf = ({ x, y }: Corner) => y * along - x * across;
  const sorted = lines.toSorted((a, b) => depthOf(a) - depthOf(b));
  const half = longest.width * (0.5 + BESIDE);
  const reach = longest.width * ABOVE;
  const place = (from: Corner, right: number, down: number): Corner => ({
    x: from.x + right * along - down * across,
    y: from.y + right * across + down * along,
  });
  const pageFrom = (line: SeenLine, down: number): Region => [
    place(line, -half, down),
    place(line, half, down),
    place(line, half, 0),
    place(line, -half, 0),
  ];
  return [pageFrom(sorted[0]!, -reach), pageFrom(sorted.at(-1)!, reach)];
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

/** The upright box around it, within the picture. */
export function boxAround(region: Region, { width, height }: { width: number; height: number }) {
  const clamp = (value: number, most: number) => Math.min(Math.max(Math.round(value), 0), most);
  const x = clamp(Math.min(...region.map((corner) => corner.x)), width);
  const y = clamp(Math.min(...region.map((corner) => corner.y)), height);
  return {
    ...{ x, y },
    width: clamp(Math.max(...region.map((corner) => corner.x)), width) - x,
    height: clamp(Math.max(...region.map((corner) => corner.y)), height) - y,
  };
}
