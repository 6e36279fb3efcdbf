// Complete lines for evaluation: with zone lengths and the margins of a line image.
import { LINE_WIDTH, MAX_PITCH, MIN_PITCH } from '../../packages/documents/src/zone/alphabet.ts';
import type { LineLength } from '../../packages/documents/src/zone/read-line.ts';
import { type DrawnLine, drawLine } from './draw-line.ts';
import type { Glyphs } from './glyphs.ts';
import type { Random } from './random.ts';
import { makeZoneText } from './zone-text.ts';

export interface WholeLine extends DrawnLine {
  readonly text: string;
  readonly length: LineLength;
}

/** Perspective lengthens a line by up to this factor. */
const SPARE = 0.93;

export function drawWhole(random: Random, faces: readonly Glyphs[], strength: number): WholeLine {
  const length = random.pick([30, 36, 44] as const);
  const start = random.between(4, 60);
  const pitch = Math.min(random.between(MIN_PITCH, MAX_PITCH), ((LINE_WIDTH - start - 4) / length) * SPARE);
  const text = makeZoneText(random, length, 0.85);
  return { ...drawLine(random, faces, { width: LINE_WIDTH, start, text, strength, pitch }), text, length };
}
