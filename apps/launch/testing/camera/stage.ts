// Draws what is before the test camera, one frame at a time, and lets the people there follow the page's prompts.

import { createFrame } from '@limen/face-geometry';
import type { HeadMotion } from '@limen/face-geometry/testing/head-motion.ts';
import { MOVEMENTS, type Movement } from '@limen/plan';
import { MOVEMENT_LOOKS } from '../../src/face/movement/movement-looks.ts';
import { createActor, DEFAULT_MANNER } from '../act.ts';
import { type PhotoPose, showPhoto } from '../flat-photo.ts';
import type { CameraData, Scene } from './scenes.ts';
import { createScreenLight, type LightShape, readGlow } from './screen-light.ts';
import { createContext, openPicture, openSitter, toImageData } from './sitter-on-page.ts';

/** Longer than people need, as all of it: a busy machine looks at three frames a second. */
const BLINK_MS = 700;
/** Of the face: well below what the page asks for, and still seen. */
const DARK_LIGHT = 28;
const BLUR_FACTOR = 12;
/** Nearly all of a face is white then, and still seen as one. */
const FLOOD = 'rgb(255 255 255 / 0.8)';
/** A photo is tilted further than a head is turned, to make up for what it cannot do. */
const PHOTO_TILT = 1.5;
const PHOTO_BLINK = 0.35;
/** Of a photo that is moved: to and fro in these. */
const WAVE_MS = 2_500;

/** Which challenge somebody else answers first. */
const SWAPPED_FROM: Partial<Record<Scene, number>> = { swapped_first: 1, swapped_second: 2, swapped_third: 3 };
/** Longer than the page takes for a moment, also where it looks at two frames a second. */
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
  const actor = createActor({ ...DEFAULT_MANNER, holdMs: data.holdMs, blinkMs: BLINK_MS });
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

  /** What the page's own light does to the picture, once it is drawn. */
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

  /** The middle of a picture, on one half of the frame. */
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

  /** What is to be seen now: an interruption comes once, and is over after a while. */
  function chooseScene(nowMs: number): Scene {
    const meanwhile = INTERRUPTIONS[stage.scene];
    if (!meanwhile) return stage.scene;
    if (timesAsked > 0) interruptedAt ??= nowMs;
    return interruptedAt !== null && nowMs - interruptedAt < INTERRUPTION_MS ? meanwhile : 'person';
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
      // In turns, else it would take twice as long.
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

/** How a scene answers to the page's light, where not as a head. */
const LIGHTS: Partial<Record<Scene, LightShape>> = {
  tinted: 'everywhere',
  face_tinted: 'flat',
  face_overlaid: 'overlay',
};

type FlatScene = Extract<Scene, `flat_${string}`>;
/** From −1 to 1 and back, while something is asked: before that a cheat keeps the photo still, else nothing is asked. */
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
