// Eight-point DCT of JPEG and its inverse, in place.

/** Half cosines of multiples of π/16. */
const [C1, C2, C3, C4, C5, C6, C7] = [1, 2, 3, 4, 5, 6, 7].map((i) => Math.cos((i * Math.PI) / 16) / 2) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

/** Even waves need only sums of mirrored samples, odd ones only differences. */
export function toWaves(data: Float64Array, start: number, stride: number): void {
  const far = start + 7 * stride;
  const s0 = data[start]! + data[far]!;
  const s1 = data[start + stride]! + data[far - stride]!;
  const s2 = data[start + 2 * stride]! + data[far - 2 * stride]!;
  const s3 = data[start + 3 * stride]! + data[far - 3 * stride]!;
  const d0 = data[start]! - data[far]!;
  const d1 = data[start + stride]! - data[far - stride]!;
  const d2 = data[start + 2 * stride]! - data[far - 2 * stride]!;
  const d3 = data[start + 3 * stride]! - data[far - 3 * stride]!;
  data[start] = C4 * (s0 + s1 + s2 + s3);
  data[start + stride] = C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3;
  data[start + 2 * stride] = C2 * (s0 - s3) + C6 * (s1 - s2);
  data[start + 3 * stride] = C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3;
  data[start + 4 * stride] = C4 * (s0 - s1 - s2 + s3);
  data[start + 5 * stride] = C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3;
  data[start + 6 * stride] = C6 * (s0 - s3) - C2 * (s1 - s2);
  data[far] = C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3;
}

export function toSamples(data: Float64Array, start: number, stride: number): void {
  const far = start + 7 * stride;
  const w0 = C4 * data[start]!;
  const w1 = data[start + stride]!;
  const w2 = data[start + 2 * stride]!;
  const w3 = data[start + 3 * stride]!;
  const w4 = C4 * data[start + 4 * stride]!;
  const w5 = data[start + 5 * stride]!;
  const w6 = data[start + 6 * stride]!;
  const w7 = data[far]!;
  const e0 = w0 + w4 + C2 * w2 + C6 * w6;
  const e1 = w0 - w4 + C6 * w2 - C2 * w6;
  const e2 = w0 - w4 - C6 * w2 + C2 * w6;
  const e3 = w0 + w4 - C2 * w2 - C6 * w6;
  const o0 = C1 * w1 + C3 * w3 + C5 * w5 + C7 * w7;
  const o1 = C3 * w1 - C7 * w3 - C1 * w5 - C5 * w7;
  const o2 = C5 * w1 - C1 * w3 + C7 * w5 + C3 * w7;
  const o3 = C7 * w1 - C5 * w3 + C3 * w5 - C1 * w7;
  data[start] = e0 + o0;
  data[start + stride] = e1 + o1;
  data[start + 2 * stride] = e2 + o2;
  data[start + 3 * stride] = e3 + o3;
  data[start + 4 * stride] = e3 - o3;
  data[start + 5 * stride] = e2 - o2;
  data[start + 6 * stride] = e1 - o1;
  data[far] = e0 - o0;
}
