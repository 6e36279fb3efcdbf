// Invariants of the document light simulation, and the page's results on it.

import { createFrame } from '@limen/face-geometry';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, test } from 'vitest';
import { drawDesk, lightFromWindow, mirrorToScreen, type Surface } from './document-desk.ts';
import { judgeDocumentPlay } from './play-document.ts';
import { drawRoom } from './room.ts';

const MILLIMETERS = { width: 85.6, height: 54 };
const SEEDS = Array.from({ length: onlyWhenLong(10, 1) }, (_, i) => i + 1);
/** Illumination of a face by a laptop at half a meter in this room. */
const FACE = 0.12;

/** Lines of text next to a portrait on tinted paper. */
const card = (() => {
  const [width, height] = [214, 135];
  const data = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i += 1) {
    const [x, y] = [i % width, Math.floor(i / width)];
    const dark = (x < 70 && y > 30 && y < 110) || (y % 12 < 4 && x > 90);
    data.set(dark ? [70, 62, 60, 255] : [226, 222, 236, 255], i * 4);
  }
  return createFrame(width, height, data);
})();

function find(surface: Surface, seed: number) {
  const room = drawRoom({ ambientLux: 200, framesPerSecond: 8, distance: 0.55, screen: 'laptop' }, seed);
  return judgeDocumentPlay({ room, surface, document: card, millimetres: MILLIMETERS, seed }, FACE).finding;
}

test.each(SEEDS)('does not mistake paper and plastic for a screen: %i', (seed) => {
  expect(find(seed % 2 === 0 ? 'paper' : 'plastic', seed)).toBe('reflects');
});

test.each(SEEDS)('does not mistake screens for paper: %i', (seed) => {
  expect(find(seed % 2 === 0 ? 'matte_screen' : 'phone', seed)).not.toBe('reflects');
});

test('makes light fall off with distance and come from below the camera', () => {
  const room = drawRoom({ ambientLux: 200, framesPerSecond: 10, distance: 0.55, screen: 'laptop' }, 3);
  const desk = drawDesk(room, 'paper', MILLIMETERS, 3);
  const at = (y: number, z: number) => lightFromWindow(desk, [0, y, z], [0, 0, 1]);
  expect(at(0, 100)).toBeGreaterThan(at(0, 300));
  expect(at(40, 100)).toBeGreaterThan(at(-40, 100));
  // At a face's distance it is similar to the face's illumination.
  expect(at(100, 550)).toBeGreaterThan(room.screenLux * 0.2);
  expect(at(100, 550)).toBeLessThan(room.screenLux * 1.2);
});

test('mirrors the camera when facing it, and the area below when leaning forward', () => {
  const [x, y] = mirrorToScreen([0, 0, 100], [0, 0, 1])!;
  expect([x, y]).toEqual([expect.closeTo(0), expect.closeTo(0)]);
  expect(mirrorToScreen([0, 0, 100], [0, Math.sin(0.2), Math.cos(0.2)])![1]).toBeGreaterThan(30);
});
