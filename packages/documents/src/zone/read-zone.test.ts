// From a picture to the text of its zone, with the committed recognizer.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadModel } from '../../../face-models/testing/run-model.ts';
import { drawText, findZoneFont, loadFont } from '../../testing/font/index.ts';
import { addGrain, fillBox, makePage, placePage, poseCorners } from '../../testing/scenes/draw-scene.ts';
import { type GrayImage, turnClockwise } from '../image/gray.ts';
import { findLines } from './find-lines.ts';
import { createGroupReader } from './read-group.ts';
import type { Recognize } from './read-line.ts';
import { readZone } from './read-zone.ts';

const FRAME = { width: 1280, height: 720 };
const PASSPORT = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'];
const CARD = ['I<UTOD231458907<<<<<<<<<<<<<<<', '7408122F1204159UTO<<<<<<<<<<<6', 'ERIKSSON<<ANNA<MARIA<<<<<<<<<<'];

const path = findZoneFont();

/** Print at 8 px per millimeter and 2.54 mm per character. */
function drawDocument(width: number, height: number, lines: readonly string[]): GrayImage {
  const page = makePage(width, height, 220);
  const font = loadFont(path!);
  fillBox(page, [40, 60, 200, 150], 130);
  const [pitch, size] = [20.3, 28.1];
  const left = (width - lines[0]!.length * pitch) / 2;
  for (const [i, text] of lines.entries()) {
    const y = height - 40 - (lines.length - 1 - i) * 52;
    drawText(page, font, text, { x: left, y, size, pitch, ink: 25 });
  }
  return page;
}

function shoot(page: GrayImage, pose: { width: number; degrees?: number; away?: number }): GrayImage {
  const picture = placePage(page, poseCorners(FRAME, page, pose), FRAME.width, FRAME.height, 80);
  addGrain(picture, 8);
  return picture;
}

describe.skipIf(!path)('reading a zone (needs the font of Debian’s fonts-ocr-b)', () => {
  let recognize: Recognize;
  let calls = 0;
  beforeAll(async () => {
    const model = await loadModel(await readFile(new URL('../../model/ocr-b.onnx', import.meta.url)));
    recognize = (values, shape) => {
      calls += 1;
      return model.feed(values, shape);
    };
  });
  const read = async (image: GrayImage) => {
    const { reading, lines } = await readZone(image, recognize);
    return { text: reading?.lines.map(({ text }) => text), lines };
  };

  test('reads a rotated and tilted passport', async () => {
    const page = drawDocument(1000, 704, PASSPORT);
    const { text, lines } = await read(shoot(page, { width: 960, degrees: 7, away: 0.08 }));
    expect(text).toEqual(PASSPORT);
    expect(lines).toHaveLength(2);
    expect(lines[0]!.angle).toBeCloseTo((7 * Math.PI) / 180, 1);
  });

  test('reads an upside-down card with three lines', async () => {
    const page = drawDocument(686, 432, CARD);
    const { text, lines } = await read(shoot(page, { width: 800, degrees: 184 }));
    expect(text).toEqual(CARD);
    // In reading order: the first one is the lowest in the picture, and all run to the left.
    expect(lines.map(({ y }) => y)).toEqual(lines.map(({ y }) => y).toSorted((a, b) => b - a));
    for (const { angle } of lines) expect(Math.cos(angle)).toBeLessThan(-0.98);
  });

  test.each([90, 270])('reads a passport held upright on a phone, rotated by %i°', async (degrees) => {
    let picture = shoot(drawDocument(1000, 704, PASSPORT), { width: 1000, degrees: 3 });
    for (let turned = 0; turned < degrees; turned += 90) picture = turnClockwise(picture);
    expect([picture.width, picture.height]).toEqual([720, 1280]);
    const { text, lines } = await read(picture);
    expect(text).toEqual(PASSPORT);
    // The lines are vertical in the original picture.
    expect(Math.sin(lines[0]!.angle) * (degrees === 90 ? 1 : -1)).toBeGreaterThan(0.95);
    expect(lines[0]!.x).toBeLessThan(720);
  });

  test.each([
    ['above', [1, 2]],
    ['below', [0, 1]],
  ])('reads a zone if a line %s was not found', async (_, which) => {
    const picture = shoot(drawDocument(686, 432, CARD), { width: 700 });
    const lines = findLines(picture, 640)[0]!;
    expect(lines).toHaveLength(3);
    const found = await createGroupReader(recognize, 9).read(
      picture,
      which.map((i) => lines[i]!),
    );
    expect(found?.reading.lines.map(({ text }) => text)).toEqual(CARD);
  });

  test('recognizes a limited number of lines of any picture', async () => {
    const page = makePage(1150, 700, 220);
    const font = loadFont(path!);
    for (let i = 0; i < 8; i += 1)
      drawText(page, font, 'THE QUICK BROWN FOX JUMPS OVER LAZY DOG', { x: 30, y: 60 + i * 60, size: 38, pitch: 28 });
    calls = 0;
    await readZone(shoot(page, { width: 1150 }), recognize);
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(14);
  });

  test('measures nothing after the last line', async () => {
    const picture = shoot(drawDocument(686, 432, CARD), { width: 700 });
    const lines = findLines(picture, 640)[0]!;
    const reader = createGroupReader(recognize, 1);
    await reader.read(picture, lines);
    expect(reader.isSpent()).toBe(true);
    const untouchable = new Proxy(picture, {
      get: () => {
        throw new Error('The picture was looked at.');
      },
    });
    expect(await reader.read(untouchable, lines)).toBeNull();
  });
});

test('recognizes nothing without lines', async () => {
  const sighting = await readZone(makePage(640, 360), () => Promise.reject(new Error('No line was to be recognized.')));
  expect(sighting).toEqual({ reading: null, lines: [] });
});
