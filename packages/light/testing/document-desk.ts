// A document or screen held up to a laptop's camera: distance, tilt, and the light on it.

import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { Rgb } from '../src/colours.ts';
import type { Room } from './room.ts';

/** Surface of the document, or of a screen that shows it. */
export const SURFACES = ['paper', 'plastic', 'phone', 'tablet', 'matte_screen'] as const;
export type Surface = (typeof SURFACES)[number];

export interface Desk {
  /** Millimeters from the camera, which is above the screen and faces the same way. */
  distance: number;
  /** Radians: backwards and sideways. */
  tilt: readonly [number, number];
  /** Part of the screen with the colors, in millimeters from the camera, y down. */
  window: { left: number; right: number; top: number; bottom: number };
  /** Candela per square meter of a white window, times π. */
  brightness: number;
  /** Room light relative to the face: hands and heads cast shade, or a lamp is near. */
  roomShare: number;
  gradient: readonly [number, number];
  /** Light scattered by a surface without its own picture, and mirrored light. */
  haze: number;
  mirror: number;
  /** Degrees over which a rough surface spreads mirrored light. */
  spread: number;
  /** Light of a screen's white area, as lux on white paper; 0 if it is no screen. */
  glow: number;
  glowTint: Rgb;
}

/** Laptop screen in millimeters, and the share of the page that is neither picture nor button. */
const [SCREEN_WIDTH, SCREEN_HEIGHT] = [310, 190];
const PAGE_LIT = [0.5, 0.8] as const;
/** π times 40 to 500 candela per square meter. */
const [DIMMEST, BRIGHTEST] = [125, 1_570];

export function drawDesk(room: Room, surface: Surface, millimeters: { width: number; height: number }, seed: number) {
  const random = createRandom(seed * 7_368_787 + 11);
  const between = (low: number, high: number) => low + random() * (high - low);
  const share = between(0.6, 1);
  const top = between(12, 40);
  const width = SCREEN_WIDTH * share;
  const shift = between(-0.5, 0.5) * (SCREEN_WIDTH - width);
  const window = {
    left: shift - width / 2,
    right: shift + width / 2,
    top,
    bottom: Math.min(top + SCREEN_HEIGHT * share, 200),
  };
  const isScreen = surface !== 'paper' && surface !== 'plastic';
  const fill = between(0.62, 0.86);
  // Like the simulated lenses of `packages/documents/testing`: 58 degrees wide.
  const distance = Math.max((0.9 * millimeters.width) / fill, (1.6 * millimeters.height) / fill);
  // Derives the emitted light from the face's illumination at its distance.
  const area = (SCREEN_WIDTH * SCREEN_HEIGHT) / 1e6;
  const desk: Desk = {
    distance,
    tilt: [between(-0.17, 0.17), between(-0.14, 0.14)],
    window,
    brightness: ((Math.PI * room.screenLux * room.distance ** 2) / area) * between(...PAGE_LIT),
    roomShare: between(0.4, 1.5),
    gradient: [between(-0.3, 0.3), between(-0.3, 0.3)],
    ...drawSurface(surface, between),
    glow: isScreen ? Math.exp(between(Math.log(DIMMEST), Math.log(BRIGHTEST))) : 0,
    glowTint: random() < 0.2 ? [1, 0.9, 0.72] : [0.96, 1, between(1, 1.08)],
  };
  return desk;
}

/** Glass mirrors 4 %, coated glass 1 % or more. Rough screens spread and scatter it. */
function drawSurface(surface: Surface, between: (low: number, high: number) => number) {
  switch (surface) {
    case 'paper':
      return { haze: 0, mirror: between(0, 0.01), spread: 12 };
    case 'plastic':
      return { haze: 0, mirror: between(0.03, 0.05), spread: 1 };
    case 'phone':
      return { haze: between(0.003, 0.012), mirror: between(0.02, 0.05), spread: 0 };
    case 'tablet':
      return { haze: between(0.005, 0.015), mirror: between(0.015, 0.05), spread: 0 };
    case 'matte_screen':
      return { haze: between(0.01, 0.03), mirror: between(0.03, 0.045), spread: 8 };
  }
}

/** Returns the lux of a white window at a point; x right, y down, z toward the camera. */
export function lightFromWindow({ window, brightness }: Desk, at: Rgb, normal: Rgb): number {
  const [columns, rows] = [8, 6];
  const piece = ((window.right - window.left) / columns) * ((window.bottom - window.top) / rows);
  let lux = 0;
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const x = window.left + ((column + 0.5) / columns) * (window.right - window.left) - at[0];
      const y = window.top + ((row + 0.5) / rows) * (window.bottom - window.top) - at[1];
      const z = at[2];
      const away = Math.hypot(x, y, z);
      const leaves = z / away;
      const lands = (normal[0] * x + normal[1] * y + normal[2] * z) / away;
      // Screens are dimmer from the side than paper.
      if (lands > 0) lux += ((brightness / Math.PI) * piece * leaves ** 1.5 * lands) / away ** 2;
    }
  return lux;
}

/** Returns where the camera's mirrored ray hits the screen's plane; null if it does not. */
export function mirrorToScreen(at: Rgb, normal: Rgb): readonly [number, number] | null {
  const away = Math.hypot(...at);
  const look = [at[0] / away, at[1] / away, -at[2] / away] as const;
  const along = look[0] * normal[0] + look[1] * normal[1] + look[2] * normal[2];
  const back = look.map((value, i) => value - 2 * along * normal[i]!) as [number, number, number];
  if (back[2] <= 0) return null;
  const far = at[2] / back[2];
  return [at[0] + back[0] * far, at[1] + back[1] * far];
}
