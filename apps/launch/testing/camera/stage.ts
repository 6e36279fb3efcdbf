// Draws the scene frame by frame, and lets its people follow the page's prompts.

import { createFrame } from '@limen/face-geometry';
import type { HeadMotion } from '@limen/face-geometry/testing/head-motion.ts';
import { MOVEMENTS, type Movement } from '@limen/plan';
import { MOVEMENT_LOOKS } from '../../src/face/movement/movement-looks.ts';
import { createActor, DEFAULT_STYLE } from '../act.ts';
import { type PhotoPose, showPhoto } from '../flat-photo.ts';
import type { CameraData, Scene } from './scenes.ts';
import { createScreenLight, type LightShape, readGlow } from './screen-light.ts';
import { createContext, openPicture, openSitter, toImageData } from './sitter-on-page.ts';

/** Slower than people, because a busy machine analyzes three frames a second. */
const BLINK_MS = 700;
/** Brightness of the face: far below the page's minimum, but still detected. */
const DARK_LIGHT = 28;
const BLUR_FACTOR = 12;
/** Turns most of a face white, but it is still detected. */
const FLOOD = 'rgb(255 255 255 / 0.8)';
/** A photo is tilted further than a head, to compensate for what it cannot do. */
const PHOTO_TILT = 1.5;
const PHOTO_BLINK = 0.35;
/** Period of a moved photo. */
const WAVE_MS = 2_500;

/** First challenge answered by another person. */
const SWAPPED_FROM: Partial<Record<Scene, number>> = { swapped_first: 1, swapped_second: 2, swapped_third: 3 };
/** Longer than what the page tolerates, even at two frames a second. */
const INTERRUPTION_MS = 4_000;
const INTERRUPTIONS: Partial<Record<Scene, Scene>> = { left: 'nobody', joined: 'two_people' };

const CHALLENGE_OF_PROMPT = new Map<string, Movement>(
  MOVEMENTS.map((movement) => [MOVEMENT_LOOKS[movement].prompt, movement]),
);

export interface Stage {
  scene: Scene;
  draw(prompt: string | null, nowMs: number): void;
}

export async function createStage(data: CameraData, onto: CanvasRenderingContext2D): Promise<Stage> {
  const { width, height } = onto.canvas;
  const [main, other, far] = await Promise.all([data.main, data.other, data.far].map(openSitter));
  const room = (await openPicture(data.room)).canvas;
  const photo = createContext(main!.picture.width, main!.picture.height);
  const tiny = createContext(Math.round(width / BLUR_FACTOR), Math.round(height / BLUR_FACTOR));
  tiny.imageSmoothingQuality = 'high';
  const actor = createActor({ ...DEFAULT_STYLE, holdMs: data.holdMs, blinkMs: BLINK_MS });
  let asked: string | null = null;
  let askedAt = 0;
  let timesAsked = 0;
  let interruptedAt: number | null = null;
  let frames = 0;
  const lights = new Map(
    (['head', 'flat', 'everywhere', 'overlay'] as const).map((shape) => [
      shape,
      createScreenLight(main!.picture, data.main.landmarks, shape),
    ]),
  );

  /** Applies the page's light to the drawn picture. */
  function shine(scene: Scene): void {
    const emission = readGlow();
    const light = lights.get(LIGHTS[scene] ?? 'head');
    if (!emission || !light || scene === 'unlit') return;
    if (scene === 'flooded') {
      onto.fillStyle = FLOOD;
      onto.fillRect(0, 0, width, height);
      return;
    }
    const picture = onto.getImageData(0, 0, width, height);
    light.shine(createFrame(width, height, picture.data), emission);
    onto.putImageData(picture, 0, 0);
  }

  const fill = (picture: CanvasImageSource) => onto.drawImage(picture, 0, 0, width, height);

  /** Draws the middle of a picture on one half of the frame. */
  function drawHalf(picture: HTMLCanvasElement, side: 0 | 1): void {
    const half = picture.width / 2;
    onto.drawImage(picture, half / 2, 0, half, picture.height, (side * width) / 2, 0, width / 2, height);
  }

  function drawPhoto(kind: FlatScene, motion: HeadMotion, sinceMs: number): void {
    const { x = 0, y = 0, ...wave } = WAVES[kind](Math.sin((sinceMs / WAVE_MS) * 2 * Math.PI));
    const { yaw = 0, pitch = 0 } = wave;
    const squeezeY = 1 - PHOTO_BLINK * motion.lids;
    const tilt = { yaw: yaw + motion.yaw * PHOTO_TILT, pitch: pitch + motion.pitch * PHOTO_TILT, roll: motion.roll };
    photo.putImageData(toImageData(showPhoto(main!.picture, { squeezeY, ...wave, ...tilt })), 0, 0);
    fill(room);
    onto.drawImage(photo.canvas, x * width, y * height, width, height);
  }

  const isSwapped = (scene: Scene) =>
    scene === 'swapped_light' ? readGlow() !== null : timesAsked >= (SWAPPED_FROM[scene] ?? Infinity);

  /** Returns the current scene. An interruption occurs once and ends after a while. */
  function chooseScene(nowMs: number): Scene {
    const interruption = INTERRUPTIONS[stage.scene];
    if (!interruption) return stage.scene;
    if (timesAsked > 0) interruptedAt ??= nowMs;
    return interruptedAt !== null && nowMs - interruptedAt < INTERRUPTION_MS ? interruption : 'person';
  }

  const stage: Stage = {
    scene: data.scene,
    draw(prompt, nowMs) {
      frames += 1;
      const challenge = CHALLENGE_OF_PROMPT.get(prompt ?? '') ?? null;
      if (challenge !== asked) {
        actor.show(challenge, nowMs);
        asked = challenge;
        askedAt = nowMs;
        if (challenge) timesAsked += 1;
      }
      if (prompt === 'challenge.again' || prompt === 'challenge.sameFace') timesAsked = 0;
      const motion = actor.moveAt(nowMs);
      const scene = chooseScene(nowMs);
      if (isFlat(scene)) return drawPhoto(scene, motion, asked ? nowMs - askedAt : 0);
      if (scene === 'nobody') return fill(room);
      if (scene === 'still') return fill(main!.draw({}, frames));
      if (scene === 'far') return fill(far!.draw(motion, frames));
      if (isSwapped(scene)) return fill(other!.draw(motion, frames));
      // Alternates, because drawing both would take twice as long.
      if (scene === 'two_people' && frames % 2 === 0) return drawHalf(other!.draw(motion, frames), 1);
      const picture = main!.draw(motion, frames);
      if (scene === 'two_people') return drawHalf(picture, 0);
      fill(picture);
      if (scene === 'dark') {
        onto.fillStyle = `rgb(0 0 0 / ${1 - DARK_LIGHT / main!.light})`;
        onto.fillRect(0, 0, width, height);
      }
      if (scene === 'blurred') {
        tiny.drawImage(onto.canvas, 0, 0, tiny.canvas.width, tiny.canvas.height);
        fill(tiny.canvas);
      }
      shine(scene);
    },
  };
  return stage;
}

/** Response of scenes to the page's light, if not like a head. */
const LIGHTS: Partial<Record<Scene, LightShape>> = {
  tinted: 'everywhere',
  face_tinted: 'flat',
  face_overlaid: 'overlay',
};

type FlatScene = Extract<Scene, `flat_${string}`>;
/** Between −1 and 1 during a challenge. Before it the photo is still, as at rest. */
const WAVES: Record<FlatScene, (share: number) => PhotoPose & { x?: number; y?: number }> = {
  flat_moved: (share) => ({ x: share * 0.12, y: share * 0.06 }),
  flat_tilted: (share) => ({ yaw: share * 40, pitch: share * 20 }),
  flat_zoomed: (share) => ({ zoom: 1 + share * 0.25 }),
  flat_squeezed: (share) => ({ squeezeX: 1 - Math.abs(share) * 0.4 }),
  flat_bent: (share) => ({ yaw: share * 30, bend: 1.2 }),
};

function isFlat(scene: Scene): scene is FlatScene {
  return scene in WAVES;
}
