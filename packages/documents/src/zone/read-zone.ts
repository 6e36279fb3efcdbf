// Reads a machine-readable zone from a picture: finds lines, recognizes them, and keeps plausible
// ones.
import { type GrayImage, turnClockwise } from '../image/gray.ts';
import { type FoundLine, findLines } from './find-lines.ts';
import { createGroupReader, type GroupReader, type GroupReading, isCertain, type ZoneReading } from './read-group.ts';
import type { Recognize } from './read-line.ts';

/** A line in pixels. `angle`: clockwise, in reading direction; π is upside down. */
export interface SeenLine {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly angle: number;
}

export interface ZoneSighting {
  readonly reading: ZoneReading | null;
  /** Lines from top to bottom of the document, if it was read. */
  readonly lines: readonly SeenLine[];
}

/** Search widths, see findLines. Lines have less room in upright frames. */
const NORMAL = 640;
const FINE = 960;
const SIDEWAYS_IN_WIDE = 480;
/** Maximum recognized lines per picture. */
const MOST_LINES = 14;

/** Reads in any orientation. Tries likely and cheap options first. */
export async function readZone(image: GrayImage, recognize: Recognize): Promise<ZoneSighting> {
  const reader = createGroupReader(recognize, MOST_LINES);
  let seen: readonly SeenLine[] = [];
  let turned: GrayImage | null = null;
  for (const { sideways, width } of planSearch(image)) {
    if (sideways) turned ??= turnClockwise(image);
    const found = await readAt(sideways ? turned! : image, width, reader);
    const lines = sideways ? found.lines.map((line) => turnBack(line, image.height)) : found.lines;
    if (found.reading !== null) return { reading: found.reading, lines };
    if (seen.length === 0) seen = lines;
    if (reader.isSpent()) break;
  }
  return { reading: null, lines: seen };
}

function planSearch({ width, height }: GrayImage): { sideways: boolean; width: number }[] {
  const isWide = width > height;
  return [
    { sideways: false, width: NORMAL },
    // Without more detail in the frame, a finer search sees the same.
    ...(isWide && width > NORMAL * 1.2 ? [{ sideways: false, width: FINE }] : []),
    { sideways: true, width: isWide ? SIDEWAYS_IN_WIDE : NORMAL },
    ...(!isWide && height > NORMAL * 1.2 ? [{ sideways: true, width: FINE }] : []),
  ];
}

async function readAt(image: GrayImage, width: number, reader: GroupReader): Promise<ZoneSighting> {
  const groups = findLines(image, width);
  let best: (GroupReading & { group: readonly FoundLine[] }) | null = null;
  for (const group of groups) {
    const found = await reader.read(image, group);
    if (found === null || (best !== null && found.score <= best.score)) continue;
    best = { ...found, group };
    if (isCertain(found.score)) break;
  }
  const group = best?.group ?? groups[0] ?? [];
  const lines = (best?.isUpsideDown ? group.toReversed().map(turnAround) : group).map(describeLine);
  return { reading: best?.reading ?? null, lines };
}

function turnAround(line: FoundLine): FoundLine {
  return { ...line, from: line.to, to: line.from };
}

function describeLine({ from, to, height }: FoundLine): SeenLine {
  return {
    x: (from.x + to.x) / 2,
    y: (from.y + to.y) / 2,
    width: Math.hypot(to.x - from.x, to.y - from.y),
    height,
    angle: Math.atan2(to.y - from.y, to.x - from.x),
  };
}

/** Converts from the rotated picture to the original. */
function turnBack(line: SeenLine, height: number): SeenLine {
  return { ...line, x: line.y, y: height - line.x, angle: line.angle - Math.PI / 2 };
}
