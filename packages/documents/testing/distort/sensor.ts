// Sensor noise, and a bright reflection of the lamp.

import type { Picture } from '../../src/image/gray.ts';
import { createRandom, type Random } from './random.ts';

/** A power of two, large enough to hide the repetition. */
const GRAINS = 65_536;

const grains = new Float32Array(GRAINS);

/** Shared by all cameras, which use different offsets. Created on demand. */
function takeGrain(): Float32Array {
  if (grains[0] === 0) {
    const random = createRandom(1);
    for (let i = 0; i < GRAINS; i += 1) grains[i] = random.normal();
  }
  return grains;
}

/** Shares of the deviation, common and per channel. Their squares add up to 1. */
const COMMON = 0.9;
const OWN = Math.sqrt(1 - COMMON ** 2);

/**
 * Demosaicing correlates the noise of a pixel's channels, so averaging to gray does not remove it.
 * Each row starts elsewhere in the grain, which is cheap and looks like fresh noise.
 */
export function addNoise(picture: Picture, deviation: number, random: Random): void {
  const grain = takeGrain();
  const { data, width, height } = picture;
  const [common, own] = [deviation * COMMON, deviation * OWN];
  let at = 0;
  for (let row = 0; row < height; row += 1) {
    let from = random.below(GRAINS);
    for (let column = 0; column < width; column += 1) {
      const shared = grain[from & (GRAINS - 1)]! * common;
      data[at] = data[at]! + shared + grain[(from + 1) & (GRAINS - 1)]! * own;
      data[at + 1] = data[at + 1]! + shared + grain[(from + 2) & (GRAINS - 1)]! * own;
      data[at + 2] = data[at + 2]! + shared + grain[(from + 3) & (GRAINS - 1)]! * own;
      from += 5;
      at += 4;
    }
  }
}

export interface Glare {
  /** Frame pixels. */
  readonly x: number;
  readonly y: number;
  readonly radiusX: number;
  readonly radiusY: number;
  /** 1: white in the middle, even on black. */
  readonly strength: number;
}

/** Adds a saturated core, with a halo that reduces contrast. */
export function addGlare(picture: Picture, { x, y, radiusX, radiusY, strength }: Glare): void {
  const { data, width, height } = picture;
  const top = Math.max(0, Math.floor(y - radiusY * 2.4));
  const bottom = Math.min(height - 1, Math.ceil(y + radiusY * 2.4));
  const left = Math.max(0, Math.floor(x - radiusX * 2.4));
  const right = Math.min(width - 1, Math.ceil(x + radiusX * 2.4));
  for (let row = top; row <= bottom; row += 1) {
    for (let column = left; column <= right; column += 1) {
      const distance = ((column - x) / radiusX) ** 2 + ((row - y) / radiusY) ** 2;
      const light = 255 * strength * Math.exp(-1.6 * distance);
      if (light < 1) continue;
      const at = (row * width + column) * 4;
      data[at] = data[at]! + light;
      data[at + 1] = data[at + 1]! + light;
      data[at + 2] = data[at + 2]! + light * 0.97;
    }
  }
}
