// The shipped models on a real portrait, placed in a picture like on a document.
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openModels } from '../../testing/models.ts';
import { cutPortrait, PRINT, readSample } from '../../testing/pictures.ts';
import { compareEmbeddings, type FaceModels, type Frame } from '../face/index.ts';
import { detectFaces } from '../face/read/detect.ts';
import { findPortrait } from './find-portrait.ts';
import { turn } from './pictures.ts';
import type { PortraitPlace, Region } from './region.ts';

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
const within = (region: Region, more: Partial<PortraitPlace> = {}): PortraitPlace => ({
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

test.each([1, 2, 3])('finds the portrait in any orientation: %i quarters', async (quarters) => {
  const turned = turn(picture, quarters);
  const region = quarters % 2 === 0 ? ALL : box(0, 0, 480, 640);
  const found = await findPortrait(models, turned, within(region));
  expect(compareEmbeddings(found!, upright)).toBeGreaterThan(0.95);
});

test('ignores a face next to the document', async () => {
  // The document ends in the middle of the face, so more than half belongs to its holder.
  const middle = PRINT.x + PRINT.width / 2;
  expect(await findPortrait(models, picture, within(box(0, 0, middle - 60, 300)))).toBeNull();
  // The bounding box of a rotated document has corners outside of the document.
  const tilted: Region = [
    { x: 0, y: 240 },
    { x: 320, y: 0 },
    { x: 320, y: 1 },
    { x: 1, y: 480 },
  ];
  expect(await findPortrait(models, picture, within(tilted))).toBeNull();
});

test('ignores a face as large as the document, and finds none in an empty region', async () => {
  const around = box(PRINT.x + 60, PRINT.y + 60, PRINT.x + PRINT.width - 60, PRINT.y + 270);
  expect(await findPortrait(models, picture, within(around))).toBeNull();
  expect(await findPortrait(models, picture, within(box(700, 10, 900, 300)))).toBeNull();
});

test('ignores a face that is too large for a page with such lines', async () => {
  // The face is about 200 pixels high.
  expect(await findPortrait(models, picture, within(ALL, { maxFace: 500 * 0.42 }))).not.toBeNull();
  expect(await findPortrait(models, picture, within(ALL, { maxFace: 300 * 0.42 }))).toBeNull();
});

test('uses only the known orientation', async () => {
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

test('overwrites all copies, whatever happens', async () => {
  const fill = vi.spyOn(Uint8ClampedArray.prototype, 'fill');
  onTestFinished(() => fill.mockRestore());
  const broken: FaceModels = { ...models, run: () => Promise.reject(new Error('The models are gone.')) };
  await expect(findPortrait(broken, picture, within(ALL, { quarters: 2 }))).rejects.toThrow('The models are gone.');
  // The crop and its rotation.
  expect(fill.mock.contexts.map((data) => (data as Uint8ClampedArray).length)).toEqual([640 * 480 * 4, 640 * 480 * 4]);
  for (const data of fill.mock.contexts) expect((data as Uint8ClampedArray).every((value) => value === 0)).toBe(true);
});

test('returns the better orientation and overwrites the other', async () => {
  const measured: Float32Array[] = [];
  const map = vi.spyOn(Float32Array.prototype, 'map');
  onTestFinished(() => map.mockRestore());
  // Upside down first, so the better one comes second.
  const found = await findPortrait(models, turn(picture, 2), within(ALL));
  for (const { value } of map.mock.results) if ((value as Float32Array).length === found!.length) measured.push(value);
  expect(measured.map((vector) => vector.some((value) => value !== 0))).toEqual([false, true]);
  expect(measured[1]).toBe(found);
});

test('overwrites the first orientation if the second fails', async () => {
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

test('leaves the picture unchanged', async () => {
  const before = picture.data.slice();
  await findPortrait(models, picture, within(ALL));
  expect(picture.data).toEqual(before);
});
