// Operators on small values: shapes, constants, and the end of a network. Prepared once for a known
// shape, and run repeatedly.
import type { Attribute, GraphNode } from '../onnx/read-graph.ts';
import {
  countValues,
  isSameShape,
  MAX_VALUES,
  makeLike,
  refuse,
  resolveAxis,
  type Tensor,
  type Values,
} from '../tensor.ts';
import { type Combination, pick, prepareCombination } from './combine.ts';

export interface Operand {
  dims: readonly number[];
  /** Set for constants. */
  read?(): Tensor;
}

export interface Prepared {
  dims: readonly number[];
  /** Computes the result from the operands' values, in order. */
  compute(values: readonly (Values | undefined)[]): Values;
}

type Operands = readonly (Operand | undefined)[];
type Prepare = (operands: Operands, node: GraphNode) => Prepared;

/** Minimum number of operands and preparation of each operator. */
const OPERATORS: ReadonlyMap<string, readonly [least: number, prepare: Prepare]> = new Map<string, [number, Prepare]>([
  ['Add', [2, combineAs('Add')]],
  ['Sub', [2, combineAs('Sub')]],
  ['Mul', [2, combineAs('Mul')]],
  ['Div', [2, combineAs('Div')]],
  ['Cast', [1, ([of]) => ({ dims: of!.dims, compute: ([values]) => new Float32Array(values!) })]],
  ['Gather', [2, gather]],
  ['Unsqueeze', [1, unsqueeze]],
  ['Reshape', [2, reshape]],
  ['Flatten', [1, flatten]],
  ['Concat', [1, concat]],
  ['Transpose', [1, transpose]],
  ['Slice', [1, slice]],
  ['Exp', [1, computeEach(() => Math.exp)]],
  ['Sigmoid', [1, computeEach(() => sigmoid)]],
  ['Relu', [1, computeEach(() => (value) => Math.max(value, 0))]],
  ['Clip', [1, computeEach(limit)]],
  ['Softmax', [1, softmax]],
  ['ReduceMax', [1, reduceMax]],
  ['BatchNormalization', [5, normalize]],
]);

/** Operators that keep the values. */
export const RESHAPING: ReadonlySet<string> = new Set(['Reshape', 'Flatten', 'Unsqueeze']);

export function prepare(node: GraphNode, operands: Operands): Prepared {
  const [least, prepareIt] = OPERATORS.get(node.operator) ?? refuse(`the operator ${node.operator} is not supported`);
  for (let at = 0; at < least; at += 1) if (!operands[at]) refuse(`${node.operator} lacks an input`);
  const prepared = prepareIt(operands, node);
  if (countValues(prepared.dims) > MAX_VALUES) refuse(`${node.operator} makes too many values`);
  return prepared;
}

export const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));

export function findNumber(node: GraphNode, name: string, otherwise: number): number {
  const found = node.attributes.get(name);
  return typeof found === 'number' ? found : otherwise;
}

export function findNumbers(node: GraphNode, name: string): readonly number[] | undefined {
  const found: Attribute | undefined = node.attributes.get(name);
  return Array.isArray(found) ? found : undefined;
}

/** Settings may be computed, but must not depend on the input. */
function readKnown(operand: Operand, node: GraphNode): Values {
  if (!operand.read) refuse(`${node.operator} has a setting that depends on the input, which is not supported`);
  return operand.read().values;
}

function combineAs(kind: Combination): Prepare {
  return ([one, other]) => {
    const { dims, compute } = prepareCombination(kind, one!.dims, other!.dims);
    return { dims, compute: ([first, second]) => compute(first!, second!) };
  };
}

function computeEach(findFormula: (node: GraphNode, operands: Operands) => (value: number) => number): Prepare {
  return (operands, node) => {
    const formula = findFormula(node, operands);
    const compute = ([values]: readonly (Values | undefined)[]) => {
      const result = makeLike(values!, values!.length);
      for (let at = 0; at < result.length; at += 1) result[at] = formula(values![at]!);
      return result;
    };
    return { dims: operands[0]!.dims, compute };
  };
}

function limit(node: GraphNode, [, first, second]: Operands): (value: number) => number {
  const read = (operand: Operand | undefined, name: string, fallback: number) =>
    operand ? (readKnown(operand, node)[0] ?? fallback) : findNumber(node, name, fallback);
  const least = read(first, 'min', Number.NEGATIVE_INFINITY);
  const most = read(second, 'max', Number.POSITIVE_INFINITY);
  return (value) => Math.min(Math.max(value, least), most);
}

function gather([from, which]: Operands, node: GraphNode): Prepared {
  const axis = resolveAxis(findNumber(node, 'axis', 0), from!.dims.length);
  if (from!.dims.length !== 1 || axis !== 0) refuse('it picks values from something that is not a list');
  const places = [...readKnown(which!, node)].map((index) => resolveAxis(index, from!.dims[0]!));
  const compute = ([values]: readonly (Values | undefined)[]) => {
    const result = makeLike(values!, places.length);
    for (const [at, place] of places.entries()) result[at] = values![place]!;
    return result;
  };
  return { dims: which!.dims, compute };
}

/** An attribute in older files, an input in newer ones. */
function readAxes(node: GraphNode, input: Operand | undefined): readonly number[] {
  return findNumbers(node, 'axes') ?? (input ? [...readKnown(input, node)] : []);
}

const leave = ([values]: readonly (Values | undefined)[]) => values!;

function unsqueeze([of, given]: Operands, node: GraphNode): Prepared {
  const axes = readAxes(node, given);
  const rank = of!.dims.length + axes.length;
  const added = new Set(axes.map((axis) => resolveAxis(axis, rank)));
  if (added.size !== axes.length) refuse('it adds an axis twice');
  const sizes = [...of!.dims];
  return { dims: Array.from({ length: rank }, (_, axis) => (added.has(axis) ? 1 : sizes.shift()!)), compute: leave };
}

function reshape([of, shape]: Operands, node: GraphNode): Prepared {
  if (findNumber(node, 'allowzero', 0) !== 0) refuse('it has shapes with sizes of zero');
  const count = countValues(of!.dims);
  const wanted = [...readKnown(shape!, node)].map((size, axis) => (size === 0 ? of!.dims[axis]! : size));
  const known = countValues(wanted.filter((size) => size !== -1));
  const dims = wanted.map((size) => (size === -1 ? count / known : size));
  if (countValues(dims) !== count || !dims.every((size) => Number.isInteger(size) && size > 0))
    refuse('it reshapes values to another number of them');
  return { dims, compute: leave };
}

function flatten([of]: Operands, node: GraphNode): Prepared {
  const rank = of!.dims.length;
  const axis = findNumber(node, 'axis', 1);
  // The position after the last axis is allowed, but not by a negative number.
  const at = axis === rank ? rank : resolveAxis(axis, rank);
  return { dims: [countValues(of!.dims.slice(0, at)), countValues(of!.dims.slice(at))], compute: leave };
}

function concat(operands: Operands, node: GraphNode): Prepared {
  const shapes = operands.map((operand) => operand?.dims ?? refuse('Concat lacks an input'));
  const [first] = shapes;
  const axis = resolveAxis(findNumber(node, 'axis', 0), first!.length);
  const dims = first!.map((size, at) => (at === axis ? shapes.reduce((sum, shape) => sum + shape[at]!, 0) : size));
  if (!shapes.every((shape) => isSameShape(shape.toSpliced(axis, 1, 0), dims.toSpliced(axis, 1, 0))))
    refuse('the shapes of values that are joined do not fit');
  const runs = shapes.map((shape) => countValues(shape.slice(axis)));
  const whole = countValues(dims.slice(axis));
  const compute = (parts: readonly (Values | undefined)[]) => {
    const result = makeLike(parts[0]!, countValues(dims));
    let start = 0;
    for (const [index, part] of parts.entries()) {
      const run = runs[index]!;
      // Often two or four values: a loop is faster than a view and its copy.
      for (let to = start, from = 0; to < result.length; to += whole, from += run)
        for (let at = 0; at < run; at += 1) result[to + at] = part![from + at]!;
      start += run;
    }
    return result;
  };
  return { dims, compute };
}

function computeSteps(dims: readonly number[]): number[] {
  return dims.map((_, axis) => countValues(dims.slice(axis + 1)));
}

function transpose([of]: Operands, node: GraphNode): Prepared {
  const rank = of!.dims.length;
  const given = findNumbers(node, 'perm') ?? of!.dims.map((_, axis) => rank - 1 - axis);
  const order = given.map((axis) => resolveAxis(axis, rank));
  if (order.length !== rank || new Set(order).size !== rank) refuse('it transposes values in an unsupported way');
  const steps = computeSteps(of!.dims);
  const dims = order.map((axis) => of!.dims[axis]!);
  const turned = order.map((axis) => steps[axis]!);
  return { dims, compute: ([values]) => pick(values!, dims, turned) };
}

function slice([of, ...given]: Operands, node: GraphNode): Prepared {
  const read = (name: string, at: number) =>
    findNumbers(node, name) ?? (given[at] ? [...readKnown(given[at], node)] : undefined);
  const [starts, ends] = [read('starts', 0) ?? [], read('ends', 1) ?? []];
  const axes = read('axes', 2) ?? starts.map((_, axis) => axis);
  if ((read('steps', 3) ?? []).some((step) => step !== 1)) refuse('it slices with steps, which is not supported');
  if (starts.length !== ends.length || starts.length !== axes.length) refuse('it slices values in an unsupported way');
  const steps = computeSteps(of!.dims);
  const dims = [...of!.dims];
  let from = 0;
  for (const [index, given] of axes.entries()) {
    const axis = resolveAxis(given, dims.length);
    const size = of!.dims[axis]!;
    const within = (at: number) => Math.min(Math.max(at < 0 ? at + size : at, 0), size);
    const [start, end] = [within(starts[index]!), within(ends[index]!)];
    if (end <= start) refuse('it slices values to nothing');
    dims[axis] = end - start;
    from += start * steps[axis]!;
  }
  return { dims, compute: ([values]) => pick(values!, dims, steps, from) };
}

/** Only along the last axis. */
function softmax([of]: Operands, node: GraphNode): Prepared {
  const { dims } = of!;
  // The default was the second axis in older files and is the last in newer ones.
  const axis = findNumber(node, 'axis', dims.length === 2 ? 1 : Number.NaN);
  if (resolveAxis(axis, dims.length) !== dims.length - 1) refuse('it has a softmax that is not along the last axis');
  const size = dims.at(-1)!;
  const compute = ([values]: readonly (Values | undefined)[]) => {
    const result = new Float32Array(values!.length);
    for (let from = 0; from < result.length; from += size) {
      let [largest, sum] = [Number.NEGATIVE_INFINITY, 0];
      for (let at = from; at < from + size; at += 1) largest = Math.max(largest, values![at]!);
      for (let at = from; at < from + size; at += 1) {
        result[at] = Math.exp(values![at]! - largest);
        sum += result[at]!;
      }
      for (let at = from; at < from + size; at += 1) result[at]! /= sum;
    }
    return result;
  };
  return { dims, compute };
}

function reduceMax([of, given]: Operands, node: GraphNode): Prepared {
  const axes = readAxes(node, given);
  if (axes.length !== 1) refuse('it takes the largest along several axes');
  const axis = resolveAxis(axes[0]!, of!.dims.length);
  const size = of!.dims[axis]!;
  if (size < 1) refuse('it takes the largest of nothing');
  const inner = countValues(of!.dims.slice(axis + 1));
  const keepsAxis = findNumber(node, 'keepdims', 1) === 1;
  const dims = of!.dims.flatMap((dim, at) => (at !== axis ? [dim] : keepsAxis ? [1] : []));
  const compute = ([values]: readonly (Values | undefined)[]) => {
    const result = new Float32Array(values!.length / size).fill(Number.NEGATIVE_INFINITY);
    for (let at = 0; at < values!.length; at += 1) {
      const to = Math.floor(at / (inner * size)) * inner + (at % inner);
      result[to] = Math.max(result[to]!, values![at]!);
    }
    return result;
  };
  return { dims, compute };
}

/** Uses the training statistics, which are constants. */
function normalize([of, ...given]: Operands, node: GraphNode): Prepared {
  const epsilon = findNumber(node, 'epsilon', 1e-5);
  const channels = of!.dims[1] ?? 0;
  const [scale, bias, mean, variance] = given.slice(0, 4).map((operand) => readKnown(operand!, node));
  const isFit = [scale, bias, mean, variance].every((values) => values?.length === channels);
  if (findNumber(node, 'training_mode', 0) !== 0 || !isFit) refuse('it normalizes in an unsupported way');
  const inner = countValues(of!.dims.slice(2));
  const compute = ([values]: readonly (Values | undefined)[]) => {
    const result = new Float32Array(values!.length);
    for (let from = 0, channel = 0; from < result.length; from += inner, channel = (channel + 1) % channels) {
      const spread = Math.sqrt(variance![channel]! + epsilon);
      for (let at = from; at < from + inner; at += 1)
        result[at] = ((values![at]! - mean![channel]!) / spread) * scale![channel]! + bias![channel]!;
    }
    return result;
  };
  return { dims: of!.dims, compute };
}
