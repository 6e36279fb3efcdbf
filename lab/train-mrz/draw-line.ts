// Draws a line of a zone, or a part of one, as a camera and the straightening leave it.
import { ZONE_CHARACTERS } from '../../packages/documents/src/mrz/grammar.ts';
import { BETWEEN, COLUMN_WIDTH, LINE_HEIGHT } from '../../packages/documents/src/zone/alphabet.ts';
import { degrade } from './degrade.ts';
import { CAPITAL, CELL, type Glyphs, sampleGlyph } from './glyphs.ts';
import { UNLABELLED } from './loss.ts';
import type { Random } from './random.ts';
import { makeZoneText } from './zone-text.ts';

export interface DrawnLine {
  /** Ink from 0 to 1, LINE_HEIGHT rows. */
  readonly ink: Float32Array;
  /** Class of every column. */
  readonly labels: Int8Array;
}

export interface LineWish {
  width: number;
  /** Start of the first character's cell in pixels. May be outside the picture. */
  start: number;
  text: string;
  /** 0 is as printed, 0.5 a typical photograph, 1 a bad one. */
  strength: number;
  pitch: number;
}

/** Maps a point of the picture to the text: characters along it, and ems below the baseline. */
interface Placement {
  start: number;
  pitch: number;
  /** Relative change of the pitch per pixel. */
  growth: number;
  baseline: number;
  slope: number;
  shear: number;
  size: number;
  /** Horizontal pixels per em, which printers may choose differently. */
  across: number;
  weight: number;
}

/** Parts of a cell that certainly belong, and certainly do not belong, to the character. */
const INSIDE = 0.27;
const OUTSIDE = 0.37;

/** A training sample: often the middle of a line, sometimes its start or end, rarely empty. */
export function drawPiece(random: Random, faces: readonly Glyphs[], width: number): DrawnLine {
  const pitch = random.between(16.6, 24.4);
  const kind = random.next();
  const cells = Math.ceil(width / pitch) + 2;
  const strength = random.chance(0.15) ? random.between(0, 0.3) : random.between(0.2, 1.05);
  let start = -random.next() * pitch - 1;
  let length = cells;
  if (kind < 0.13) start = random.between(2, width * 0.8);
  else if (kind < 0.26) length = 1 + random.below(cells - 2);
  else if (kind < 0.29) length = 0;
  const text = makeZoneText(random, length, 0.6);
  return drawLine(random, faces, { width, start, text, strength, pitch });
}

export function drawLine(random: Random, faces: readonly Glyphs[], wish: LineWish): DrawnLine {
  const { width, text, strength } = wish;
  const placement = choosePlacement(random, wish);
  // Rendered as coarsely as the camera saw it: a capital of 20 px may have been one of 8.
  const coarse = random.chance(0.3 + 0.4 * strength) ? random.between(Math.max(0.42, 1 - 0.65 * strength), 1) : 1;
  const rows = Math.max(8, Math.round(LINE_HEIGHT * coarse));
  const columns = Math.max(8, Math.round(width * coarse));
  const classes = Int8Array.from(text, (character) => ZONE_CHARACTERS.indexOf(character));
  const glyphs = random.pick(faces);
  const cover = new Float32Array(rows * columns);
  fillCover(cover, columns, rows, width, classes, glyphs, placement);
  if (random.chance(0.25 * (0.3 + strength))) {
    const neighbor = {
      ...placement,
      baseline: chooseNeighbor(random, placement),
      start: placement.start + random.between(-9, 9),
    };
    const other = Int8Array.from({ length: classes.length }, () => random.below(BETWEEN));
    fillCover(cover, columns, rows, width, other, glyphs, neighbor);
  }
  if (random.chance(0.2 * (0.2 + strength))) addEdge(random, cover, columns, rows, columns / width, wish);
  const ink = degrade(random, cover, columns, rows, { width, height: LINE_HEIGHT, strength, coarse });
  return { ink, labels: labelColumns(width, classes, placement) };
}

/** Area outside the document, before or after the text. Its edge may lean. */
function addEdge(
  random: Random,
  cover: Float32Array,
  columns: number,
  rows: number,
  scale: number,
  { start, text, pitch, width }: LineWish,
): void {
  const isBefore = random.chance(0.5);
  const end = start + text.length * pitch * 1.06;
  const gap = random.between(4, 18);
  const place = (isBefore ? start - gap : end + gap) * scale;
  if (isBefore ? start < gap : end + gap > width) return;
  const lean = random.between(-0.25, 0.25);
  const thickness = (random.chance(0.5) ? random.between(1, 5) : width) * scale;
  const shade = random.between(0.15, 1);
  for (let row = 0; row < rows; row += 1) {
    const edge = place + lean * (row - rows / 2) * (isBefore ? 1 : -1) - (isBefore ? thickness : 0);
    const from = Math.max(0, Math.round(edge));
    const to = Math.min(columns, Math.round(edge + thickness));
    for (let column = from; column < to; column += 1)
      cover[row * columns + column] = Math.max(cover[row * columns + column]!, shade);
  }
}

function choosePlacement(random: Random, { start, pitch, width, strength }: LineWish): Placement {
  const capital = Math.max(16.5, Math.min(23.5, pitch * random.between(0.88, 1.12)));
  const size = capital / CAPITAL;
  const slope = random.between(-0.012, 0.012) * (0.3 + strength);
  const middle = LINE_HEIGHT / 2 + random.between(-4, 4) * (0.4 + 0.6 * strength);
  return {
    start,
    pitch,
    growth: (random.between(-0.12, 0.12) * strength) / Math.max(width, 400),
    baseline: middle + capital / 2 - (slope * Math.min(width, 200)) / 2,
    slope,
    shear: random.between(-0.1, 0.1) * (0.2 + strength),
    size,
    across: Math.min(size * random.between(0.92, 1.08), (pitch * 1.06) / CELL),
    weight: random.between(-0.02, 0.03) * (0.3 + strength),
  };
}

/** Adjacent lines intrude by some pixels at most. */
function chooseNeighbor(random: Random, { baseline, size }: Placement): number {
  const capital = size * CAPITAL;
  const above = random.between(-2, 4.5);
  const below = LINE_HEIGHT + capital - random.between(-2, 4.5);
  const gap = capital * 1.3;
  return random.chance(0.5) ? Math.min(above, baseline - gap) : Math.max(below, baseline + gap);
}

function charactersAt({ start, pitch, growth }: Placement, x: number): number {
  const along = (x - start) / pitch;
  return along * (1 + (growth * (x - start)) / 2);
}

/** A whole line is not bent up or down, because long slopes are removed before. */
function baselineAt({ baseline, slope }: Placement, x: number, width: number): number {
  return baseline + slope * (width > 300 ? 24 * Math.sin(x / 90) : x);
}

function fillCover(
  cover: Float32Array,
  columns: number,
  rows: number,
  width: number,
  classes: Int8Array,
  glyphs: Glyphs,
  placement: Placement,
): void {
  const step = width / columns;
  const { size, across, pitch, shear, weight } = placement;
  const sharpness = size / step;
  for (let column = 0; column < columns; column += 1) {
    const x = (column + 0.5) * step;
    const baseline = baselineAt(placement, x, width);
    const along = charactersAt(placement, x);
    for (let row = 0; row < rows; row += 1) {
      const y = ((row + 0.5) * LINE_HEIGHT) / rows;
      const down = (y - baseline) / size;
      if (down < -0.85 || down > 0.2) continue;
      const at = along + (shear * (down + CAPITAL / 2) * size) / pitch;
      const cell = Math.floor(at);
      let distance = -1;
      const neighbor = at - cell < 0.5 ? cell - 1 : cell + 1;
      if (cell >= 0 && cell < classes.length)
        distance = sampleGlyph(glyphs[classes[cell]!]!, ((at - cell - 0.5) * pitch) / across + CELL / 2, down);
      if (neighbor >= 0 && neighbor < classes.length)
        distance = Math.max(
          distance,
          sampleGlyph(glyphs[classes[neighbor]!]!, ((at - neighbor - 0.5) * pitch) / across + CELL / 2, down),
        );
      const share = 0.5 + (distance + weight) * sharpness;
      if (share > 0) cover[row * columns + column] = Math.max(cover[row * columns + column]!, Math.min(1, share));
    }
  }
}

function labelColumns(width: number, classes: Int8Array, placement: Placement): Int8Array {
  const labels = new Int8Array(width / COLUMN_WIDTH);
  for (let column = 0; column < labels.length; column += 1) {
    const along = charactersAt(placement, (column + 0.5) * COLUMN_WIDTH);
    const cell = Math.floor(along);
    const off = Math.abs(along - cell - 0.5);
    if (cell < 0 || cell >= classes.length) labels[column] = BETWEEN;
    else labels[column] = off < INSIDE ? classes[cell]! : off > OUTSIDE ? BETWEEN : UNLABELLED;
  }
  return labels;
}
