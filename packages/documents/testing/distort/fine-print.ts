// Fine print: line tints, halftones and rainbow foils, which cause moiré like screens.

import type { Size } from './canvas.ts';
import { blurCell, type Cell, type FinePattern, lookUp, type Patch, type Spread } from './fine-pattern.ts';
import type { Random } from './random.ts';

export const PRINTS = ['lines', 'halftone', 'rainbow'] as const;
export type Print = (typeof PRINTS)[number];

type Cells = readonly [Cell, Cell, Cell];

export function createPrint(print: Print, document: Size, spread: Spread, random: Random): FinePattern {
  const [halfX, halfY] = [document.width / 2, document.height / 2];
  const pattern = PATTERNS[print](document, spread, random);
  return (x, y, channel) => (Math.abs(x) > halfX || Math.abs(y) > halfY ? 1 : pattern(x, y, channel));
}

const PATTERNS = { lines: printLines, halftone: printHalftone, rainbow: layFoil };

/** Lines of one ink over the whole document, straight or wavy. */
function printLines(_document: Size, spread: Spread, random: Random): FinePattern {
  const period = random.between(0.15, 0.4);
  const strength = random.between(0.2, 0.5);
  const line: Patch = { x: 0.5, y: 0.5, width: 0.45, height: 1 };
  const cells = mapChannels(() => blurCell([line], 1, -strength * random.between(0.3, 1), period, spread));
  const angle = random.between(0, Math.PI);
  const [cos, sin] = [Math.cos(angle) / period, Math.sin(angle) / period];
  const swing = (random.next() < 0.4 ? 0 : random.between(0.5, 2.5)) / period;
  const length = random.between(0.15, 0.35);
  return (x, y, channel) =>
    lookUp(cells[channel]!, x * cos + y * sin + swing * Math.sin((y * cos - x * sin) * period * length), 0);
}

/** Prints 150 to 200 dpi, with a different angle for each ink. */
function printHalftone(document: Size, spread: Spread, random: Random): FinePattern {
  const period = 25.4 / random.between(150, 200);
  const dot: Patch = { x: 0.5, y: 0.5, width: random.between(0.35, 0.7), height: random.between(0.35, 0.7) };
  const cells = mapChannels(() => blurCell([dot], 1, -random.between(0.2, 0.5), period, spread));
  const turns = [15, 75, 0].map((degrees) => (degrees * Math.PI) / 180);
  const cos = turns.map((turn) => Math.cos(turn) / period);
  const sin = turns.map((turn) => Math.sin(turn) / period);
  const edge = document.width * random.between(0.05, 0.3);
  return (x, y, channel) =>
    x > edge
      ? 1
      : lookUp(cells[channel]!, x * cos[channel]! + y * sin[channel]!, y * cos[channel]! - x * sin[channel]!);
}

/** Rings in rainbow colors, whose channels peak in different places, like a screen's. */
function layFoil(document: Size, spread: Spread, random: Random): FinePattern {
  const period = random.between(0.5, 3);
  const strength = random.between(0.2, 0.5);
  const cells = mapChannels((channel) =>
    blurCell([{ x: (channel + 0.5) / 3, y: 0.5, width: 0.4, height: 1 }], 1 - 0.4 * strength, strength, period, spread),
  );
  const middle = [random.between(-0.3, 0.3) * document.width, random.between(-0.3, 0.3) * document.height] as const;
  const radius = random.between(0.25, 0.6) * document.height;
  return (x, y, channel) => {
    const away = Math.hypot(x - middle[0], y - middle[1]);
    return away > radius ? 1 : lookUp(cells[channel]!, away / period, 0);
  };
}

function mapChannels(make: (channel: number) => Cell): Cells {
  return [make(0), make(1), make(2)];
}
