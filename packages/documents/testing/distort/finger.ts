// A fingertip holding the edge of the document.

import { paint, type Scene, type Size } from './canvas.ts';
import type { Random } from './random.ts';

const SKINS: readonly (readonly [number, number, number])[] = [
  [232, 190, 165],
  [205, 152, 120],
  [150, 102, 74],
  [98, 64, 46],
];
/** Radius of a fingertip in millimeters. */
const RADIUS = 8;
const LENGTH = 70;

/** At the left or right edge above the middle, covering 2.5 to 5 mm. */
export function drawFinger(scene: Scene, { width, height }: Size, random: Random): void {
  const side = random.sign();
  const skin = random.pick(SKINS);
  const inside = random.between(2.5, 5);
  const tipX = side * (width / 2 - inside + RADIUS);
  const tipY = -height * random.between(0.05, 0.3);
  const slant = random.between(-0.35, 0.35);
  const [alongX, alongY] = [side * Math.cos(slant), Math.sin(slant)];
  const left = side < 0 ? tipX - LENGTH : tipX - RADIUS - 2;
  const bounds = { left, right: left + LENGTH + RADIUS + 2, top: tipY - LENGTH / 2, bottom: tipY + LENGTH / 2 };
  paint(scene, bounds, (x, y, at) => {
    const along = Math.max(0, (x - tipX) * alongX + (y - tipY) * alongY);
    const away = Math.hypot(x - tipX - along * alongX, y - tipY - along * alongY);
    // Wider toward the hand.
    const part = away / (RADIUS + along * 0.03);
    if (part >= 1.18) return;
    if (part >= 1) {
      const dark = 1 - 0.35 * (1.18 - part) * 5.5;
      for (let channel = 0; channel < 3; channel += 1) scene.data[at + channel] = scene.data[at + channel]! * dark;
      return;
    }
    const round = Math.sqrt(1 - part * part);
    const nail = Math.hypot((along - 1) / 5.2, ((y - tipY) * alongX - (x - tipX) * alongY) / 4.6);
    const light = (0.62 + 0.4 * round) * (along < 9 && nail < 1 ? 1.07 : 1) * (1 - 0.03 * Math.cos(along * 1.1));
    for (let channel = 0; channel < 3; channel += 1) scene.data[at + channel] = skin[channel]! * light;
  });
}
