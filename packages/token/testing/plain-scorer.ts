// The key-holder's scoring in plain TypeScript: the reference for the kernel.
import type { SecretKey } from '../keyholder/index.ts';
import {
  type BlindedRows,
  center,
  M_SQUARED,
  Q,
  RING_DEGREE,
  ROUNDED_RANGE,
  ROW_BYTES,
  ROW_LEFT_AT,
  ROW_PRODUCT_AT,
  ROW_RIGHT_AT,
  reduce,
} from '../shared/index.ts';

export function scorePlainly({ count, bytes }: BlindedRows, left: SecretKey, right: SecretKey): number[] {
  const copy = bytes.slice().buffer;
  return Array.from({ length: count }, (_, row) => {
    const at = row * ROW_BYTES;
    const fromLeft = new Int16Array(copy, at + ROW_LEFT_AT, RING_DEGREE);
    const fromRight = new Int16Array(copy, at + ROW_RIGHT_AT, RING_DEGREE);
    const product = new Int32Array(copy, at + ROW_PRODUCT_AT, RING_DEGREE);
    let rounded = 0;
    let exact = new Int32Array(copy, at, 1)[0]!;
    for (let index = 0; index < RING_DEGREE; index++) {
      rounded += fromLeft[index]! * left.reversed[index]! + fromRight[index]! * right.reversed[index]!;
      const both = center(reduce(left.values[index]! * right.values[index]!));
      exact = reduce(exact + reduce(product[index]! * both));
    }
    const sum = exact + (rounded * Q) / ROUNDED_RANGE;
    return (sum - Math.round(sum / Q) * Q) / M_SQUARED;
  });
}
