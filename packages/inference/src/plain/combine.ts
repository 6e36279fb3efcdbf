// Combines two tensors element by element, broadcasting the smaller one.
import { countValues, isSameShape, makeLike, refuse, type Values } from '../tensor.ts';

export type Combination = 'Add' | 'Sub' | 'Mul' | 'Div';

/** Uses one of `others` for `run` consecutive values, repeating them. */
type Loop = (result: Float32Array | Float64Array, values: Values, others: Values, run: number) => void;

// Separate loops, because a loop with a callback is several times slower in browsers.
const LOOPS: Record<Combination, Loop> = {
  Add(result, values, others, run) {
    for (let at = 0, which = 0; at < result.length; which = which + 1 === others.length ? 0 : which + 1) {
      const other = others[which]!;
      for (const end = at + run; at < end; at += 1) result[at] = values[at]! + other;
    }
  },
  Sub(result, values, others, run) {
    for (let at = 0, which = 0; at < result.length; which = which + 1 === others.length ? 0 : which + 1) {
      const other = others[which]!;
      for (const end = at + run; at < end; at += 1) result[at] = values[at]! - other;
    }
  },
  Mul(result, values, others, run) {
    for (let at = 0, which = 0; at < result.length; which = which + 1 === others.length ? 0 : which + 1) {
      const other = others[which]!;
      for (const end = at + run; at < end; at += 1) result[at] = values[at]! * other;
    }
  },
  Div(result, values, others, run) {
    for (let at = 0, which = 0; at < result.length; which = which + 1 === others.length ? 0 : which + 1) {
      const other = others[which]!;
      for (const end = at + run; at < end; at += 1) result[at] = values[at]! / other;
    }
  },
};

export function prepareCombination(
  kind: Combination,
  left: readonly number[],
  right: readonly number[],
): { dims: readonly number[]; compute(values: Values, others: Values): Values } {
  const dims = joinShapes(left, right);
  const run = isSameShape(dims, left) ? findRun(dims, right) : undefined;
  function compute(values: Values, others: Values): Values {
    if (kind === 'Div' && values instanceof Float64Array) refuse('it divides whole numbers');
    if (isSmall(values) || isSmall(others)) refuse('it computes in small integers');
    const result = makeLike(values, countValues(dims));
    if (run === undefined) LOOPS[kind](result, spread(values, left, dims), spread(others, right, dims), 1);
    else LOOPS[kind](result, values, others, run);
    return result;
  }
  return { dims, compute };
}

/** Small integers would overflow. */
const isSmall = (values: Values) => !(values instanceof Float32Array || values instanceof Float64Array);

function joinShapes(left: readonly number[], right: readonly number[]): number[] {
  const rank = Math.max(left.length, right.length);
  return Array.from({ length: rank }, (_, axis) => {
    const first = left[axis - rank + left.length] ?? 1;
    const second = right[axis - rank + right.length] ?? 1;
    if (first !== second && first !== 1 && second !== 1) refuse('the shapes of two values do not fit');
    return first === 1 ? second : first;
  });
}

/** Returns how many consecutive values share a broadcast value; undefined if irregular. */
function findRun(dims: readonly number[], others: readonly number[]): number | undefined {
  const rank = dims.length - others.length;
  const wide = others.flatMap((size, axis) => (size === 1 ? [] : [axis + rank]));
  const first = wide[0] ?? dims.length;
  const last = wide.at(-1) ?? -1;
  const isWhole = dims.slice(first, last + 1).every((size, at) => size === others[first + at - rank]);
  return isWhole ? countValues(dims.slice(last + 1)) : undefined;
}

function spread(values: Values, dims: readonly number[], target: readonly number[]): Values {
  const steps = target.map((_, axis) => {
    const own = axis - target.length + dims.length;
    return own < 0 || dims[own] === 1 ? 0 : countValues(dims.slice(own + 1));
  });
  return pick(values, target, steps);
}

/** Reads the values of a shape with the given step for each axis. */
export function pick(values: Values, dims: readonly number[], steps: readonly number[], from = 0): Values {
  const result = makeLike(values, countValues(dims));
  const [run, step] = [dims.at(-1) ?? 1, steps.at(-1) ?? 1];
  const [rows, rowStep] = [dims.at(-2) ?? 1, steps.at(-2) ?? 0];
  const place = dims.map(() => 0);
  let source = from;
  for (let at = 0; at < result.length; ) {
    // Separate loops for the last two axes, because the last one is often two or four long.
    for (let row = 0; row < rows; row += 1)
      for (let index = 0; index < run; index += 1, at += 1) result[at] = values[source + row * rowStep + index * step]!;
    for (let axis = dims.length - 3; axis >= 0; axis -= 1) {
      place[axis]! += 1;
      source += steps[axis]!;
      if (place[axis]! < dims[axis]!) break;
      source -= steps[axis]! * dims[axis]!;
      place[axis] = 0;
    }
  }
  return result;
}
