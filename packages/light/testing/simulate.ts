// Simulates a light challenge without a browser: a head or fake in a room with screen and camera,
// frame by frame.

import { drawLandmarks } from '@limen/face-geometry/testing/drawn-face.ts';
import { sway } from '@limen/face-geometry/testing/head-motion.ts';
import { createRandom } from '@limen/face-geometry/testing/random.ts';
import { LIGHT_COLORS, LIGHT_LEAST_COLORS, LIGHT_LENGTH, type LightColor } from '@limen/plan';
import { emissionAt, type Rgb, type ShownColor } from '../src/colours.ts';
import { judgeLight, type LightJudgment, mayTellMore } from '../src/judge-light.ts';
import { type LightSample, measureLight } from '../src/measure-light.ts';
import { createCamera } from './camera.ts';
import { createHead, type HeadMap, type OneSided, SKIN_TONES } from './head.ts';
import { addLight, computeOpacity, computeShare, feather, layOver } from './paint.ts';
import { type Room, unit } from './room.ts';

/** Subject in front of the camera, or injected in its place. */
export const SPECIES = [
  'person',
  'person_hair',
  'person_mark',
  'person_aside',
  'injected',
  'injected_clean',
  'injected_tinted_late',
  'injected_face_tinted',
  'injected_feathered',
  'injected_overlay',
  'injected_added',
  'injected_relit',
  'print',
  'print_bent',
  'tablet',
  'recorded_light',
] as const;
export type Species = (typeof SPECIES)[number];

const ONE_SIDED: Partial<Record<Species, OneSided>> = { person_hair: 'hair', person_mark: 'mark' };
/** Sideways offset of a screen per meter of distance. */
const ASIDE = 0.35;

export interface Played {
  shown: ShownColor[];
  samples: LightSample[];
}

export interface PlayOptions {
  room: Room;
  species: Species;
  /** Index of one of six skin tones. */
  tone: number;
  seed: number;
  colourMs?: number | undefined;
}

const [WIDTH, HEIGHT] = [320, 240];
/** Warm-up of the camera before the colors. */
const BEFORE_MS = 1_200;
const COLOR_MS = 450;
/** Keeps the last color until the slowest camera has seen it. */
const AFTER_MS = 350;
/** Time of the page to judge a round. */
const JUDGED_MS = 150;
/** Specular reflection of skin, equal for all tones. */
const GLOSS = 0.02;
/** Reflection of glass, and light of a tablet as lux on equally bright white paper. */
const GLASS = 0.04;
const TABLET_LUX = 700;

export function playLight({ onlyFirst = false, ...options }: PlayOptions & { onlyFirst?: boolean }): Played {
  const sitting = sitDown(options);
  sitting.playTo(findEnd(sitting.shown, options.colourMs, onlyFirst));
  return sitting;
}

/** Judges like the page: plays a second round only after an unclear first one. */
export function playAndJudge(options: PlayOptions): LightJudgment {
  const { shown, samples, playTo } = sitDown(options);
  playTo(findEnd(shown, options.colourMs, true));
  const judged = judgeLight(samples, shown.slice(0, LIGHT_LENGTH));
  if (!mayTellMore(judged)) return judged;
  playTo(findEnd(shown, options.colourMs, false));
  return judgeLight(samples, shown);
}

interface Sitting extends Played {
  /** Plays up to this time, in milliseconds after the first color. */
  playTo(end: number): void;
}

function sitDown({ room, species, tone, seed, colourMs: colorMs = COLOR_MS }: PlayOptions): Sitting {
  const random = createRandom(seed * 40_503 + 7);
  const shown = drawRounds(random, colorMs);
  const seen = species === 'recorded_light' ? drawRounds(random, colorMs) : shown;
  const isFlat = species === 'print' || species === 'print_bent' || species === 'tablet';
  const head = createHead(
    SKIN_TONES[tone]!,
    isFlat
      ? { bend: species === 'print_bent' ? 0.5 : 0, litFrom: drawStudio(createRandom(seed * 7_919 + 3)) }
      : undefined,
    ONE_SIDED[species],
  );
  const { camera: kind } = room;
  const frameMs = 1000 / kind.framesPerSecond;
  const isInjected = species.startsWith('injected');
  // A tinting program sees the color first, at the screen's rate.
  const lateMs = isInjected ? 30 + 70 * random() : 0;
  const camera = createCamera(
    species === 'injected_clean' ? { ...kind, electronsPerLux: 400, smoothing: 0, colourStep: 0.3 } : kind,
    WIDTH,
    HEIGHT,
    random,
  );
  const draw = createScene(species === 'person_aside' ? turnScreen(room, random) : room, species, head, random);
  const samples: LightSample[] = [];
  function playFrame(time: number): void {
    const motion = sway(time, seed % 9973);
    const x = room.face.x * WIDTH + motion.x * room.face.size;
    const y = room.face.y * HEIGHT + motion.y * room.face.size;
    const pose = { x, y, size: room.face.size, yaw: motion.yaw, pitch: motion.pitch, roll: motion.roll };
    const emission = emissionAt(seen, time - (isInjected ? lateMs : kind.latencyMs));
    const frame = camera.take(draw(pose, emission, time), samples.length === 0 ? 1e6 : frameMs);
    if (species === 'injected_overlay') layOver(frame, pose, emission, computeOpacity(room));
    if (species === 'injected_added') addLight(frame, pose, emission, computeShare(room));
    const jitter = 0.012 * room.face.size;
    // Landmarks rotate around the neck, half an eye distance below and behind.
    const neck = { ...pose, y: y + 0.5 * pose.size, size: (pose.size * 8.2) / 9 };
    const landmarks = drawLandmarks(neck).map((value) => value + jitter * (random() + random() + random() - 1.5) * 2);
    if (time < shown[0]!.at) return;
    const box = {
      x: x - (1.05 + 0.03 * random()) * pose.size,
      y: y - (1.15 + 0.03 * random()) * pose.size,
      width: 2.1 * pose.size,
      height: 2.9 * pose.size,
    };
    samples.push(measureLight(frame, landmarks, box, time));
  }
  let next = -BEFORE_MS;
  return {
    shown,
    samples,
    playTo(end) {
      for (; next < end; next += frameMs * (0.85 + 0.3 * random())) playFrame(next);
    },
  };
}

/** Moves the screen about 20 degrees sideways, like a second monitor. */
function turnScreen(room: Room, random: () => number): Room {
  const [, y, z] = room.screenFrom;
  return { ...room, screenFrom: unit([(random() < 0.5 ? -1 : 1) * ASIDE, y, z]) };
}

/** A photo keeps its original light, from either side and above. */
function drawStudio(random: () => number): Rgb {
  return unit([2 * random() - 1, -1 + 0.8 * random(), 0.3 + 0.7 * random()]);
}

/** Draws both rounds, with the time for judging in between. */
export function drawRounds(random: () => number, colorMs: number): ShownColor[] {
  const first = drawColors(random, undefined);
  const second = drawColors(random, first.at(-1));
  const secondAt = first.length * colorMs + AFTER_MS + JUDGED_MS;
  return [
    ...first.map((color, i) => ({ colour: color, at: i * colorMs })),
    ...second.map((color, i) => ({ colour: color, at: secondAt + i * colorMs })),
  ];
}

function drawColors(random: () => number, before: LightColor | undefined): LightColor[] {
  for (;;) {
    const colors: LightColor[] = [];
    while (colors.length < LIGHT_LENGTH) {
      const color = LIGHT_COLORS[Math.floor(random() * LIGHT_COLORS.length)]!;
      if (color !== (colors.at(-1) ?? before)) colors.push(color);
    }
    if (new Set(colors).size >= LIGHT_LEAST_COLORS) return colors;
  }
}

/** Returns the end of the last color, including the slowest camera's delay. */
export function findEnd(shown: readonly ShownColor[], colorMs = COLOR_MS, onlyFirst = false): number {
  return shown.at(onlyFirst ? LIGHT_LENGTH - 1 : -1)!.at + colorMs + AFTER_MS;
}

/** Returns the round that is judged first. */
export function takeFirst<Sample extends { at: number }>(shown: readonly ShownColor[], samples: readonly Sample[]) {
  const firstEnd = shown[LIGHT_LENGTH]!.at - JUDGED_MS;
  return { shown: shown.slice(0, LIGHT_LENGTH), samples: samples.filter(({ at }) => at < firstEnd) };
}

interface Placed {
  x: number;
  y: number;
  size: number;
  yaw: number;
  pitch: number;
  roll: number;
}

type Draw = (pose: Placed, emission: Rgb, time: number) => Float32Array;

/** Computes the reflected lux per pixel. */
function createScene(room: Room, species: Species, head: HeadMap, random: () => number): Draw {
  const light = new Float32Array(WIDTH * HEIGHT * 3);
  const pattern = Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) => drawWall(i % WIDTH, Math.floor(i / WIDTH)));
  const cloth = 0.1 + 0.5 * random();
  const { ambientLux, ambientTint, directedTint, ambientFrom, ambientDirected, screenFrom, screenOnWall, wall } = room;
  const { screenTint, gradient } = room;
  const screenLux = room.screenLux * room.pageShare;
  /** Painted light is as strong as the screen's. */
  const painted = computeShare(room);
  /** Eyes are 6.3 cm apart. */
  const perDistance = 0.063 / room.distance;
  const phase = random() * 7;
  const beat = 0.9 + 0.6 * random();

  function drawWall(x: number, y: number): number {
    return 1 + 0.25 * Math.sin(x / 23 + 1) * Math.cos(y / 31) + (Math.floor(x / 40) % 3 === 0 ? -0.3 : 0);
  }

  return (pose, emission, time) => {
    const isPlay = species.startsWith('injected');
    const isScreened = !isPlay || species === 'injected_relit';
    const lamp =
      ambientLux * (1 + room.camera.flicker * Math.sin((time / 1000) * 2 * Math.PI * room.camera.flickerHz + phase));
    // The pulse is visible, most of all in green.
    const pulse =
      species === 'print' || species === 'print_bent' ? 1 : 1 + 0.003 * Math.sin((time / 1000) * 2 * Math.PI * beat);
    const stirred = room.stir > 0 ? Math.round(WIDTH * 0.25 * room.stir * (1 + Math.sin(time / 700))) : 0;
    const { across, down } = turnBy(pose.yaw, pose.pitch);
    const roll = (-pose.roll * Math.PI) / 180;
    const cos = Math.cos(roll) / pose.size;
    const sin = Math.sin(roll) / pose.size;
    const isTinted = species === 'injected_tinted_late' || species === 'injected_face_tinted';
    const isFeathered = species === 'injected_feathered';
    const isWallTinted = species === 'injected_tinted_late';
    const perStep = 1 / head.step;
    const { side, normals, albedo, depth } = head;
    for (let py = 0; py < HEIGHT; py += 1)
      for (let px = 0; px < WIDTH; px += 1) {
        const o = (py * WIDTH + px) * 3;
        const u = cos * (px - pose.x) - sin * (py - pose.y);
        const v = sin * (px - pose.x) + cos * (py - pose.y);
        const column = Math.round((u - head.left) * perStep);
        const row = Math.round((v - head.top) * perStep);
        let cell = -1;
        if (column >= 0 && row >= 0 && column < side && row < side) {
          // Nearer points move further when the head turns.
          const near = depth[row * side + column]!;
          const shifted = Math.round((u - near * across - head.left) * perStep);
          const lowered = Math.round((v - near * down - head.top) * perStep);
          if (shifted >= 0 && lowered >= 0 && shifted < side && lowered < side) cell = lowered * side + shifted;
        }
        const nz = cell >= 0 ? normals[cell * 3 + 2]! : 0;
        if (nz > 0) {
          const nx = normals[cell * 3]! + across * nz;
          const ny = normals[cell * 3 + 1]! + down * nz;
          const toLamp = Math.max(nx * ambientFrom[0] + ny * ambientFrom[1] + nz * ambientFrom[2], 0);
          const diffuse = lamp * (1 - ambientDirected) * (0.75 + 0.25 * nz);
          const directed = lamp * ambientDirected * toLamp * 1.6 * (1 + gradient * u);
          // Light falls off from the middle of the screen.
          const near = 1 / (1 + (u * u + v * v) * perDistance * perDistance) ** 2;
          const toScreen = near * Math.max(nx * screenFrom[0] + ny * screenFrom[1] + nz * screenFrom[2], 0);
          const gloss = GLOSS * toScreen ** 6;
          const lampGloss = GLOSS * toLamp ** 6;
          for (let c = 0; c < 3; c += 1) {
            const share = albedo[cell * 3 + c]!;
            const fromScreen = isScreened ? screenLux * screenTint[c]! * emission[c]! * toScreen : 0;
            const fromLamps = diffuse * ambientTint[c]! + directed * directedTint[c]!;
            let back = share * (fromLamps + fromScreen) * (c === 1 ? pulse : 1);
            back += gloss * fromScreen + lampGloss * directed * directedTint[c]!;
            if (species === 'tablet') back = share * TABLET_LUX + GLASS * (fromScreen + 0.3 * lamp);
            if (isTinted) back *= 1 + painted * emission[c]!;
            if (isFeathered) back *= 1 + painted * emission[c]! * feather(u, v);
            light[o + c] = back;
          }
        } else {
          const isBody = v > 1.9 && Math.abs(u) < 0.8 + (v - 1.9) * 1.6;
          const wallTone = pattern[py * WIDTH + px]!;
          for (let c = 0; c < 3; c += 1) {
            const share = isBody
              ? cloth
              : px < stirred
                ? 0.2 + 0.1 * c
                : wall[c]! * (1 + (wallTone - 1) * (1 - 0.2 * c));
            const fromScreen = isScreened ? screenLux * emission[c]! * (isBody ? 0.6 : screenOnWall) : 0;
            let back =
              share *
              (lamp * ((1 - ambientDirected) * ambientTint[c]! + ambientDirected * directedTint[c]!) * 0.85 +
                fromScreen);
            if (isWallTinted) back *= 1 + painted * emission[c]!;
            light[o + c] = back;
          }
        }
      }
    return light;
  };
}

function turnBy(yaw: number, pitch: number): { across: number; down: number } {
  return { across: Math.sin((yaw * Math.PI) / 180), down: -Math.sin((pitch * Math.PI) / 180) };
}
