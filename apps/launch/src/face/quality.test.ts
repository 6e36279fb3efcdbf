import { createFrame } from '@limen/face-geometry';
import { drawLandmarks } from '@limen/face-geometry/testing/drawn-face.ts';
import { describe, expect, test } from 'vitest';
import { chooseAdvice, chooseFace, type FrameFacts, findProblems, measureFace } from './quality.ts';

const frame = { width: 640, height: 480 };
const good = {
  box: { x: 220, y: 130, width: 190, height: 220 },
  light: 140,
  sharpness: 0.3,
  glasses: 0.05,
  pose: { yaw: 2, pitch: -4, roll: 1 },
};
const facts = (face: Partial<NonNullable<FrameFacts['face']>> = {}, people = 1): FrameFacts => ({
  frame,
  people,
  face: { ...good, ...face },
});
const createBox = (height: number, x = 320, y = 240) => ({
  box: { x: x - height * 0.4, y: y - height / 2, width: height * 0.8, height },
});

describe('the problems of a frame', () => {
  test('finds none in a good frame', () => {
    expect(findProblems(facts())).toEqual([]);
  });

  test.each([
    ['several_faces', facts({}, 2)],
    ['too_far', facts(createBox(100))],
    ['too_close', facts(createBox(450))],
    ['off_centre', facts(createBox(220, 120))],
    ['off_centre', facts(createBox(220, 320, 120))],
    ['too_dark', facts({ light: 20 })],
    ['too_bright', facts({ light: 240 })],
    ['blurred', facts({ sharpness: 0.01 })],
    ['turned_away', facts({ pose: { yaw: -30, pitch: 0, roll: 0 } })],
    ['turned_away', facts({ pose: { yaw: 0, pitch: 30, roll: 0 } })],
  ] as const)('finds %s', (problem, given) => {
    expect(findProblems(given)).toEqual([problem]);
  });

  test('finds nothing else without a face', () => {
    expect(findProblems({ frame, people: 0, face: null })).toEqual(['no_face']);
  });

  test('lists several in the order in which to fix them', () => {
    expect(findProblems(facts({ ...createBox(100), light: 20, sharpness: 0 }, 3))).toEqual([
      'several_faces',
      'too_far',
      'too_dark',
      'blurred',
    ]);
  });

  test('allows a leaning head, because the picture is aligned', () => {
    expect(findProblems(facts({ pose: { yaw: 0, pitch: 0, roll: 40 } }))).toEqual([]);
  });
});

describe('the advice about glasses', () => {
  test('is given on a good frame, which stays good', () => {
    const given = facts({ glasses: 0.2 });
    expect(findProblems(given)).toEqual([]);
    expect(chooseAdvice(given.face, [])).toBe('glasses');
    expect(chooseAdvice(facts().face, [])).toBeNull();
  });

  test('is given only without problems', () => {
    expect(chooseAdvice({ ...good, glasses: 0.2 }, ['turned_away'])).toBeNull();
    expect(chooseAdvice(null, ['no_face'])).toBeNull();
  });
});

describe('the main face', () => {
  const face = (height: number, score = 0.9) => ({ ...createBox(height), score });

  test('is the largest, whatever the scores', () => {
    expect(chooseFace([face(80, 0.99), face(200, 0.7)]).face).toEqual(face(200, 0.7));
  });

  test('is alone if the others are small and in the background', () => {
    expect(chooseFace([face(200), face(60), face(70)]).people).toBe(1);
    expect(chooseFace([face(200), face(60), face(150)]).people).toBe(2);
    expect(chooseFace([])).toEqual({ face: null, people: 0 });
  });
});

describe('light and sharpness', () => {
  const landmarks = drawLandmarks({ x: 100, y: 100, size: 60 });
  const paint = (value: (x: number, y: number) => number) =>
    createFrame(
      200,
      200,
      new Uint8ClampedArray(200 * 200 * 4).map((_, i) => value((i >> 2) % 200, Math.floor(i / 800))),
    );

  test('measures light as the mean brightness', () => {
    expect(
      measureFace(
        paint(() => 77),
        landmarks,
      ).light,
    ).toBeCloseTo(77, 0);
  });

  test('measures fine stripes as sharper than wide ones in any light', () => {
    const wave = (length: number, strength: number) => (x: number) =>
      128 + strength * Math.sin((x * 2 * Math.PI) / length);
    const measure = (length: number, strength: number) =>
      measureFace(paint(wave(length, strength)), landmarks).sharpness;
    expect(measure(6, 100)).toBeGreaterThan(4 * measure(20, 100));
    expect(measure(6, 30) / measure(6, 100)).toBeCloseTo(1, 1);
  });

  test('measures no sharpness in a single color', () => {
    expect(
      measureFace(
        paint(() => 128),
        landmarks,
      ).sharpness,
    ).toBeLessThan(0.001);
  });
});
