// Simulated prints and screens: flat portraits with the effects of ink and pixels.

import { createFrame, type Frame } from '@limen/face-geometry';
import { showPhoto } from '../../../apps/launch/testing/flat-photo.ts';
import { blurFrame, changePixels, cutOut } from '../../../apps/launch/testing/pictures.ts';
import { createRandom } from '../shared/random.ts';

export interface Presentation {
  name: string;
  isAttack: boolean;
  show(portrait: Frame, random: () => number): Frame;
}

/** Small, because the model sees 128 × 128. */
const CAMERA = { width: 360, height: 480 };
const BACKGROUND = 110;
/** Dots and stripes in camera pixels: finer ones vanish in the lens, coarser ones are obvious. */
const DOT_PIXELS = 3.5;
const STRIPE_PIXELS = 3.3;

export const PRESENTATIONS: readonly Presentation[] = [
  {
    name: 'the portrait before the camera',
    isAttack: false,
    show: (portrait, random) => shake(fill(portrait), random, 1.05),
  },
  { name: 'print with its edges in view', isAttack: true, show: (portrait, random) => shake(lay(portrait), random) },
  {
    name: 'the same, soft and pale',
    isAttack: true,
    show: (portrait, random) => changePixels(blurFrame(shake(lay(portrait), random), 2), (value) => value * 0.7 + 45),
  },
  {
    name: 'halftone print with edges',
    isAttack: true,
    show: (portrait, random) => shake(lay(halftone(enlarge(portrait))), random),
  },
  {
    name: 'halftone print, no edges',
    isAttack: true,
    show: (portrait, random) => shake(halftone(fill(portrait)), random, 1.05),
  },
  {
    name: 'screen that shows the framed print',
    isAttack: true,
    show: (portrait, random) => glow(shake(lay(portrait), random)),
  },
  { name: 'screen, no edges', isAttack: true, show: (portrait, random) => glow(shake(fill(portrait), random, 1.05)) },
  { name: 'photo tilted by 25°', isAttack: true, show: (portrait, random) => shake(lay(portrait), random, 1, 25) },
];

/** Frames of one sitting, identical in every run. */
export function showFrames(presentation: Presentation, portrait: Frame, count: number, seed: number): Frame[] {
  const { next } = createRandom(seed);
  return Array.from({ length: count }, () => presentation.show(portrait, next));
}

/** Scaled to the camera's picture and cropped. */
function fill(portrait: Frame): Frame {
  const scale = Math.min(portrait.width / CAMERA.width, portrait.height / CAMERA.height);
  const [width, height] = [CAMERA.width * scale, CAMERA.height * scale];
  const box = { x: (portrait.width - width) / 2, y: (portrait.height - height) / 2, width, height };
  return cutOut(portrait, box, CAMERA.width, CAMERA.height);
}

/** A photo of 60% of the camera's width, with a white border, on gray. */
function lay(portrait: Frame): Frame {
  const width = Math.round(CAMERA.width * 0.6);
  const height = Math.round((portrait.height * width) / portrait.width);
  const print = cutOut(portrait, { x: 0, y: 0, width: portrait.width, height: portrait.height }, width, height);
  const data = new Uint8ClampedArray(CAMERA.width * CAMERA.height * 4).fill(BACKGROUND);
  const [left, top, rim] = [Math.round((CAMERA.width - width) / 2), Math.round((CAMERA.height - height) / 2), 9];
  for (let row = -rim; row < height + rim; row += 1)
    for (let column = -rim; column < width + rim; column += 1) {
      const isPrint = row >= 0 && column >= 0 && row < height && column < width;
      const to = ((top + row) * CAMERA.width + left + column) * 4;
      for (const c of [0, 1, 2]) data[to + c] = isPrint ? print.data[(row * width + column) * 4 + c]! : 240;
    }
  return createFrame(CAMERA.width, CAMERA.height, data);
}

/** Scaled so that dots are as large as on a print that fills the frame. */
function enlarge(portrait: Frame): Frame {
  const { width, height } = portrait;
  return cutOut(portrait, { x: 0, y: 0, width, height }, width * 2, height * 2);
}

/** A hand and a sensor: slightly closer, rotated, brighter, noisy. */
function shake(photo: Frame, random: () => number, zoom = 1, yaw = 0): Frame {
  const around = (value: number) => (random() - 0.5) * 2 * value;
  const held = showPhoto(photo, {
    zoom: zoom + random() * 0.04,
    roll: around(1.5),
    yaw: yaw + around(1.5),
    pitch: around(1.5),
    distance: 3,
  });
  const light = 1 + around(0.06);
  return changePixels(held, (value) => value * light + around(4));
}

/** Dots of each ink on a grid at its own angle, growing with darkness and blurred by the lens. */
function halftone(photo: Frame): Frame {
  const { width, height } = photo;
  const data = photo.data.slice();
  for (const [c, degrees] of [15, 75, 45].entries()) {
    const radians = (degrees * Math.PI) / 180;
    const [cos, sin] = [Math.cos(radians), Math.sin(radians)].map((value) => (value * 2 * Math.PI) / DOT_PIXELS) as [
      number,
      number,
    ];
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1) {
        const dot = (Math.cos(column * cos + row * sin) + Math.cos(row * cos - column * sin)) / 4 + 0.5;
        const i = (row * width + column) * 4 + c;
        data[i] = photo.data[i]! / 255 > dot ? 245 : 25;
      }
  }
  return blurFrame(createFrame(width, height, data), 1.6);
}

/** A screen's red, green and blue stripes, the moiré of both grids, and its bluish light. */
function glow(frame: Frame): Frame {
  const { width } = frame;
  const data = frame.data.slice();
  for (let i = 0; i < data.length; i += 1) {
    const c = i % 4;
    if (c === 3) continue;
    const [x, y] = [(i >> 2) % width, Math.floor((i >> 2) / width)];
    const stripe = 1 + 0.18 * Math.cos((2 * Math.PI * x) / STRIPE_PIXELS - (c * 2 * Math.PI) / 3);
    const beat = 1 + 0.07 * Math.cos((2 * Math.PI * (x + 0.4 * y)) / (STRIPE_PIXELS * 7));
    data[i] = data[i]! * stripe * beat * (c === 2 ? 1.08 : 0.98) + 6;
  }
  return createFrame(frame.width, frame.height, data);
}
