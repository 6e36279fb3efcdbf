// Degradation of a printed line on its way to the recognizer: background, dirt, light, lens,
// sensor, JPEG, scaling.
import { passJpeg } from './jpeg.ts';
import type { Random } from './random.ts';

export interface DegradeOptions {
  width: number;
  height: number;
  strength: number;
  /** Camera pixels per pixel of the result. */
  coarse: number;
}

/** `cover` is the share of ink from 0 to 1, `columns` × `rows`. */
export function degrade(
  random: Random,
  cover: Float32Array,
  columns: number,
  rows: number,
  { width, height, strength, coarse }: DegradeOptions,
): Float32Array {
  const paper = random.between(228 - 10 * strength, 255);
  const black = random.between(0, 90) + random.between(0, 90) * strength;
  const picture = new Float32Array(cover.length);
  for (let at = 0; at < cover.length; at += 1) picture[at] = paper + (black - paper) * cover[at]!;
  if (random.chance(0.7 * strength))
    addTexture(random, picture, columns, rows, (paper - black) * 0.16 * strength, coarse);
  if (random.chance(0.35 * strength)) addDirt(random, picture, columns, rows, coarse);
  if (random.chance(0.5 * strength)) addLight(random, picture, columns, rows, paper, strength);
  const focus = random.chance(0.75) ? random.between(0, 1.65) * strength : 0;
  const motion = random.chance(0.3) ? random.between(0, 1.5) * strength : 0;
  const isAcross = random.chance(0.6);
  blur(
    picture,
    columns,
    rows,
    coarse * Math.hypot(focus, isAcross ? motion : 0),
    coarse * Math.hypot(focus, isAcross ? 0 : motion),
  );
  if (random.chance(0.15 * strength)) doubleImage(picture, columns, random.below(3) + columns * (random.below(3) - 1));
  const noise = random.chance(0.85) ? random.between(0, 15) * strength : 0;
  if (noise > 0) for (let at = 0; at < picture.length; at += 1) picture[at]! += random.normal() * noise;
  for (let at = 0; at < picture.length; at += 1) picture[at] = Math.max(0, Math.min(255, picture[at]!));
  if (random.chance(0.55 * strength)) passJpeg(random, picture, columns, rows, random.between(95 - 60 * strength, 95));
  if (random.chance(0.65)) stretch(random, picture);
  return toInk(picture, columns, rows, width, height);
}

/** Remains of a printed background after flattening: waves, wavy lines and clouds. */
function addTexture(
  random: Random,
  picture: Float32Array,
  columns: number,
  rows: number,
  most: number,
  coarse: number,
): void {
  const waves = 1 + random.below(3);
  for (let wave = 0; wave < waves; wave += 1) {
    const turn = random.between(0, Math.PI);
    const frequency = (2 * Math.PI) / (random.between(3, 40) * coarse);
    const across = Math.cos(turn) * frequency;
    const down = Math.sin(turn) * frequency;
    const bend = random.between(0, 2.5);
    const bendRate = random.between(0.02, 0.12) / coarse;
    const height = (random.next() * most) / waves;
    const isFine = random.chance(0.4);
    const phase = random.between(0, 7);
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < columns; column += 1) {
        const value = Math.sin(across * column + down * row + phase + bend * Math.sin(bendRate * (column + row)));
        picture[row * columns + column]! -= height * (isFine ? 2 * Math.max(0, value - 0.5) : 0.5 + 0.5 * value);
      }
  }
}

/** Specks, scratches, and edges of adjacent prints. */
function addDirt(random: Random, picture: Float32Array, columns: number, rows: number, coarse: number): void {
  const specks = 1 + random.below(3 + columns / 60);
  for (let speck = 0; speck < specks; speck += 1) {
    const x = random.below(columns);
    const y = random.below(rows);
    const radius = random.between(0.5, 2.2) * coarse;
    const long = random.chance(0.25) ? random.between(2, 12) * coarse : 0;
    const tint = random.between(20, 255);
    for (let row = Math.max(0, Math.floor(y - radius)); row <= Math.min(rows - 1, y + radius); row += 1)
      for (
        let column = Math.max(0, Math.floor(x - radius));
        column <= Math.min(columns - 1, x + radius + long);
        column += 1
      )
        picture[row * columns + column] = 0.3 * picture[row * columns + column]! + 0.7 * tint;
  }
  if (random.chance(0.2)) {
    const row = random.chance(0.5) ? 0 : rows - 1;
    const tint = random.between(20, 200);
    picture.fill(tint, row * columns, (row + 1) * columns);
  }
}

/** Uneven light that remains after flattening, and glare in which ink fades. */
function addLight(
  random: Random,
  picture: Float32Array,
  columns: number,
  rows: number,
  paper: number,
  strength: number,
): void {
  const center = random.between(0, columns);
  const reach = random.between(0.4, 4) * rows;
  const most = random.between(0.1, 0.85) * strength;
  const isShade = random.chance(0.35);
  const tilt = random.between(-1, 1);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const off = (column - center + tilt * row) / reach;
      const share = most * Math.exp(-off * off);
      const at = row * columns + column;
      if (isShade) picture[at]! *= 1 - 0.35 * share;
      else picture[at]! += (Math.max(paper, picture[at]!) - picture[at]!) * share;
    }
}

let scratch = new Float32Array(0);

/** A Gaussian with separate deviations across and down. */
function blur(picture: Float32Array, columns: number, rows: number, across: number, down: number): void {
  if (scratch.length < picture.length) scratch = new Float32Array(picture.length);
  if (across > 0.15) blurAlong(picture, columns, rows, 1, columns, across);
  if (down > 0.15) blurAlong(picture, rows, columns, columns, 1, down);
}

function blurAlong(
  picture: Float32Array,
  length: number,
  lines: number,
  step: number,
  lineStep: number,
  sigma: number,
): void {
  const reach = Math.min(Math.ceil(sigma * 2.5), length - 1);
  const taps = new Float32Array(reach + 1);
  let sum = 0;
  for (let tap = 0; tap <= reach; tap += 1) {
    taps[tap] = Math.exp((-tap * tap) / (2 * sigma * sigma));
    sum += tap === 0 ? taps[tap]! : 2 * taps[tap]!;
  }
  for (let line = 0; line < lines; line += 1) {
    const start = line * lineStep;
    for (let at = 0; at < length; at += 1) {
      let value = picture[start + at * step]! * taps[0]!;
      for (let tap = 1; tap <= reach; tap += 1) {
        const before = at - tap < 0 ? 0 : at - tap;
        const after = at + tap >= length ? length - 1 : at + tap;
        value += taps[tap]! * (picture[start + before * step]! + picture[start + after * step]!);
      }
      scratch[at] = value / sum;
    }
    for (let at = 0; at < length; at += 1) picture[start + at * step] = scratch[at]!;
  }
}

/** Camera shake: the picture twice, slightly shifted. */
function doubleImage(picture: Float32Array, columns: number, offset: number): void {
  const from = Math.max(0, -offset);
  const to = Math.min(picture.length, picture.length - offset);
  const copy = picture.slice();
  for (let at = Math.max(from, columns); at < to - columns; at += 1)
    picture[at] = 0.55 * copy[at]! + 0.45 * copy[at + offset]!;
}

/** Flattening also darkens faint ink around white paper, up to a limit, and clips extremes. */
function stretch(random: Random, picture: Float32Array): void {
  const counts = new Int32Array(256);
  for (const value of picture) counts[Math.round(value)]! += 1;
  let white = 255;
  for (let rest = picture.length * 0.3; rest > 0 && white > 100; white -= 1) rest -= counts[white]!;
  let ink = 0;
  for (let rest = picture.length * random.between(0.02, 0.08); rest > 0 && ink < white; ink += 1) rest -= counts[ink]!;
  const paper = random.between(238, 252);
  const wanted = (paper - random.between(20, 80)) / Math.max(1, white - ink);
  const gain = Math.max(1, Math.min(random.between(1.5, 3), wanted));
  for (let at = 0; at < picture.length; at += 1)
    picture[at] = Math.max(0, Math.min(255, paper + (picture[at]! - white) * gain));
}

/** Scales to the wanted size, turns gray into ink, and rounds to bytes. */
function toInk(picture: Float32Array, columns: number, rows: number, width: number, height: number): Float32Array {
  const ink = new Float32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const row = Math.max(0, Math.min(rows - 1.001, ((y + 0.5) * rows) / height - 0.5));
    const top = Math.floor(row);
    const down = row - top;
    for (let x = 0; x < width; x += 1) {
      const column = Math.max(0, Math.min(columns - 1.001, ((x + 0.5) * columns) / width - 0.5));
      const left = Math.floor(column);
      const right = column - left;
      const at = top * columns + left;
      const value =
        (picture[at]! * (1 - right) + picture[at + 1]! * right) * (1 - down) +
        (picture[at + columns]! * (1 - right) + picture[at + columns + 1]! * right) * down;
      ink[y * width + x] = 1 - Math.round(value) / 255;
    }
  }
  return ink;
}
