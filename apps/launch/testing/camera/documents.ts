// Documents for the test camera: rendered with the portrait of its sitter, and photographed in a
// hand.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCamera, type Distortion, type PhotographOptions } from '@limen/documents/testing/distort/index.ts';
import { drawSpecimen, type Specimen, type SpecimenWish } from '@limen/documents/testing/specimens/index.ts';
import { encodePng } from '@limen/documents/testing/specimens/png.ts';
import { createSheet, roundCorners } from '@limen/documents/testing/specimens/sheet.ts';
import type { Frame } from '@limen/face-geometry';
import { resizeAround } from '@limen/face-geometry';
import { encode } from 'jpeg-js';
import { openModels } from '../models.ts';
import { cutOut } from '../pictures.ts';
import { cachePictures } from './cache-pictures.ts';
import type { DocumentShots, Size } from './scenes.ts';
import { findSitter, type Portrait } from './sitters.ts';

export interface DocumentWish extends Omit<SpecimenWish, 'portrait' | 'seed'> {
  /** Portrait on the document; by default a simple drawn face. */
  face?: Portrait;
  how?: Distortion;
  /** Screen that shows the document, and the camera that photographs it. */
  shown?: Pick<PhotographOptions, 'screen' | 'camera'>;
  /** Frame of the camera; landscape by default. */
  frame?: Size;
}

type Sheet = NonNullable<Specimen['sides']['zone']>;

const FRAME: Size = { width: 1280, height: 720 };
/** Moments of the hand's movement, in frames at ten per second. */
const SHOTS = [0, 6];
const SEED = 11;
const JPEG_QUALITY = 88;
/** A print of 33 × 43 mm at the sheets' resolution, and its size relative to the face. */
const PRINT = { width: 396, height: 516 };
const ROOM_AROUND = 1.75;

const PARTS = dirname(fileURLToPath(import.meta.resolve('@limen/documents/testing/specimens/index.ts')));
const SOURCES = [
  fileURLToPath(import.meta.url),
  ...[PARTS, join(PARTS, '../distort'), join(PARTS, '../font'), join(PARTS, '..')].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .sort()
      .map((name) => join(folder, name)),
  ),
];

/** Photographs all sides, by the names that the launch page uses. */
export function photographDocument(wish: DocumentWish): Promise<DocumentShots> {
  return cacheByName(['shots', wish], async () => {
    const { frame = FRAME, how, shown } = wish;
    const { sides, millimetres: millimeters } = await draw(wish);
    const code = sides.zone ?? sides.barcode!;
    const asked: [string, Sheet][] =
      wish.kind === 'passport' || wish.kind === 'visa'
        ? [['data', code]]
        : [
            ['portrait', sides.portrait!],
            [sides.zone ? 'zone' : 'barcode', code],
          ];
    return {
      size: frame,
      sides: Object.fromEntries(
        asked.map(([name, sheet]) => [name, shoot(sheet, { ...frame, millimetres: millimeters, ...shown }, how)]),
      ),
    };
  });
}

export function photographBlankCard(): Promise<DocumentShots> {
  return cacheByName(['blank'], async () => {
    const millimeters = { width: 85.6, height: 54 };
    const sheet = createSheet(millimeters.width, millimeters.height, [226, 228, 222]);
    roundCorners(sheet, 3);
    return { size: FRAME, sides: { zone: shoot(sheet, { ...FRAME, millimetres: millimeters }) } };
  });
}

/** Returns the side with the zone or barcode like a scanner. */
export async function scanDocument(wish: DocumentWish): Promise<Buffer> {
  const png = await cacheByName(['scan', wish], async () => {
    const { sides } = await draw(wish);
    return encodePng(sides.zone ?? sides.barcode!).toString('base64');
  });
  return Buffer.from(png, 'base64');
}

export function readTruth(wish: DocumentWish): Promise<Specimen['truth']> {
  return cacheByName(['truth', wish], async () => (await draw(wish)).truth);
}

/** The last specimen, because it is often needed again. */
let drawn: { key: string; specimen: Promise<Specimen> } | undefined;

function draw({ face, how: _, shown: __, frame: ___, ...wish }: DocumentWish): Promise<Specimen> {
  const key = JSON.stringify([wish, face]);
  if (drawn?.key === key) return drawn.specimen;
  const specimen = (async () =>
    drawSpecimen({ ...wish, seed: SEED, ...(face && { portrait: await printFace(face) }) }))();
  drawn = { key, specimen };
  return specimen;
}

async function printFace(portrait: Portrait): Promise<Frame> {
  const { picture, face } = await findSitter(await openModels(['detect', 'landmarks', 'eye']), portrait);
  const height = face.height * ROOM_AROUND;
  const around = resizeAround(face, (height * PRINT.width) / PRINT.height, height);
  return cutOut(picture, around, PRINT.width, PRINT.height);
}

function shoot(sheet: Sheet, options: Omit<PhotographOptions, 'seed'>, how: Distortion = 'typical'): string[] {
  const camera = createCamera(sheet, how, { seed: SEED, ...options });
  return SHOTS.map((frame) => {
    const { width, height, data } = camera.shoot(frame);
    return encode({ width, height, data }, JPEG_QUALITY).data.toString('base64');
  });
}

function cacheByName<T>(name: unknown[], make: () => Promise<T>): Promise<T> {
  return cachePictures({ name: JSON.stringify(name), files: SOURCES }, make);
}
