// The evaluator's arithmetic in plain TypeScript: the reference for its kernel, and for tests of
// the other roles.
import {
  type BlindedRows,
  type BlindedShape,
  center,
  conjugate,
  drawProjection,
  fillBounded,
  fillGaussian,
  INVERSE_OF_N,
  M_SQUARED,
  multiply,
  PROJECTION_BYTES,
  PROJECTION_ROUNDED_AT,
  PROJECTIONS,
  packBody,
  Q,
  RING_DEGREE,
  ROUNDED_RANGE,
  ROW_BYTES,
  ROW_LEFT_AT,
  ROW_PRODUCT_AT,
  ROW_RIGHT_AT,
  reduce,
  SCORE_NOISE,
  SELF_PRODUCT_BOUND,
  SHAPE_BALANCE_AT,
  SHAPE_BYTES,
  SHAPE_PROJECTIONS_AT,
  transform,
  transformInverse,
  unpackBody,
} from '../shared/index.ts';

/** c0·d0, c1·d0, c0·d1 and c1·d1 in NTT form. */
export function multiplyBodies(left: Uint8Array, right: Uint8Array): [Int32Array, Int32Array, Int32Array, Int32Array] {
  const { c0, c1 } = unpackBody(left);
  const { c0: d0, c1: d1 } = unpackBody(right);
  return [multiplyPointwise(c0, d0), multiplyPointwise(c1, d0), multiplyPointwise(c0, d1), multiplyPointwise(c1, d1)];
}

export function multiplyPointwise(left: Int32Array, right: Int32Array): Int32Array {
  return left.map((value, index) => multiply(value, right[index]!));
}

/** One blinded row in the evaluator's format. */
export function blindComparison(left: Uint8Array, right: Uint8Array): BlindedRows {
  const bytes = new Uint8Array(ROW_BYTES);
  writeRow(bytes, multiplyBodies(left, right));
  return { count: 1, bytes };
}

export function blindShape(body: Uint8Array): BlindedShape {
  const bytes = new Uint8Array(SHAPE_BYTES);
  const { c0, c1 } = unpackBody(body);
  writeRow(bytes, coverLast(multiplyBodies(body, body)));
  const conjugated = packBody(conjugate(c0), conjugate(c1));
  writeRow(bytes.subarray(SHAPE_BALANCE_AT), coverLast(multiplyBodies(body, conjugated)));
  const projection = new Int32Array(RING_DEGREE);
  for (let number = 0; number < PROJECTIONS; number++) {
    drawProjection(number, projection);
    toResidues(projection);
    transform(projection);
    const at = SHAPE_PROJECTIONS_AT + number * PROJECTION_BYTES;
    new Int32Array(bytes.buffer, at, 1)[0] = constantOf(multiplyPointwise(c0, projection));
    writeRounded(bytes, at + PROJECTION_ROUNDED_AT, multiplyPointwise(c1, projection));
  }
  return { bytes };
}

type Terms = ReturnType<typeof multiplyBodies>;

function coverLast([o0, o1, o2, o3]: Terms): Terms {
  const cover = new Int32Array(RING_DEGREE);
  fillBounded(cover, SELF_PRODUCT_BOUND);
  toResidues(cover);
  transform(cover);
  return [o0, o1, o2, o3.map((value, index) => reduce(value + cover[index]!))];
}

/** Converts signed coefficients to 0..q-1 in place. */
export function toResidues(values: Int32Array) {
  for (let index = 0; index < values.length; index++) {
    values[index] = reduce(values[index]!);
  }
}

function writeRow(out: Uint8Array, [o0, o1, o2, o3]: Terms) {
  const noise = new Int32Array(1);
  fillGaussian(noise, SCORE_NOISE * M_SQUARED);
  new Int32Array(out.buffer, out.byteOffset, 1)[0] = center(reduce(constantOf(o0) + noise[0]!));
  writeRounded(out, ROW_LEFT_AT, o1);
  writeRounded(out, ROW_RIGHT_AT, o2);
  new Int32Array(out.buffer, out.byteOffset + ROW_PRODUCT_AT, RING_DEGREE).set(
    o3.map((value) => center(multiply(value, INVERSE_OF_N))),
  );
}

function constantOf(values: Int32Array) {
  const sum = values.reduce((total, value) => total + value, 0);
  return center(multiply(reduce(sum), INVERSE_OF_N));
}

function writeRounded(bytes: Uint8Array, at: number, values: Int32Array) {
  const coefficients = values.slice();
  transformInverse(coefficients);
  const out = new Int16Array(bytes.buffer, bytes.byteOffset + at, RING_DEGREE);
  // An i16 array takes values modulo 65,536.
  coefficients.forEach((value, index) => {
    out[index] = Math.round((center(value) * ROUNDED_RANGE) / Q);
  });
}
