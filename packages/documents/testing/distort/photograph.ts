// A document in front of a camera: one frame, or a live camera in an unsteady hand.

import type { Picture } from '../../src/image/gray.ts';
import type { Bounds, Size } from './canvas.ts';
import { compressPicture } from './compress.ts';
import type { FinePattern } from './fine-pattern.ts';
import { createPrint, type Print } from './fine-print.ts';
import { CAMERA_KINDS, CAMERAS, type CameraName, exposeMosaic } from './mosaic.ts';
import { applyTo, invert, measureReach, type Pose, project } from './pose.ts';
import { createRandom, type Random } from './random.ts';
import { buildScene } from './scene.ts';
import { placeScreen } from './screen.ts';
import { createGrid, SCREENS, type ScreenName } from './screen-kinds.ts';
import { addGlare, addNoise } from './sensor.ts';
import { type Distortion, planShot, type Shot, type Table } from './shots.ts';
import { warpScene } from './warp.ts';

export interface PhotographOptions {
  /** Frame size; by default 1280 × 720. */
  readonly width?: number;
  readonly height?: number;
  readonly seed: number;
  /** True size of the document. */
  readonly millimetres: Size;
  /** Orientation in degrees clockwise. */
  readonly turn?: 0 | 90 | 180 | 270;
  readonly table?: Table;
  /** By default chosen by the seed for screens, and otherwise none, which is faster. */
  readonly camera?: CameraName;
  /** By default chosen by the seed. */
  readonly screen?: ScreenName;
  /** Print finer than a specimen's. Only visible with a given camera. */
  readonly print?: Print;
  /** Captures only the middle of the frame in this size: much faster, for examining print. */
  readonly part?: Size;
}

export interface Camera {
  /** Corners of the document in frame 0, clockwise from its own top left. */
  readonly corners: readonly { x: number; y: number }[];
  /** About ten frames a second. Frames are deterministic by number. */
  shoot(frame: number): Picture;
}

/** Takes a frame with the document on a table. */
export function photograph(document: Picture, how: Distortion, options: PhotographOptions): Picture {
  return createCamera(document, how, options).shoot(0);
}

/** Scene pixels per frame pixel: fine enough to lose nothing, coarse enough not to alias. */
const FINER = 1.15;
/** Focal length of a phone or laptop in frame widths (longer side): about 58 degrees. */
const FOCAL = 0.9;
/** Maximum reach of a corner, so that an unsteady hand does not cut it off. */
const REACH = 0.95;

export function createCamera(document: Picture, how: Distortion, options: PhotographOptions): Camera {
  const { seed, millimetres: millimeters, turn = 0 } = options;
  const whole = { width: options.width ?? 1280, height: options.height ?? 720 };
  const { width, height } = options.part ?? whole;
  const random = createRandom(seed * 31 + 17);
  const planned = planShot(how, random);
  const cameraName = options.camera ?? (planned.medium === 'screen' ? random.pick(CAMERAS) : null);
  const device = cameraName && CAMERA_KINDS[cameraName];
  const shot: Shot = {
    ...planned,
    ...(options.table && { table: options.table }),
    ...(device && { blur: random.between(...device.blur), quality: random.between(...device.quality) }),
  };
  const pose = choosePose(shot, whole, millimeters, turn, random);
  const perMillimeter = pose.focal / pose.distance;
  const bounds = findBounds(pose, { width, height });
  const still = project(pose, width, height);
  const glareAt = [
    random.between(-0.4, 0.4) * millimeters.width,
    random.between(-0.4, 0.3) * millimeters.height,
  ] as const;
  const glareSize = random.between(0.06, 0.12) * millimeters.width * perMillimeter;
  const setUp = () => {
    const lit = shot.medium === 'screen' ? placeScreen(millimeters, random) : null;
    const scene = buildScene(
      {
        document,
        millimetres: millimeters,
        shot,
        bounds,
        lit,
        pixelsPerMillimetre: perMillimeter * FINER,
        finer: FINER,
      },
      random,
    );
    let pattern: FinePattern | null = null;
    if (device) {
      const optics = Math.hypot(shot.blur, shot.motion / Math.sqrt(12)) / perMillimeter;
      const spread = { pixel: 1 / perMillimeter / device.finer, optics };
      if (lit) pattern = within(lit, createGrid(options.screen ?? random.pick(SCREENS), millimeters, spread, random));
      else if (options.print) pattern = createPrint(options.print, millimeters, spread, random);
    }
    return { scene, pattern };
  };
  // Created on demand, because it is slow and the corners do not need it.
  let stage: ReturnType<typeof setUp> | undefined;
  return {
    corners: listCorners(millimeters).map(([x, y]) => {
      const [px, py] = applyTo(still, x, y);
      return { x: px, y: py };
    }),
    shoot(frame) {
      const picture = { width, height, data: new Uint8ClampedArray(width * height * 4) };
      stage ??= setUp();
      const toPlane = invert(project(shake(pose, frame, seed), width, height));
      if (device) exposeMosaic(stage.scene, toPlane, picture, device, stage.pattern);
      else warpScene(stage.scene, toPlane, picture);
      const chance = createRandom(seed * 7919 + frame);
      if (shot.glare > 0) {
        // The lamp stays in place while the document moves.
        const [x, y] = applyTo(still, glareAt[0], glareAt[1]);
        addGlare(picture, { x, y, radiusX: glareSize * 1.5, radiusY: glareSize, strength: shot.glare });
      }
      addNoise(picture, shot.noise, chance);
      if (shot.quality) compressPicture(picture, shot.quality);
      return picture;
    },
  };
}

function within({ left, right, top, bottom }: Bounds, pattern: FinePattern): FinePattern {
  return (x, y, channel) => (x < left || x > right || y < top || y > bottom ? 1 : pattern(x, y, channel));
}

function choosePose(shot: Shot, frame: Size, document: Size, turn: number, random: Random): Pose {
  const isUpright = turn % 180 === 0;
  const [across, down] = isUpright ? [document.width, document.height] : [document.height, document.width];
  const perMillimeter = Math.min((shot.fill[0] * frame.width) / across, (shot.fill[1] * frame.height) / down);
  const focal = FOCAL * Math.max(frame.width, frame.height);
  const tilt = [shot.tilt[0], shot.tilt[1], shot.tilt[2] + turn] as const;
  let distance = focal / perMillimeter;
  let pose: Pose = { tilt, shift: [0, 0], distance, focal };
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const reach = measureReach(
      project(pose, frame.width, frame.height),
      listCorners(document),
      frame.width,
      frame.height,
    );
    if (reach <= REACH) {
      // Uses the remaining room, because no one centers a document exactly.
      const room = (REACH - reach) * 0.5;
      const shift = [0.5 * frame.width, 0.5 * frame.height].map(
        (half) => (random.between(-room, room) * half * distance) / focal,
      ) as [number, number];
      return { ...pose, shift };
    }
    distance *= (reach / REACH) * 1.005;
    pose = { ...pose, distance };
  }
  return pose;
}

function listCorners({ width, height }: Size): [number, number][] {
  const [x, y] = [width / 2, height / 2];
  return [
    [-x, -y],
    [x, -y],
    [x, y],
    [-x, y],
  ];
}

/** Returns the part of the table visible in any frame. */
function findBounds(pose: Pose, { width, height }: Size): Bounds {
  const back = invert(project(pose, width, height));
  const places = listCorners({ width, height }).map(([x, y]) =>
    applyTo(back, x * 1.05 + width / 2, y * 1.05 + height / 2),
  );
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** Frame 0 is exact. Later ones sway by up to a degree and a few millimeters. */
function shake(pose: Pose, frame: number, seed: number): Pose {
  if (frame === 0) return pose;
  const sway = (speed: number, phase: number) => Math.sin(frame * speed + phase + seed) - Math.sin(phase + seed);
  const [a, b, c] = pose.tilt;
  const [x, y] = pose.shift;
  return {
    ...pose,
    tilt: [a + 0.5 * sway(0.31, 1), b + 0.5 * sway(0.23, 2), c + 0.3 * sway(0.17, 3)],
    shift: [x + 0.8 * sway(0.27, 4), y + 0.6 * sway(0.37, 5)],
    distance: pose.distance * (1 + 0.008 * sway(0.13, 6)),
  };
}
