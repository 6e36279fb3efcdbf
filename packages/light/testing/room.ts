// Rooms for the simulation of light: how bright, lit from where, how far the screen, what kind of camera.

import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { Rgb } from '../src/colours.ts';

export interface Room {
  /** Of the room's own light on a face, lux. */
  ambientLux: number;
  /** By channel, against white; lamps are warm, windows are cool, and most rooms have more than one kind of light. */
  ambientTint: Rgb;
  directedTint: Rgb;
  /** The way to the strongest lamp or window, and the share of the light that comes from it. */
  ambientFrom: Rgb;
  ambientDirected: number;
  /** Of a wholly white screen on the face, lux, and by channel: at night many are warm. */
  screenLux: number;
  screenTint: Rgb;
  /** Of the screen, what shows the page's colours: the rest is the browser's, other windows, and the person's own picture. */
  pageShare: number;
  /** Metres. */
  distance: number;
  /** How much more lamp light falls on one side of a face than on the other, beside what its shape does. */
  gradient: number;
  /** The way to the screen's middle, from the face: below the camera on phones and laptops. */
  screenFrom: Rgb;
  /** Light that the screen leaves on the wall behind, as a share of that on the face. */
  screenOnWall: number;
  wall: Rgb;
  /** Somebody or something moves in it: how much of it, on one side. */
  stir: number;
  /** Middle of the face, in shares of the frame, and pixels between the eyes. */
  face: { x: number; y: number; size: number };
  /** A screen that asks for nothing is lit too, and the room scatters. */
  camera: CameraKind;
}

export interface CameraKind {
  framesPerSecond: number;
  /** From the light to the frame in the page. */
  latencyMs: number;
  /** Seconds in which exposure and white balance follow. */
  exposureSeconds: number;
  whiteSeconds: number;
  /** Share of the frame before in each frame: cameras smooth noise over time. */
  smoothing: number;
  /** Electrons of a white pixel per lux, up to what the pixel holds. */
  electronsPerLux: number;
  /** How coarsely colour is written down: the step of a block's mean, of 255. */
  colourStep: number;
  /** Mains: share by which lamps go up and down, as the frames see it, and how often a second. */
  flicker: number;
  flickerHz: number;
}

export interface RoomChoice {
  ambientLux: number;
  framesPerSecond: number;
  /** Metres from the screen. */
  distance: number;
  screen: 'phone' | 'laptop';
}

/** White light at 35 cm of a phone, and at 50 cm of a laptop, at full brightness. */
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

/** One of the many rooms that fit the choice. */
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
