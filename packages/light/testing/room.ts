// Rooms for light simulations: brightness, direction, distance of the screen, and camera.

import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { Rgb } from '../src/colours.ts';

export interface Room {
  /** Room light on a face, in lux. */
  ambientLux: number;
  /** Color of the light relative to white. Lamps are warm and windows cool; most rooms mix them. */
  ambientTint: Rgb;
  directedTint: Rgb;
  /** Direction of the strongest source, and its share of the light. */
  ambientFrom: Rgb;
  ambientDirected: number;
  /** White screen on the face, in lux and by channel; many screens are warm at night. */
  screenLux: number;
  screenTint: Rgb;
  /** Share of the screen with the page's colors, without browser, other windows and preview. */
  pageShare: number;
  /** Meters. */
  distance: number;
  /** Difference of lamp light between the sides of a face, apart from its shape. */
  gradient: number;
  /** Direction from the face to the screen's center, below the camera on phones and laptops. */
  screenFrom: Rgb;
  /** Screen light on the wall relative to the face. */
  screenOnWall: number;
  wall: Rgb;
  /** Amount of motion in the background on one side. */
  stir: number;
  /** Middle of the face as shares of the frame, and pixels between the eyes. */
  face: { x: number; y: number; size: number };
  camera: CameraKind;
}

export interface CameraKind {
  framesPerSecond: number;
  /** Delay from light to the page's frame. */
  latencyMs: number;
  /** Time constants of exposure and white balance. */
  exposureSeconds: number;
  whiteSeconds: number;
  /** Share of the previous frame, because cameras denoise over time. */
  smoothing: number;
  /** Electrons of a white pixel per lux, up to its capacity. */
  electronsPerLux: number;
  /** Quantization step of a block's mean color, of 255. */
  colourStep: number;
  /** Mains flicker: amplitude and frequency as seen in the frames. */
  flicker: number;
  flickerHz: number;
}

export interface RoomChoice {
  ambientLux: number;
  framesPerSecond: number;
  /** Meters from the screen. */
  distance: number;
  screen: 'phone' | 'laptop';
}

/** White light of a phone at 35 cm and of a laptop at 50 cm, at full brightness. */
const SCREEN = {
  phone: { lux: [10, 25], at: 0.35, page: [0.68, 0.8] },
  laptop: { lux: [25, 60], at: 0.5, page: [0.42, 0.72] },
} as const;
const LAMPS: readonly Rgb[] = [
  [1.35, 1, 0.55],
  [1.15, 1, 0.78],
  [1, 1, 1],
  [0.93, 1, 1.12],
];

/** Draws a random room that fits the choice. */
export function drawRoom(choice: RoomChoice, seed: number): Room {
  const random = createRandom(seed * 2_654_435 + 17);
  const between = (low: number, high: number) => low + random() * (high - low);
  const { lux, at, page } = SCREEN[choice.screen];
  const brightness = between(0.2, 1);
  const isNight = random() < 0.25;
  const screenLux = between(lux[0], lux[1]) * brightness * (at / choice.distance) ** 2;
  const side = between(-1, 1);
  const from = unit([side, between(-1, -0.2), between(0, 0.9)]);
  const wallAway = between(0.4, 3);
  return {
    ambientLux: choice.ambientLux,
    ambientTint: LAMPS[Math.floor(random() * LAMPS.length)]!,
    directedTint: LAMPS[Math.floor(random() * LAMPS.length)]!,
    ambientFrom: from,
    ambientDirected: between(0.2, 0.65),
    screenLux,
    screenTint: isNight ? [1, 0.85, 0.55] : [1, 1, 1],
    distance: choice.distance,
    gradient: between(-0.12, 0.12),
    screenFrom: unit([between(-0.1, 0.1), between(0.1, 0.3), 1]),
    screenOnWall: (choice.distance / (choice.distance + wallAway)) ** 2 + 0.01,
    wall: [between(0.25, 0.75), between(0.25, 0.75), between(0.25, 0.7)],
    stir: random() < 0.15 ? between(0.1, 0.5) : 0,
    face: {
      x: between(0.45, 0.55),
      y: between(0.38, 0.46),
      size: Math.min(Math.max((0.35 / choice.distance) * between(44, 54), 24), 62),
    },
    camera: {
      framesPerSecond: choice.framesPerSecond,
      latencyMs: between(50, 200),
      exposureSeconds: between(0.3, 2),
      whiteSeconds: between(0.5, 3),
      smoothing: random() < 0.5 ? 0 : between(0.1, 0.45),
      electronsPerLux: between(20, 60),
      colourStep: between(0.4, 1.2),
      flicker: between(0, 0.03),
      flickerHz: between(0.3, 8),
    },
    pageShare: between(page[0], page[1]),
  };
}

export function unit([x, y, z]: Rgb): Rgb {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}
