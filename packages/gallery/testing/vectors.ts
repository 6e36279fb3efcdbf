// Test data of all difficult kinds, and a plain scan in double precision as the reference.
import { expect } from 'vitest';
import type { Hit, SearchOptions } from '../src/gallery.ts';

export const SHAPES = [
  'random',
  'clustered',
  'duplicates',
  'near ties',
  'one huge coordinate',
  'one coordinate',
  'zeros among others',
  'all equal',
  'tiny',
  'denormal',
  'huge',
  'every magnitude',
] as const;
export type Shape = (typeof SHAPES)[number];

export type Draw = () => number;

export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
}

export function drawUnit(draw: Draw, dimensions: number): Float32Array {
  const values = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) values[at] = draw() + draw() - 1;
  const norm = normOf(values);
  for (let at = 0; at < dimensions; at += 1) values[at]! /= norm;
  return values;
}

function normOf(vector: Float32Array): number {
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) squares += vector[at]! * vector[at]!;
  return Math.sqrt(squares);
}

function blend(base: Float32Array, other: Float32Array, share: number): Float32Array {
  return base.map((value, at) => value + share * other[at]!);
}

/** Generates vectors of a kind. */
export function createSource(shape: Shape, draw: Draw, dimensions: number): () => Float32Array {
  const centers = Array.from({ length: 3 }, () => drawUnit(draw, dimensions));
  const center = () => centers[Math.floor(draw() * centers.length)]!;
  const unit = () => drawUnit(draw, dimensions);
  const scaled = (factor: number) => unit().map((value) => value * factor);
  const single = (value: number, vector: Float32Array = new Float32Array(dimensions)) => {
    vector[Math.floor(draw() * dimensions)] = value;
    return vector;
  };
  const makers: Record<Shape, () => Float32Array> = {
    random: unit,
    clustered: () => blend(center(), unit(), 0.3),
    duplicates: () => Float32Array.from(center()),
    'near ties': () => blend(center(), unit(), 10 ** (-4 - 4 * draw())),
    'one huge coordinate': () => single(1e6 * (draw() - 0.5), unit()),
    'one coordinate': () => single(draw() - 0.5),
    'zeros among others': () => (draw() < 0.5 ? new Float32Array(dimensions) : unit()),
    'all equal': () => new Float32Array(dimensions).fill(draw() < 0.5 ? 0.25 : -0.25),
    tiny: () => scaled(1e-14 * draw()),
    denormal: () => scaled(1e-42 * draw()),
    huge: () => scaled(3e38 * draw()),
    'every magnitude': () => scaled(10 ** (60 * draw() - 30)),
  };
  return makers[shape];
}

/** Error of a vector's fine codes: the query for which the error bound is tight. */
export function fineResidueOf(vector: Float32Array): Float32Array {
  const step = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127 || 1;
  return vector.map((value) => value - Math.round(value / step) * step);
}

/** Approximate error of the coarse codes, whose scale is chosen after the levels. */
export function coarseResidueOf(vector: Float32Array): Float32Array {
  const step = (0.3352 * normOf(vector)) / Math.sqrt(vector.length) || 1;
  return vector.map((value) => value - (Math.max(-8, Math.min(7, Math.floor(value / step))) + 0.5) * step);
}

export function scanNaively(rows: ReadonlyMap<number, Float32Array>, query: Float32Array): Hit[] {
  const hits = Array.from(rows, ([key, vector]) => {
    let similarity = 0;
    for (let at = 0; at < query.length; at += 1) similarity += vector[at]! * query[at]!;
    return { key, similarity };
  });
  return hits.sort((a, b) => b.similarity - a.similarity || a.key - b.key);
}

/** Fails unless the hits equal those of the plain scan, up to rounding of sums. */
export function expectExact(
  hits: readonly Hit[],
  rows: ReadonlyMap<number, Float32Array>,
  query: Float32Array,
  { k, minSimilarity }: SearchOptions,
): void {
  const all = scanNaively(rows, query);
  const similarities = new Map(all.map(({ key, similarity }) => [key, similarity]));
  let most = 0;
  for (const vector of rows.values()) most = Math.max(most, normOf(vector) * normOf(query));
  const slack = 1e-12 * most;
  const sure = all.filter(({ similarity }) => similarity >= minSimilarity + slack);
  const possible = all.filter(({ similarity }) => similarity >= minSimilarity - slack);
  expect(hits.length).toBeGreaterThanOrEqual(Math.min(k, sure.length));
  expect(hits.length).toBeLessThanOrEqual(Math.min(k, possible.length));
  expect(new Set(hits.map(({ key }) => key)).size).toBe(hits.length);
  const wrong = hits.filter(({ key, similarity }, at) => {
    const before = hits[at - 1];
    const isInOrder = !before || (before.similarity - similarity || key - before.key) > 0;
    const isRight = Math.abs(similarity - (similarities.get(key) ?? Number.NaN)) <= slack;
    // The n-th best similarity equals that of the scan. Ties may be in any order.
    return !(isInOrder && isRight && Math.abs(similarity - all[at]!.similarity) <= slack);
  });
  expect(wrong).toEqual([]);
}
