// Turns a graph and the shape of its input into steps: everything that can be known before is computed here, once.
import type { KernelModule } from '../kernel/kernel.ts';
import type { Graph, GraphNode } from '../onnx/read-graph.ts';
import { findNumber, findNumbers, prepare, RESHAPING } from '../plain/operators.ts';
import { countOf, isSameShape, refuse, resolveAxis, type Tensor, type Values } from '../tensor.ts';
import { type Activation, leaveAsItIs, readActivation } from './activation.ts';
import { planConvolution } from './convolution.ts';
import {
  planActivation,
  planJoin,
  planMaps,
  planMatrix,
  planMaximum,
  planMean,
  planPixels,
  planPlain,
  planSigmoid,
} from './layers.ts';
import { type Constant, giveRoom, type Maps, type Plain, type Planned, type Step, type Value } from './values.ts';
import { createWorkshop } from './workshop.ts';

export interface Plan {
  run(values: Float32Array): Record<string, Float32Array>;
  forget(): void;
}

/** Values that are read and made while constants are computed: no model here has a tenth of it. */
const MAX_WORK = 2 ** 28;
/** How many constants are computed from one another at most before one is read. */
const MAX_DEPTH = 50;

/** With the activation that was taken in, which is then the node that the result belongs to. */
interface Layer {
  planned: Planned;
  last?: GraphNode;
}

/** In as many steps as the graph has nodes: to lay out the weights of all of them takes long. */
export function* makePlan(graph: Graph, shape: readonly number[], module: KernelModule): Generator<void, Plan> {
  if (!shape.every((size) => Number.isInteger(size) && size >= 1))
    refuse(`its input is of ${shape.join(' × ')} values`);
  const shop = createWorkshop(module);
  const values = new Map<string, Value>();
  const steps: Step[] = [];
  const readers = findReaders(graph);
  const uses = countUses(graph);
  let work = 0;
  const done = new Set<GraphNode>();
  const input = shop.makePlain(shape);
  values.set(graph.input.name, input);

  function find(name: string): Value | undefined {
    const known = values.get(name);
    const constant = known ? undefined : graph.constants.get(name);
    if (!constant) return known;
    return { kind: 'constant', ...constant };
  }

  function readInputs(node: GraphNode): (Value | undefined)[] {
    return node.inputs.map((name) => {
      const value = find(name);
      if (!value && name !== '') refuse(`${node.operator} reads ${name}, which nothing computes before`);
      return value;
    });
  }

  /** Whoever reads it last gives its memory back. */
  function release(node: GraphNode): void {
    for (const name of node.inputs) {
      const left = (uses.get(name) ?? 0) - 1;
      uses.set(name, left);
      const value = values.get(name);
      if (left > 0) continue;
      if (value?.kind === 'maps') shop.arena.giveBack(value.at);
      values.delete(name);
    }
  }

  function toPlain(value: Value): Constant | Plain {
    if (value.kind !== 'maps') return value;
    const { output, step } = planPlain(shop, value, false);
    steps.push(step);
    return output;
  }

  /** The activation that alone reads what a layer computes becomes a part of that layer. */
  function takeActivation(node: GraphNode, channels: number): { activation: Activation; last: GraphNode } {
    const [next, ...others] = (uses.get(node.output) ?? 0) === 1 ? (readers.get(node.output) ?? []) : [];
    const operands = next?.inputs.map((name) => (name === node.output ? undefined : find(name)));
    // An operand that is computed later is not one that was left out.
    const isKnown = next?.inputs.every((name, at) => name === '' || name === node.output || operands?.[at]);
    const isAlone = isKnown && others.length === 0 && next?.inputs[0] === node.output;
    const activation = isAlone && readActivation(shop, next!, operands ?? [], channels);
    if (!activation) return { activation: leaveAsItIs(shop, channels), last: node };
    done.add(next!);
    return { activation, last: next! };
  }

  function planNode(node: GraphNode): void {
    const inputs = readInputs(node);
    const constant = planConstant(node, inputs);
    if (constant) {
      values.set(node.output, constant);
      release(node);
      return;
    }
    const { planned, last = node } = planLayer(node, inputs) ?? { planned: planPlainNode(node, inputs) };
    for (const at of planned.scratch) shop.arena.giveBack(at);
    steps.push(planned.step);
    values.set(last.output, planned.output);
    release(node);
  }

  /** Undefined where it depends on the input. */
  function planConstant(node: GraphNode, inputs: readonly (Value | undefined)[]): Constant | undefined {
    const [first] = inputs;
    if (node.operator === 'Constant') {
      const value = node.attributes.get('value');
      if (typeof value !== 'object' || !('dims' in value)) refuse('it has a constant of an unknown form');
      return { kind: 'constant', dims: value.dims, read: () => value };
    }
    if (node.operator === 'Shape' && first) {
      const end = node.attributes.has('end') ? findNumber(node, 'end', 0) : undefined;
      const sizes = Float64Array.from(first.dims.slice(findNumber(node, 'start', 0), end));
      const shape = { dims: [sizes.length], values: sizes };
      return { kind: 'constant', dims: shape.dims, read: () => shape };
    }
    return areConstant(inputs) ? planComputed(node, inputs) : undefined;
  }

  function planComputed(node: GraphNode, inputs: readonly (Constant | undefined)[]): Constant {
    const { dims, compute } = prepare(node, inputs);
    for (const sizes of [dims, ...inputs.map((value) => value?.dims ?? [])]) work += countOf(sizes);
    if (work > MAX_WORK) refuse('it computes too many constants');
    let tensor: Tensor | undefined;
    const read = () => {
      tensor ??= { dims, values: compute(inputs.map((value) => value?.read().values)) };
      return tensor;
    };
    const depth = 1 + Math.max(...inputs.map((value) => value?.made?.depth ?? 0));
    if (depth < MAX_DEPTH) return { kind: 'constant', dims, read, made: { operator: node.operator, inputs, depth } };
    read();
    return { kind: 'constant', dims, read };
  }

  /** Undefined where it is left to the operators for plain values. */
  function planLayer(node: GraphNode, inputs: readonly (Value | undefined)[]): Layer | undefined {
    const [first, weights, bias] = inputs;
    if (first?.kind === 'plain' && first.dims.length === 4 && needsMaps(node))
      return planFromPlain(node, first, inputs);
    const maps = inputs.filter((value) => value?.kind === 'maps');
    if (first?.kind !== 'constant' && first && weights?.kind === 'constant' && bias?.kind !== 'maps') {
      if (bias?.kind === 'plain') refuse('it computes what is added to a product');
      if (node.operator === 'Conv') {
        const { activation, last } = takeActivation(node, weights.dims[0] ?? 0);
        const parts = { node, input: first, weights, bias: bias?.read(), activation };
        return { planned: planConvolution(shop, parts), last };
      }
      if (first.kind === 'plain' && isMatrix(node)) {
        const isTurned = findNumber(node, 'transB', 0) === 1;
        return { planned: planMatrix(shop, first, { weights, isTurned, bias: bias?.read() }) };
      }
    }
    return maps.length > 0 ? planOnMaps(node, inputs, maps) : undefined;
  }

  /** What reads maps alone, where they are plain values: those of the picture, or of something computed in plain values. */
  function planFromPlain(node: GraphNode, first: Plain, inputs: readonly (Value | undefined)[]): Layer | undefined {
    const { output, step } = planMaps(shop, first);
    steps.push(step);
    const layer = planLayer(node, [output, ...inputs.slice(1)]);
    return layer && { ...layer, planned: { ...layer.planned, scratch: [...layer.planned.scratch, output.at] } };
  }

  function planOnMaps(
    node: GraphNode,
    inputs: readonly (Value | undefined)[],
    maps: readonly Maps[],
  ): Layer | undefined {
    const [one] = maps;
    const channels = one!.dims[1];
    switch (node.operator) {
      case 'Relu':
      case 'Clip':
      case 'PRelu': {
        const activation = readActivation(shop, node, inputs, channels);
        return activation && { planned: planActivation(shop, one!, activation) };
      }
      case 'Add':
      case 'Mul': {
        // The larger one first: a gate may stand on either side.
        const sorted = maps.toSorted((a, b) => countOf(b.dims) - countOf(a.dims));
        const other = sorted[1] ?? inputs.find((value) => value?.kind === 'constant');
        if (other?.kind !== 'maps' && other?.kind !== 'constant') return undefined;
        const { activation, last } = takeActivation(node, channels);
        return { planned: planPixels(shop, node.operator, sorted[0]!, other, activation), last };
      }
      case 'MaxPool':
        return { planned: planMaximum(shop, node, one!) };
      case 'GlobalAveragePool':
        return { planned: planMean(shop, one!) };
      case 'Sigmoid':
        return { planned: planSigmoid(shop, one!) };
      case 'Concat': {
        if (maps.length !== inputs.length || resolveAxis(findNumber(node, 'axis', 0), 4) !== 1) return undefined;
        const planned = planJoin(shop, maps);
        return planned && { planned };
      }
      default:
        return undefined;
    }
  }

  function planPlainNode(node: GraphNode, inputs: readonly (Value | undefined)[]): Planned {
    const [first] = inputs;
    const order = findNumbers(node, 'perm') ?? [];
    // The channels come last already.
    if (node.operator === 'Transpose' && first?.kind === 'maps' && isSameShape(order, [0, 2, 3, 1]))
      return planPlain(shop, first, true);
    const operands = inputs.map((value) => value && toPlain(value));
    const { dims, compute } = prepare(node, operands);
    if (dims.some((size) => size < 1)) refuse(`${node.operator} makes nothing`);
    const output = shop.makePlain(dims);
    if (RESHAPING.has(node.operator) && operands[0]?.kind === 'plain') output.of = operands[0];
    if (node.operator === 'Concat') {
      const axis = resolveAxis(findNumber(node, 'axis', 0), dims.length);
      if (giveRoom(output, operands, axis)) return { output, step: () => {}, scratch: [] };
    }
    const fixed = operands.map((value) => (value?.kind === 'constant' ? value.read().values : undefined));
    const step = () => {
      output.current = compute(operands.map((value, at) => (value?.kind === 'plain' ? value.current : fixed[at])));
    };
    return { output, step, scratch: [] };
  }

  for (const node of graph.nodes) {
    if (!done.has(node)) planNode(node);
    yield;
  }
  const outputs = graph.outputs.map((name): [string, Plain] => {
    const value = find(name);
    const plain = value && toPlain(value);
    if (plain?.kind !== 'plain') refuse(`its output ${name} does not follow from its input`);
    return [name, plain];
  });

  return {
    run(given) {
      const spared: ArrayBufferLike[] = [given.buffer];
      try {
        input.current = given;
        for (const step of steps) step();
        const results = outputs.map(([name, value]) => [name, toOwn(value.current!)] as const);
        spared.push(...results.map(([, values]) => values.buffer));
        return Object.fromEntries(results);
      } finally {
        // Faces are the caller's, who overwrites them: nothing here may hold on to them, and what is in between goes now.
        shop.dropPlain(spared);
      }
    },
    forget: shop.arena.clear,
  };
}

function needsMaps(node: GraphNode): boolean {
  if (node.operator === 'Conv') return findNumber(node, 'group', 1) > 1;
  return ['MaxPool', 'GlobalAveragePool', 'PRelu'].includes(node.operator);
}

function isMatrix(node: GraphNode): boolean {
  if (node.operator === 'MatMul') return true;
  if (node.operator !== 'Gemm') return false;
  const isPlain = ['alpha', 'beta'].every((name) => findNumber(node, name, 1) === 1);
  if (!isPlain || findNumber(node, 'transA', 0) !== 0) refuse('it multiplies matrices in a way that is not known');
  return true;
}

/** How often each value is read; outputs once more, so that they stay. */
function countUses({ nodes, outputs }: Graph): Map<string, number> {
  const uses = new Map<string, number>();
  for (const name of [...nodes.flatMap(({ inputs }) => inputs), ...outputs]) uses.set(name, (uses.get(name) ?? 0) + 1);
  return uses;
}

function findReaders({ nodes }: Graph): Map<string, GraphNode[]> {
  const readers = new Map<string, GraphNode[]>();
  for (const node of nodes)
    for (const name of new Set(node.inputs)) {
      const known = readers.get(name);
      if (known) known.push(node);
      else readers.set(name, [node]);
    }
  return readers;
}

function areConstant(values: readonly (Value | undefined)[]): values is readonly (Constant | undefined)[] {
  return values.every((value) => !value || value.kind === 'constant');
}

/** Not a part of something larger, which would go with it. */
function toOwn(values: Values): Float32Array {
  const own = values as Float32Array;
  return own.byteLength === own.buffer.byteLength ? own : own.slice();
}
