// The shipped models on a real portrait, pasted into a picture as if it were on a document.
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openModels } from '../../testing/models.ts';
import { cutPortrait, PRINT, readSample } from '../../testing/pictures.ts';
import { compareEmbeddings, type FaceModels, type Frame } from '../face/index.ts';
import { detectFaces } from '../face/read/detect.ts';
import { findPortrait } from './find-portrait.ts';
import { turn } from './pictures.ts';
import type { Place, Region } from './region.ts';

let models: FaceModels;
let picture: Frame;
let upright: Float32Array;

const box = (left: number, top: number, right: number, bottom: number): Region => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];
const ALL = box(0, 0, 640, 480);
const within = (region: Region, more: Partial<Place> = {}): Place => ({
  region,
  maxFace: Number.POSITIVE_INFINITY,
  ...more,
});

beforeAll(async () => {
  models = await openModels(['detect', 'landmarks', 'embedding']);
  const group = await readSample(1);
  picture = cutPortrait(group, (await detectFaces(models, group))[0]!.box);
  upright = (await findPortrait(models, picture, within(ALL)))!;
}, 120_000);

test.each([1, 2, 3])('it is found whichever way up the document is: %i quarters', async (quarters) => {
  const turned = turn(picture, quarters);
  const region = quarters % 2 === 0 ? ALL : box(0, 0, 480, 640);
  const found = await findPortrait(models, turned, within(region));
  expect(compareEmbeddings(found!, upright)).toBeGreaterThan(0.95);
});

test('a face beside the document is not the document’s', async () => {
  // The document ends in the middle of the face: more than half of it is somebody who holds it.
  const middle = PRINT.x + PRINT.width / 2;
  expect(await findPortrait(models, picture, within(box(0, 0, middle - 60, 300)))).toBeNull();
  // The box around a document that is turned has corners that are not of the document.
  const tilted: Region = [
    { x: 0, y: 240 },
    { x: 320, y: 0 },
    { x: 320, y: 1 },
    { x: 1, y: 480 },
  ];
  expect(await findPortrait(models, picture, within(tilted))).toBeNull();
});

test('a face as large as the document is nobody’s portrait, and a region without pixels has none', async () => {
  const around = box(PRINT.x + 60, PRINT.y + 60, PRINT.x + PRINT.width - 60, PRINT.y + 270);
  expect(await findPortrait(models, picture, within(around))).toBeNull();
  expect(await findPortrait(models, picture, within(box(700, 10, 900, 300)))).toBeNull();
});

test('a face that is larger than any on a page with such lines is somebody who holds it', async () => {
  // The face is about 200 px high.
  expect(await findPortrait(models, picture, within(ALL, { maxFace: 500 * 0.42 }))).not.toBeNull();
  expect(await findPortrait(models, picture, within(ALL, { maxFace: 300 * 0.42 }))).toBeNull();
});

test('where it is known which way up the document is, it is looked at that way only', async () => {
  let looks = 0;
  const counting: FaceModels = {
    ...models,
    run(role, values, shape) {
      if (role === 'detect') looks += 1;
      return models.run(role, values, shape);
    },
  };
  const found = await findPortrait(counting, turn(picture, 2), within(ALL, { quarters: 2 }));
  expect(compareEmbeddings(found!, upright)).toBeGreaterThan(0.95);
  expect(looks).toBe(1);
});

test('no pixel of a copy is left, whatever happens', async () => {
  const fill = vi.spyOn(Uint8ClampedArray.prototype, 'fill');
  onTestFinished(() => fill.mockRestore());
  const broken: FaceModels = { ...models, run: () => Promise.reject(new Error('The models are gone.')) };
  await expect(findPortrait(broken, picture, within(ALL, { quarters: 2 }))).rejects.toThrow('The models are gone.');
  // The piece that was cut out, and the same turned.
  expect(fill.mock.contexts.map((data) => (data as Uint8ClampedArray).length)).toEqual([640 * 480 * 4, 640 * 480 * 4]);
  for (const data of fill.mock.contexts) expect((data as Uint8ClampedArray).every((value) => value === 0)).toBe(true);
});

test('of two ways up one is given, and nothing is left of the other', async () => {
  const measured: Float32Array[] = [];
  const map = vi.spyOn(Float32Array.prototype, 'map');
  onTestFinished(() => map.mockRestore());
  // Seen upside down first: the better one comes second.
  const found = await findPortrait(models, turn(picture, 2), within(ALL));
  for (const { value } of map.mock.results) if ((value as Float32Array).length === found!.length) measured.push(value);
  expect(measured.map((vector) => vector.some((value) => value !== 0))).toEqual([false, true]);
  expect(measured[1]).toBe(found);
});

test('nothing is left of the first way up where the second cannot be looked at', async () => {
  const map = vi.spyOn(Float32Array.prototype, 'map');
  onTestFinished(() => map.mockRestore());
  let looks = 0;
  const failing: FaceModels = {
    ...models,
    async run(role, ...input) {
      looks += role === 'detect' ? 1 : 0;
      if (looks > 1) throw new Error('The models are gone.');
      return models.run(role, ...input);
    },
  };
  await expect(findPortrait(failing, picture, within(ALL))).rejects.toThrow('The models are gone.');
  const measured = map.mock.results.filter(({ value }) => (value as Float32Array).length === upright.length);
  expect(measured.map(({ value }) => (value as Float32Array).every((number) => number === 0))).toEqual([true]);
});

test('the picture is left as it was', async () => {
  const before = picture.data.slice();
  await findPortrait(models, picture, within(ALL));
  expect(picture.data).toEqual(before);
});
