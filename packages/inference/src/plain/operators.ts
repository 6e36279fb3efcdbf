// The operators that small values go through: shapes, constants, and what is left at the end of a network.
import type { Attribute, GraphNode } from '../onnx/read-graph.ts';
import { countOf, makeLike, refuse, resolveAxis, type Tensor } from '../tensor.ts';
import { combine, pick } from './combine.ts';

type Compute = (inputs: readonly Tensor[], node: GraphNode) => Tensor;

export const PLAIN_OPERATORS: ReadonlyMap<string, Compute> = new Map<string, Compute>([
  ['Add', ([one, other]) => combine('Add', one!, other!)],
  ['Sub', ([one, other]) => combine('Sub', one!, other!)],
  ['Mul', ([one, other]) => combine('Mul', one!, other!)],
  ['Div', ([one, other]) => combine('Div', one!, other!)],
  ['Cast', cast],
  ['Shape', ([of]) => ({ dims: [of!.dims.length], values: Float64Array.from(of!.dims) })],
  ['Gather', gather],
  ['Unsqueeze', unsqueeze],
  ['Reshape', reshape],
  ['Flatten', flatten],
  ['Concat', concat],
  ['Transpose', transpose],
  ['Slice', slice],
  ['Exp', ([of]) => ({ dims: of!.dims, values: of!.values.map(Math.exp) })],
  ['Sigmoid', ([of]) => ({ dims: of!.dims, values: of!.values.map(sigmoid) })],
  ['Relu', ([of]) => ({ dims: of!.dims, values: of!.values.map((value) => Math.max(value, 0)) })],
  ['Softmax', softmax],
  ['ReduceMax', reduceMax],
  ['BatchNormalization', normalize],
]);

export const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));

export function findNumber(node: GraphNode, name: string, otherwise: number): number {
  const found = node.attributes.get(name);
  return typeof found === 'number' ? found : otherwise;
}

export function findNumbers(node: GraphNode, name: string): readonly number[] | undefined {
  const found: Attribute | undefined = node.attributes.get(name);
  return Array.isArray(found) ? found : undefined;
}

function cast([of]: readonly Tensor[]): Tensor {
  return { dims: of!.dims, values: new Float32Array(of!.values) };
}

function gather([from, which]: readonly Tensor[], node: GraphNode): Tensor {
  const axis = resolveAxis(findNumber(node, 'axis', 0), from!.dims.length);
  if (from!.dims.length !== 1 || axis !== 0) refuse('it picks values from something that is not a list');
  const values = makeLike(from!.values, which!.values.length);
  for (const [at, index] of which!.values.entries())
    values[at] = from!.values[resolveAxis(index, from!.values.length)]!;
  return { dims: which!.dims, values };
}

/** An attribute in older files, an input in newer ones. */
function readAxes(node: GraphNode, input: Tensor | undefined): readonly number[] {
  return findNumbers(node, 'axes') ?? (input ? [...input.values] : []);
}

function unsqueeze([of, given]: readonly Tensor[], node: GraphNode): Tensor {
  const axes = readAxes(node, given);
  const rank = of!.dims.length + axes.length;
  const added = new Set(axes.map((axis) => resolveAxis(axis, rank)));
  const sizes = [...of!.dims];
  const dims = Array.from({ length: rank }, (_, axis) => (added.has(axis) ? 1 : sizes.shift()!));
  return { dims, values: of!.values };
}

function reshape([of, shape]: readonly Tensor[], node: GraphNode): Tensor {
  if (findNumber(node, 'allowzero', 0) !== 0) refuse('it has shapes with sizes of zero');
  const wanted = [...shape!.values].map((size, axis) => (size === 0 ? of!.dims[axis]! : size));
  const known = countOf(wanted.filter((size) => size !== -1));
  const dims = wanted.map((size) => (size === -1 ? of!.values.length / known : size));
  if (countOf(dims) !== of!.values.length || !dims.every((size) => Number.isInteger(size) && size > 0))
    refuse('it reshapes values to another number of them');
  return { dims, values: of!.values };
}

function flatten([of]: readonly Tensor[], node: GraphNode): Tensor {
  const axis = resolveAxis(findNumber(node, 'axis', 1), of!.dims.length + 1);
  return { dims: [countOf(of!.dims.slice(0, axis)), countOf(of!.dims.slice(axis))], values: of!.values };
}

function concat(inputs: readonly Tensor[], node: GraphNode): Tensor {
  const [first] = inputs;
  const axis = resolveAxis(findNumber(node, 'axis', 0), first!.dims.length);
  const isFit = inputs.every(
    ({ dims }) =>
      dims.length === first!.dims.length && dims.every((size, at) => at === axis || size === first!.dims[at]),
  );
  if (!isFit) refuse('the shapes of values that are joined do not fit');
  const dims = first!.dims.map((size, at) =>
    at === axis ? inputs.reduce((sum, one) => sum + one.dims[at]!, 0) : size,
  );
  const values = makeLike(first!.values, countOf(dims));
  const runs = inputs.map((one) => countOf(one.dims.slice(axis)));
  const outer = countOf(dims.slice(0, axis));
  let to = 0;
  for (let block = 0; block < outer; block += 1)
    for (const [index, one] of inputs.entries()) {
      const run = runs[index]!;
      // Often two or four: a loop is quicker than a view and its copy.
      for (let index = 0; index < run; index += 1) values[to + index] = one.values[block * run + index]!;
      to += run;
    }
  return { dims, values };
}

function stepsOf(dims: readonly number[]): number[] {
  return dims.map((_, axis) => countOf(dims.slice(axis + 1)));
}

function transpose([of]: readonly Tensor[], node: GraphNode): Tensor {
  const rank = of!.dims.length;
  const order = findNumbers(node, 'perm') ?? of!.dims.map((_, axis) => rank - 1 - axis);
  if (order.length !== rank || new Set(order.map((axis) => resolveAxis(axis, rank))).size !== rank)
    refuse('it turns values in a way that is not known');
  const steps = stepsOf(of!.dims);
  const dims = order.map((axis) => of!.dims[axis]!);
  const turned = order.map((axis) => steps[axis]!);
  return { dims, values: pick(of!.values, dims, turned) };
}

function slice([of, ...given]: readonly Tensor[], node: GraphNode): Tensor {
  const read = (name: string, at: number) => findNumbers(node, name) ?? (given[at] ? [...given[at].values] : undefined);
  const [starts, ends] = [read('starts', 0) ?? [], read('ends', 1) ?? []];
  const axes = read('axes', 2) ?? starts.map((_, axis) => axis);
  if ((read('steps', 3) ?? []).some((step) => step !== 1)) refuse('it leaves out values in between');
  if (starts.length !== ends.length || starts.length !== axes.length)
    refuse('it cuts values in a way that is not known');
  const steps = stepsOf(of!.dims);
  const dims = [...of!.dims];
  let from = 0;
  for (const [index, given] of axes.entries()) {
    const axis = resolveAxis(given, dims.length);
    const size = of!.dims[axis]!;
    const within = (at: number) => Math.min(Math.max(at < 0 ? at + size : at, 0), size);
    const [start, end] = [within(starts[index]!), within(ends[index]!)];
    if (end <= start) refuse('it cuts values down to nothing');
    dims[axis] = end - start;
    from += start * steps[axis]!;
  }
  return { dims, values: pick(of!.values, dims, steps, from) };
}

/** Along the last axis, which is all that is needed. */
function softmax([of]: readonly Tensor[], node: GraphNode): Tensor {
  const { dims, values } = of!;
  // Left out, it was the second in older files, and is the last in newer ones.
  const axis = findNumber(node, 'axis', dims.length === 2 ? 1 : Number.NaN);
  if (resolveAxis(axis, dims.length) !== dims.length - 1) refuse('it has a softmax that is not along the last axis');
  const size = dims.at(-1)!;
  const result = new Float32Array(values.length);
  for (let from = 0; from < values.length; from += size) {
    let [largest, sum] = [Number.NEGATIVE_INFINITY, 0];
    for (let at = from; at < from + size; at += 1) largest = Math.max(largest, values[at]!);
    for (let at = from; at < from + size; at += 1) {
      result[at] = Math.exp(values[at]! - largest);
      sum += result[at]!;
    }
    for (let at = from; at < from + size; at += 1) result[at]! /= sum;
  }
  return { dims, values: result };
}

function reduceMax([of, given]: readonly Tensor[], node: GraphNode): Tensor {
  const axes = readAxes(node, given);
  if (axes.length !== 1) refuse('it takes the largest along several axes');
  const axis = resolveAxis(axes[0]!, of!.dims.length);
  const size = of!.dims[axis]!;
  const inner = countOf(of!.dims.slice(axis + 1));
  const values = new Float32Array(of!.values.length / size).fill(Number.NEGATIVE_INFINITY);
  for (let at = 0; at < of!.values.length; at += 1) {
    const to = Math.floor(at / (inner * size)) * inner + (at % inner);
    values[to] = Math.max(values[to]!, of!.values[at]!);
  }
  const keepsAxis = findNumber(node, 'keepdims', 1) === 1;
  return { dims: of!.dims.flatMap((one, at) => (at !== axis ? [one] : keepsAxis ? [1] : [])), values };
}

/** With the statistics of the training, which are constants. */
function normalize([of, scale, bias, mean, variance]: readonly Tensor[], node: GraphNode): Tensor {
  const epsilon = findNumber(node, 'epsilon', 1e-5);
  const channels = of!.dims[1] ?? 0;
  if (findNumber(node, 'training_mode', 0) !== 0 || scale?.values.length !== channels)
    refuse('it normalises in a way that is not known');
  const inner = countOf(of!.dims.slice(2));
  const values = of!.values.map((value, at) => {
    const channel = Math.floor(at / inner) % channels;
    const spread = Math.sqrt(variance!.values[channel]! + epsilon);
    return ((value - mean!.values[channel]!) / spread) * scale!.values[channel]! + bias!.values[channel]!;
  });
  return { dims: of!.dims, values };
}
