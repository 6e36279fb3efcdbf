// Defocus and motion blur of a scene.

import type { Scene } from './canvas.ts';

/** Blurs by a Gaussian, in scene pixels; edges are repeated. */
export function blurScene(scene: Scene, deviation: number): void {
  const radius = Math.ceil(deviation * 2.5 - 0.2);
  const weights = makeWeights(deviation, radius);
  const { width, height, data } = scene;
  const length = width * 4;
  const taps = weights.length;
  // Rows blurred along x; each is used by as many results as there are weights.
  const ring = Array.from({ length: taps }, () => new Float32Array(length));
  const padded = new Float32Array(length + radius * 8);
  const sum = new Float32Array(length);
  for (let row = -radius; row < height + radius; row += 1) {
    const from = Math.min(height - 1, Math.max(0, row));
    // Rows above are overwritten once they are no longer needed.
    blurRow(data, from * length, length, weights, padded, ring[(row + radius) % taps]!);
    const middle = row - radius;
    if (middle < 0) continue;
    setScaled(sum, ring[(middle + radius) % taps]!, weights[radius]!);
    for (let k = 0; k < radius; k += 1)
      addPair(sum, ring[(middle + k) % taps]!, ring[(middle + taps - 1 - k) % taps]!, weights[k]!);
    data.set(sum, middle * length);
  }
}

/** Rows at the same distance above and below have equal weights. */
function addPair(sum: Float32Array, above: Float32Array, below: Float32Array, weight: number): void {
  for (let i = 0; i < sum.length; i += 1) sum[i]! += (above[i]! + below[i]!) * weight;
}

/** Overwrites the sum with the first term. */
function setScaled(sum: Float32Array, line: Float32Array, weight: number): void {
  for (let i = 0; i < sum.length; i += 1) sum[i] = line[i]! * weight;
}

function makeWeights(deviation: number, radius: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * radius + 1 }, (_, i) =>
    Math.exp(-((i - radius) ** 2) / (2 * deviation ** 2)),
  );
  const total = weights.reduce((sum, weight) => sum + weight);
  return weights.map((weight) => weight / total);
}

function blurRow(
  data: Uint8ClampedArray,
  start: number,
  length: number,
  weights: Float32Array,
  padded: Float32Array,
  result: Float32Array,
): void {
  const margin = (weights.length - 1) * 2;
  padded.set(data.subarray(start, start + length), margin);
  for (let i = 0; i < margin; i += 1) {
    padded[i] = data[start + (i & 3)]!;
    padded[margin + length + i] = data[start + length - 4 + (i & 3)]!;
  }
  const radius = weights.length >> 1;
  const last = weights.length - 1;
  const weight = weights[radius]!;
  for (let i = 0; i < length; i += 1) result[i] = padded[i + radius * 4]! * weight;
  for (let k = 0; k < radius; k += 1) {
    const outer = weights[k]!;
    const [left, right] = [k * 4, (last - k) * 4];
    for (let i = 0; i < length; i += 1) result[i]! += (padded[i + left]! + padded[i + right]!) * outer;
  }
}

/** Averages along a short straight path, like a moving hand. */
export function blurAlong(scene: Scene, length: number, angle: number): void {
  const { width, height, data } = scene;
  const source = data.slice();
  const steps = Math.max(2, Math.ceil(length) + 1);
  const offsets = Int32Array.from({ length: steps }, (_, step) => {
    const along = (step / (steps - 1) - 0.5) * length;
    return (Math.round(along * Math.sin(angle)) * width + Math.round(along * Math.cos(angle))) * 4;
  });
  const edge = Math.ceil(length);
  for (let row = edge; row < height - edge; row += 1)
    for (let at = (row * width + edge) * 4; at < (row * width + width - edge) * 4; at += 1) {
      let sum = 0;
      for (let step = 0; step < steps; step += 1) sum += source[at + offsets[step]!]!;
      data[at] = sum / steps;
    }
}
