import { createRandom } from '@limen/face-geometry/testing/random.ts';
import type { LightColor } from '@limen/plan';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, test } from 'vitest';
import { emissionAt, type Rgb, type ShownColor } from './colours.ts';
import { allowForDaylight, isOutshone, judgeLight } from './judge-light.ts';
import type { LightSample } from './measure-light.ts';
import { PATCHES } from './patches.ts';

const DRAWN: readonly LightColor[] = ['green', 'magenta', 'yellow', 'blue', 'red', 'cyan'];
const COLOR_MS = 450;
const show = (colors: readonly LightColor[]): ShownColor[] =>
  colors.map((color, i) => ({ colour: color, at: i * COLOR_MS }));

interface Answer {
  /** Light added by the screen, relative to the light on the face. */
  strength?: number;
  seen?: readonly ShownColor[];
  lagMs?: number;
  /** Random relative changes of each place. */
  noise?: number;
  /** Variation of the response with a place's height; equal on both sides. */
  unevenness?: number;
  /** Reflectance of each channel. */
  channels?: Rgb;
  /** Response of the room. */
  onRoom?: number;
  hasRoom?: boolean;
  /** Effect of the camera on the whole picture. */
  camera?(time: number): Rgb;
  framesPerSecond?: number;
  seed?: number;
}

/** Simulates the samples of a camera. */
function sample(answer: Answer = {}): LightSample[] {
  const { strength = 0.05, seen = show(DRAWN), lagMs = 120, noise = 0.003, unevenness = 0.4, onRoom = 0.05 } = answer;
  const { hasRoom = true, camera = () => [1, 1, 1], framesPerSecond = 10, seed = 1, channels = [1, 1, 1] } = answer;
  const random = createRandom(seed);
  const samples: LightSample[] = [];
  for (let at = 0; at < DRAWN.length * COLOR_MS + 350; at += 1000 / framesPerSecond) {
    const emission = emissionAt(seen, at - lagMs);
    const gains = camera(at);
    const light = (level: number, share: number) =>
      [0, 1, 2].map(
        (c) => level * gains[c]! * (1 + share * channels[c]! * emission[c]!) * (1 + noise * (random() * 2 - 1)),
      );
    const computeShare = (place: number) => strength * (1 + unevenness * Math.sin(PATCHES[place]!.y / 16));
    samples.push({
      at,
      skin: Float64Array.from(light(0.3, strength)),
      patches: Float64Array.from(PATCHES.flatMap((_, place) => light(0.3, computeShare(place)))),
      motion: [300 + random(), 200 + random(), random(), random()],
      room: Float64Array.from(
        Array.from({ length: 8 }, () => (hasRoom ? light(0.2, strength * onRoom) : [NaN, NaN, NaN])).flat(),
      ),
    });
  }
  return samples;
}

const judge = (answer?: Answer) => judgeLight(sample(answer), show(DRAWN));
const SEEDS = onlyWhenLong([1, 2, 3, 4, 5], [1, 2]);

describe('an invalid response', () => {
  test('is not lit with only two channels, however strong', () => {
    for (const dark of [0, 1, 2]) {
      const channels = [1, 1, 1].with(dark, -0.3) as unknown as Rgb;
      for (const seed of SEEDS) expect([dark, judge({ channels, seed }).finding]).not.toEqual([dark, 'lit']);
    }
  });

  test('is not lit below 0.2 %, however clear', () => {
    for (const seed of SEEDS) {
      expect(judge({ strength: 0.0012, noise: 0.00001, seed }).finding).not.toBe('lit');
      expect(judge({ strength: 0.004, noise: 0.00001, seed }).finding).toBe('lit');
    }
  });
});

describe('a face in front of the screen', () => {
  test.each([0.01, 0.05, 0.3, 1.5])('is lit as drawn in any room light: share %f', (strength) => {
    for (const seed of SEEDS) expect(judge({ strength, seed, noise: 0.002 }).because).toBe('lit as drawn');
  });

  test.each([5, 8, 15, 30])('is lit at %i frames a second', (framesPerSecond) => {
    for (const seed of SEEDS) expect(judge({ framesPerSecond, seed }).finding).toBe('lit');
  });

  test('is lit despite changes of exposure and white balance', () => {
    const camera = (time: number): Rgb => [1 + 0.2 * Math.sin(time / 400), 1, 1 - 0.15 * Math.cos(time / 300)];
    expect(judge({ camera }).finding).toBe('lit');
  });

  test('is lit while a person walks through part of the room', () => {
    const samples = sample();
    for (const [i, { room }] of samples.entries()) for (let c = 0; c < 9; c += 1) room[c]! *= 1 + 0.5 * Math.sin(i + c);
    expect(judgeLight(samples, show(DRAWN)).finding).toBe('lit');
  });

  test('is lit although a glint spoils a frame or a place', () => {
    const samples = sample();
    samples[4]!.skin.fill(NaN);
    samples[9]!.patches.fill(NaN, 21, 24);
    expect(judgeLight(samples, show(DRAWN))).toMatchObject({ finding: 'lit', figures: { frames: samples.length - 2 } });
  });

  test('gets the same result for the same frames', () => {
    expect(judge()).toEqual(judge());
  });
});

describe('a picture without the screen’s light', () => {
  test('is not lit if it ignores the colors', () => {
    for (const seed of SEEDS) expect(judge({ strength: 0, seed }).finding).toBe('not_lit');
  });

  test('is not lit by a tint over the whole picture', () => {
    for (const seed of SEEDS) expect(judge({ onRoom: 1, seed }).finding).toBe('not_lit');
  });

  test('is not lit as a head by a tint over the face', () => {
    for (const seed of SEEDS) expect(judge({ unevenness: 0, seed }).because).toBe('lit as a flat thing is');
  });

  test('is inconclusive for paint that follows the picture, because a mark on a face looks like it', () => {
    // A lamp on the left multiplies the picture; the screen's light depends only on the height.
    const samples = sample({ unevenness: 0 });
    const plain = sample({ unevenness: 0, strength: 0, seed: 1 });
    for (const [i, { patches }] of samples.entries())
      for (const [place, { x, y }] of PATCHES.entries())
        for (let c = 0; c < 3; c += 1) {
          const [lit, bare] = [patches[place * 3 + c]!, plain[i]!.patches[place * 3 + c]!];
          patches[place * 3 + c] = (bare + (lit - bare) * (0.5 + y / 80)) * Math.exp((50 - x) / 60);
        }
    const { finding, because } = judgeLight(samples, show(DRAWN));
    expect([finding, because]).toEqual(['inconclusive', 'lit as a painted picture is']);
  });

  test('is not lit as drawn by the colors of another session', () => {
    const otherOrders: LightColor[][] = [
      ['red', 'cyan', 'blue', 'yellow', 'green', 'magenta'],
      ['blue', 'red', 'green', 'cyan', 'magenta', 'yellow'],
    ];
    for (const wrongOrder of otherOrders)
      expect(judge({ seen: show(wrongOrder), noise: 0.001 }).finding).toBe('not_lit');
  });

  test('is not lit as drawn by colors that are a second late', () => {
    expect(judge({ lagMs: 1_000, noise: 0.001 }).finding).not.toBe('lit');
  });
});

describe('inconclusive frames', () => {
  test('include noise that would hide the light of a screen', () => {
    for (const seed of SEEDS) {
      expect(judge({ strength: 0, noise: 0.2, seed }).finding).toBe('inconclusive');
      expect(judge({ strength: 0.005, noise: 0.2, seed }).finding).toBe('inconclusive');
    }
  });

  test('include too few frames', () => {
    expect(judge({ framesPerSecond: 3 })).toEqual({
      finding: 'inconclusive',
      because: 'too few frames',
      figures: null,
    });
    expect(judgeLight([], show(DRAWN)).finding).toBe('inconclusive');
  });

  test('include a clipped face in too many frames', () => {
    const samples = sample();
    for (const { skin } of samples.slice(4, 28)) skin.fill(NaN);
    expect(judgeLight(samples, show(DRAWN)).because).toBe('too few frames');
    for (const { skin } of samples) skin.fill(NaN);
    expect(judgeLight(samples, show(DRAWN)).because).toBe('the face was not seen');
  });

  test('include a place that was clipped in many frames, which could hide paint', () => {
    const samples = sample();
    for (const { patches } of samples.slice(0, 10)) patches.fill(NaN, 21, 24);
    expect(judgeLight(samples, show(DRAWN)).because).toBe('lit as drawn, but its shape cannot be told');
  });

  test('include a response whose shape is lost in noise, which could be a tint', () => {
    const samples = sample({ unevenness: 0 });
    const random = createRandom(7);
    for (const { patches } of samples) for (const i of patches.keys()) patches[i]! *= 1 + 0.12 * (random() - 0.5);
    expect(judgeLight(samples, show(DRAWN)).because).toBe('lit as drawn, but its shape cannot be told');
  });

  test('ignore frames from before the first color', () => {
    const before = sample({ strength: 0, seed: 9 }).map((earlier) => ({ ...earlier, at: earlier.at - 5_000 }));
    expect(judgeLight([...before, ...sample()], show(DRAWN))).toEqual(judge());
  });

  test('distinguish a head from a flat tint without a room', () => {
    expect(judge({ hasRoom: false }).finding).toBe('lit');
    expect(judge({ hasRoom: false, unevenness: 0 }).finding).toBe('not_lit');
  });
});

describe('daylight reported by the camera', () => {
  const unlit = judge({ strength: 0, noise: 0.0005 });

  test('makes an unlit face inconclusive', () => {
    expect([unlit.finding, isOutshone(unlit)]).toEqual(['not_lit', true]);
    const allowed = allowForDaylight(unlit, true);
    expect([allowed.finding, isOutshone(allowed), allowed.figures]).toEqual(['inconclusive', true, unlit.figures]);
    expect(allowForDaylight(unlit, false)).toBe(unlit);
  });

  test('excuses neither a flat response nor another order', () => {
    const flat = judge({ unevenness: 0 });
    const wrongOrder = judge({ seen: show(['blue', 'green', 'red', 'yellow', 'cyan', 'magenta']) });
    for (const found of [flat, wrongOrder]) {
      expect(found.finding).toBe('not_lit');
      expect([allowForDaylight(found, true), isOutshone(found)]).toEqual([found, false]);
    }
  });
});
