// Simulates the colors on a document or screen in front of a laptop's camera, without a browser.

import type { Frame } from '@limen/face-geometry';
import { createRandom } from '@limen/face-geometry/testing/random.ts';
import { emissionAt, type Rgb, toLight } from '../src/colours.ts';
import { type DocumentLightJudgment, judgeDocument } from '../src/judge-document.ts';
import { type DocumentSample, measureDocument } from '../src/measure-document.ts';
import { createCamera } from './camera.ts';
import { type Desk, drawDesk, lightFromWindow, mirrorToScreen, type Surface } from './document-desk.ts';
import type { Room } from './room.ts';
import { drawRounds, findEnd, takeFirst } from './simulate.ts';

export interface DocumentPlay {
  room: Room;
  surface: Surface;
  document: Frame;
  millimetres: { width: number; height: number };
  colourMs?: number;
  onlyFirst?: boolean;
  seed: number;
}

const [WIDTH, HEIGHT] = [160, 96];
/** Field of view like the simulated lenses of `packages/documents/testing`. */
const FOCAL = 0.9;
const BEFORE_MS = 1_200;
/** Pixel step for computing the window's light, which varies slowly. */
const STEP = 16;

export function playDocument(play: DocumentPlay) {
  const { room, surface, document, millimetres: millimeters, seed, colourMs: colorMs = 450, onlyFirst = false } = play;
  const random = createRandom(seed * 92_821 + 5);
  const desk = drawDesk(room, surface, millimeters, seed);
  const shown = drawRounds(random, colorMs);
  const end = findEnd(shown, colorMs, onlyFirst);
  const camera = createCamera(room.camera, WIDTH, HEIGHT, random);
  const draw = createScene(room, desk, document, millimeters, random);
  const frameMs = 1000 / room.camera.framesPerSecond;
  const samples: DocumentSample[] = [];
  let isFirst = true;
  for (let time = -BEFORE_MS; time < end; time += frameMs * (0.85 + 0.3 * random())) {
    const emission = emissionAt(shown, time - room.camera.latencyMs);
    const frame = camera.take(draw(emission, time), isFirst ? 1e6 : frameMs);
    isFirst = false;
    if (time >= 0) samples.push(measureDocument(frame, time));
  }
  return { desk, shown, samples };
}

/** Judges like the page: plays a second round only after an unclear first one. */
export function judgeDocumentPlay(play: DocumentPlay, faceResponse: number): DocumentLightJudgment {
  const part = playDocument({ ...play, onlyFirst: true });
  const first = takeFirst(part.shown, part.samples);
  const judged = judgeDocument(first.samples, first.shown, faceResponse);
  if (judged.finding !== 'unknown') return judged;
  const { samples, shown } = playDocument(play);
  return judgeDocument(samples, shown, faceResponse);
}

/** Computes the reflected lux per pixel. */
function createScene(
  room: Room,
  desk: Desk,
  document: Frame,
  { width, height }: { width: number; height: number },
  random: () => number,
) {
  const light = new Float32Array(WIDTH * HEIGHT * 3);
  const normal: Rgb = turn(desk.tilt);
  const perPixel = desk.distance / (FOCAL * WIDTH);
  const phases = Array.from({ length: 6 }, () => random() * 7);
  const mains = random() * 7;
  const wear = 0.3 + 0.5 * random();
  const places = { across: WIDTH / STEP + 1, down: HEIGHT / STEP + 1 };
  const windowLight = new Float32Array(places.across * places.down);
  for (let row = 0; row < places.down; row += 1)
    for (let column = 0; column < places.across; column += 1)
      windowLight[row * places.across + column] = lightFromWindow(desk, locatePoint(column * STEP, row * STEP), normal);

  /** Returns a point on the plane of the document. */
  function locatePoint(px: number, py: number): Rgb {
    const [x, y] = [(px - WIDTH / 2) * perPixel, (py - HEIGHT / 2) * perPixel];
    // A surface that faces down leans forward at its top.
    const z = desk.distance + (normal[0] * x + normal[1] * y) / normal[2];
    return [x, y, Math.max(z, 20)];
  }

  function windowAt(px: number, py: number): number {
    const [u, v] = [px / STEP, py / STEP];
    const [column, row] = [Math.floor(u), Math.floor(v)];
    const at = row * places.across + column;
    const upper = windowLight[at]! + (u - column) * (windowLight[at + 1]! - windowLight[at]!);
    const lower =
      windowLight[at + places.across]! +
      (u - column) * (windowLight[at + places.across + 1]! - windowLight[at + places.across]!);
    return upper + (v - row) * (lower - upper);
  }

  const isInWindow = (x: number, y: number) =>
    x > desk.window.left && x < desk.window.right && y > desk.window.top && y < desk.window.bottom;

  /** Returns the window's share of the mirrored light, averaged on rough surfaces. */
  function windowShare(at: Rgb): number {
    const middle = mirrorToScreen(at, normal);
    if (!middle) return 0;
    if (desk.spread === 0) return isInWindow(...middle) ? 1 : 0;
    const reach = 2 * desk.distance * Math.tan((desk.spread * Math.PI) / 180);
    let inside = 0;
    for (let k = 0; k < 9; k += 1) {
      const [x, y] = [middle[0] + ((k % 3) - 1) * reach * 0.7, middle[1] + (Math.floor(k / 3) - 1) * reach * 0.7];
      if (isInWindow(x, y)) inside += 1;
    }
    return inside / 9;
  }
  const mirrored = Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) =>
    windowShare(locatePoint(i % WIDTH, Math.floor(i / WIDTH))),
  );

  return (emission: Rgb, time: number): Float32Array => {
    const seconds = time / 1000;
    const wave = (k: number, hertz: number) => Math.sin(2 * Math.PI * hertz * seconds + phases[k]!);
    const [shiftX, shiftY] = [0.9 * wave(0, 0.4) + 0.4 * wave(1, 1.3), 0.9 * wave(2, 0.35) + 0.4 * wave(3, 1.1)];
    const nearer = 1 + 0.006 * wave(4, 0.3);
    const lamp =
      room.ambientLux * (1 + room.camera.flicker * Math.sin(2 * Math.PI * room.camera.flickerHz * seconds + mains));
    for (let py = 0; py < HEIGHT; py += 1)
      for (let px = 0; px < WIDTH; px += 1) {
        const o = (py * WIDTH + px) * 3;
        const x = (px - WIDTH / 2) * perPixel * nearer + shiftX;
        const y = (py - HEIGHT / 2) * perPixel * nearer + shiftY;
        const [u, v] = [x / width + 0.5, y / height + 0.5];
        const uneven =
          1 + (desk.gradient[0] * (px - WIDTH / 2)) / WIDTH + (desk.gradient[1] * (py - HEIGHT / 2)) / HEIGHT;
        const onIt = lamp * desk.roomShare * uneven;
        const isOn = u >= 0 && v >= 0 && u < 1 && v < 1;
        const from = isOn && (Math.floor(v * document.height) * document.width + Math.floor(u * document.width)) * 4;
        const fromWindow = windowAt(px, py);
        const share = mirrored[py * WIDTH + px]!;
        for (let c = 0; c < 3; c += 1) {
          const tint = room.ambientTint[c]! * (1 - room.ambientDirected) + room.directedTint[c]! * room.ambientDirected;
          const window = emission[c]! * room.screenTint[c]!;
          if (from === false) {
            // The holder further back, and a wall.
            const back = py > HEIGHT * 0.5 ? wear : room.wall[c]!;
            light[o + c] = back * (lamp * tint * 0.8 + 0.6 * room.screenLux * window);
            continue;
          }
          const ink = 0.86 * toLight(document.data[from + c]!) + 0.02;
          const onSurface = onIt * tint + fromWindow * window;
          const mirrors = desk.mirror * (share * desk.brightness * window + (1 - share) * 0.25 * lamp * tint);
          light[o + c] =
            mirrors + (desk.glow > 0 ? ink * desk.glow * desk.glowTint[c]! + desk.haze * onSurface : ink * onSurface);
        }
      }
    return light;
  };
}

function turn([back, aside]: readonly [number, number]): Rgb {
  return [Math.sin(aside), Math.sin(back) * Math.cos(aside), Math.cos(back) * Math.cos(aside)];
}
