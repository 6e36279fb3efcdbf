// A photocopy of a document: gray, high contrast, with toner specks, on larger white paper.

import type { Picture } from '../../src/image/gray.ts';
import { paint, type Scene } from './canvas.ts';
import type { Random } from './random.ts';

const PAPER = [246, 246, 243] as const;

/** Lays an A4 sheet below the document, whose edge is sometimes in the frame. */
export function layPaper(scene: Scene, random: Random): void {
  const [left, top] = [-105 + random.between(-30, 30), -148 + random.between(-70, 70)];
  paint(scene, { left, top, right: left + 210, bottom: top + 297 }, (_x, _y, at) => {
    for (let channel = 0; channel < 3; channel += 1) scene.data[at + channel] = PAPER[channel]!;
  });
}

export function copyOnPaper(document: Picture, random: Random): Picture {
  const data = new Uint8ClampedArray(document.data.length);
  const contrast = random.between(1.7, 2.3);
  const middle = random.between(128, 150);
  for (let at = 0; at < data.length; at += 4) {
    const cover = document.data[at + 3]! / 255;
    const gray = 0.3 * document.data[at]! + 0.59 * document.data[at + 1]! + 0.11 * document.data[at + 2]!;
    const pushed = Math.min(255, Math.max(0, (gray - middle) * contrast + middle));
    // Toner is never fully black, and uneven in large areas.
    let level = (28 + pushed * 0.85) * cover + 246 * (1 - cover);
    if (random.next() < 0.02) level += random.between(-40, 40);
    data[at] = level;
    data[at + 1] = level;
    data[at + 2] = level;
    data[at + 3] = 255;
  }
  const copy = { width: document.width, height: document.height, data };
  for (let speck = 0; speck < 260; speck += 1) sprinkle(copy, random);
  return copy;
}

function sprinkle(copy: Picture, random: Random): void {
  const [x, y] = [random.below(copy.width), random.below(copy.height)];
  const radius = random.between(0.5, 2.2);
  const level = random.between(30, 120);
  for (let row = Math.ceil(y - radius); row <= y + radius; row += 1)
    for (let column = Math.ceil(x - radius); column <= x + radius; column += 1) {
      if (row < 0 || column < 0 || row >= copy.height || column >= copy.width) continue;
      const at = (row * copy.width + column) * 4;
      copy.data.fill(level, at, at + 3);
    }
}
