// Fits the response of a face to an order of colors: least squares of its changes on the screen's
// light.

import { dot, solveLinear } from '@limen/face-geometry';
import type { LightColor } from '@limen/plan';
import { FADE_MS, SCREEN_COLORS, toLight } from './colours.ts';
import type { Series } from './read-series.ts';

/** Changes of a face without disturbances. Created once and fitted many times. */
export interface Changes extends Pick<Series, 'times' | 'disturbances'> {
  values: Float64Array;
  /** Sum of squares. */
  whole: number;
}

export function toChanges({ times, disturbances, face }: Pick<Series, 'times' | 'disturbances' | 'face'>): Changes {
  const values = removeDisturbances(disturbances, face);
  return { times, disturbances, values, whole: dot(values, values) };
}

/**
 * The screen's light seen with a delay, independent of the colors. Any order is a linear
 * combination of its positions, so fitting one takes about a hundred multiplications, for any
 * number of frames.
 */
export interface Delay {
  lagMs: number;
  /** Visibility of each position over time, without disturbances. */
  places: readonly Float64Array[];
  /** Gram matrix of the positions, by rows. */
  gram: Float64Array;
}

/** `shownAt`: time of full intensity of each position. */
export function createDelay({ times, disturbances }: Changes, shownAt: readonly number[], lagMs: number): Delay {
  const places = shownAt.map((at, place) => {
    const next = shownAt[place + 1] ?? Infinity;
    // The first color was shown before, and the last one stays.
    const begin = place === 0 ? -Infinity : at - FADE_MS;
    const seen = times.map((time) => rise(time - lagMs, begin) - rise(time - lagMs, next - FADE_MS));
    return removeFrom(disturbances, Float64Array.from(seen));
  });
  return { lagMs, places, gram: Float64Array.from(places.flatMap((row) => places.map((column) => dot(row, column)))) };
}

/** Rises from 0 to 1 during a fade. */
function rise(time: number, begin: number): number {
  return begin === -Infinity ? 1 : Math.min(Math.max((time - begin) / FADE_MS, 0), 1);
}

/** Products of the changes with the positions, by channel. */
export type Products = readonly Float64Array[];

export function multiply(values: Float64Array, { places }: Delay): Products {
  return [0, 1, 2].map((channel) =>
    Float64Array.from(places, (place) => {
      let sum = 0;
      for (let i = 0; i < place.length; i += 1) sum += place[i]! * values[i * 3 + channel]!;
      return sum;
    }),
  );
}

export interface Response {
  /** Share of a white screen in the light on the face, averaged over the channels. */
  response: number;
  byChannel: Float64Array;
  /** Sum of squares explained by the colors. */
  explained: number;
}

/** Light of each color, by channel. */
const LEVELS = new Map(Object.entries(SCREEN_COLORS).map(([color, values]) => [color, values.map(toLight)]));

/** Remainder of a channel after subtracting the mean of all three, as in the changes. */
const left = (channel: number, source: number) => (channel === source ? 2 / 3 : -1 / 3);

export function fitOrder({ gram }: Delay, products: Products, order: readonly LightColor[]): Response {
  const count = order.length;
  const levels = [0, 1, 2].map((channel) => order.map((color) => LEVELS.get(color)![channel]!));
  const matrix = new Float64Array(9);
  const right = new Float64Array(3);
  for (let i = 0; i < 3; i += 1) {
    for (let place = 0; place < count; place += 1) right[i]! += levels[i]![place]! * products[i]![place]!;
    for (let j = 0; j <= i; j += 1) {
      let sum = 0;
      for (let a = 0; a < count; a += 1)
        for (let b = 0; b < count; b += 1) sum += levels[i]![a]! * gram[a * count + b]! * levels[j]![b]!;
      matrix[i * 3 + j] = sum * left(i, j);
      matrix[j * 3 + i] = sum * left(i, j);
    }
  }
  const byChannel = solveLinear(matrix, right) ?? new Float64Array(3);
  return {
    byChannel,
    response: (byChannel[0]! + byChannel[1]! + byChannel[2]!) / 3,
    explained: measureExplained(matrix, right),
  };
}

/** Returns the explained sum of squares without negative channels, because light only adds. */
function measureExplained(matrix: Float64Array, right: Float64Array): number {
  let channels = [0, 1, 2];
  while (channels.length > 0) {
    const part = Float64Array.from(channels.flatMap((i) => channels.map((j) => matrix[i * 3 + j]!)));
    const values = Float64Array.from(channels, (i) => right[i]!);
    const shares = solveLinear(part, values);
    if (!shares) return 0;
    if (shares.every((share) => share >= 0)) return dot(shares, values);
    const worst = shares.indexOf(Math.min(...shares));
    channels = channels.filter((_, i) => i !== worst);
  }
  return 0;
}

/** Predicts the changes caused by the colors. */
export function applyResponse({ places }: Delay, order: readonly LightColor[], { byChannel }: Response): Float64Array {
  const made = new Float64Array(places[0]!.length * 3);
  for (const [place, color] of order.entries())
    for (let channel = 0; channel < 3; channel += 1) {
      const strength = LEVELS.get(color)![channel]! * byChannel[channel]!;
      for (let i = 0; i < places[place]!.length; i += 1)
        for (let c = 0; c < 3; c += 1) made[i * 3 + c]! += strength * places[place]![i]! * left(c, channel);
    }
  return made;
}

/** Removes the disturbances from each channel. */
export function removeDisturbances(disturbances: readonly Float64Array[], values: Float64Array): Float64Array {
  const cleaned = new Float64Array(values.length);
  for (let c = 0; c < 3; c += 1) {
    const channel = removeFrom(
      disturbances,
      values.filter((_, i) => i % 3 === c),
    );
    for (let i = 0; i < channel.length; i += 1) cleaned[i * 3 + c] = channel[i]!;
  }
  return cleaned;
}

function removeFrom(disturbances: readonly Float64Array[], values: Float64Array): Float64Array {
  const cleaned = values.slice();
  for (const disturbance of disturbances) {
    const share = dot(disturbance, cleaned);
    for (let i = 0; i < cleaned.length; i += 1) cleaned[i]! -= share * disturbance[i]!;
  }
  return cleaned;
}
