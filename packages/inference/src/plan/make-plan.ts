// Turns a graph and an input shape into steps, and computes all constants once.
import type { KernelModule } from '../kernel/kernel.ts';
import type { Graph, GraphNode } from '../onnx/read-graph.ts';
import { findNumber, findNumbers, prepare, RESHAPING } from '../plain/operators.ts';
import { countValues, isSameShape, refuse, resolveAxis, type Tensor, type Values } from '../tensor.ts';
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
import { createWorkshop, type Workshop } from './workshop.ts';

export interface Plan {
  run(values: Float32Array): Record<string, Float32Array>;
  forget(): void;
}

/** Values that may be processed while computing constants. Our models need less than a tenth. */
const MAX_WORK = 2 ** 28;
/** Maximum depth of computed constants before one is evaluated. */
const MAX_DEPTH = 50;

/** A layer, and the last node that it covers, which may be its activation. */
interface Layer {
  planned: Planned;
  last?: GraphNode;
}

/** Plans one node per step, because packing the weights takes long. */
export function* makePlan(graph: Graph, shape: readonly number[], module: KernelModule): Generator<void, Plan> {
  if (!shape.every((size) => Number.isInteger(size) && size >= 1))
    refuse(`its input is of ${shape.join(' × ')} values`);
  return yield* new Planner(graph, createWorkshop(module)).plan(shape);
}

class Planner {
  readonly #graph: Graph;
  readonly #shop: Workshop;
  readonly #values = new Map<string, Value>();
  readonly #steps: Step[] = [];
  readonly #readers: Map<string, GraphNode[]>;
  readonly #uses: Map<string, number>;
  readonly #done = new Set<GraphNode>();
  #work = 0;

  constructor(graph: Graph, shop: Workshop) {
    this.#graph = graph;
    this.#shop = shop;
    this.#readers = findReaders(graph);
    this.#uses = countUses(graph);
  }

  *plan(shape: readonly number[]): Generator<void, Plan> {
    const shop = this.#shop;
    const steps = this.#steps;
    const input = shop.makePlain(shape);
    this.#values.set(this.#graph.input.name, input);
    for (const node of this.#graph.nodes) {
      if (!this.#done.has(node)) this.#planNode(node);
      yield;
    }
    const outputs = this.#graph.outputs.map((name): [string, Plain] => {
      const value = this.#find(name);
      const plain = value && this.#toPlain(value);
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
          // Inputs belong to the caller, who overwrites them. Keep nothing and drop intermediate
          // values.
          shop.dropPlain(spared);
        }
      },
      forget: shop.arena.clear,
    };
  }

  #find(name: string): Value | undefined {
    const known = this.#values.get(name);
    const constant = known ? undefined : this.#graph.constants.get(name);
    if (!constant) return known;
    return { kind: 'constant', ...constant };
  }

  #readInputs(node: GraphNode): (Value | undefined)[] {
    return node.inputs.map((name) => {
      const value = this.#find(name);
      if (!value && name !== '') refuse(`${node.operator} reads ${name}, which nothing computes before`);
      return value;
    });
  }

  /** Frees the memory of values without further readers. */
  #release(node: GraphNode): void {
    for (const name of node.inputs) {
      const left = (this.#uses.get(name) ?? 0) - 1;
      this.#uses.set(name, left);
      const value = this.#values.get(name);
      if (left > 0) continue;
      if (value?.kind === 'maps') this.#shop.arena.giveBack(value.at);
      this.#values.delete(name);
    }
  }

  #toPlain(value: Value): Constant | Plain {
    if (value.kind !== 'maps') return value;
    const { output, step } = planPlain(this.#shop, value, false);
    this.#steps.push(step);
    return output;
  }

  /** Merges an activation into its layer if it is the only reader. */
  #takeActivation(node: GraphNode, channels: number): { activation: Activation; last: GraphNode } {
    const [next, ...others] = (this.#uses.get(node.output) ?? 0) === 1 ? (this.#readers.get(node.output) ?? []) : [];
    const operands = next?.inputs.map((name) => (name === node.output ? undefined : this.#find(name)));
    // An operand computed later does not count as omitted.
    const isKnown = next?.inputs.every((name, at) => name === '' || name === node.output || operands?.[at]);
    const isAlone = isKnown && others.length === 0 && next?.inputs[0] === node.output;
    const activation = isAlone && readActivation(this.#shop, next!, operands ?? [], channels);
    if (!activation) return { activation: leaveAsItIs(this.#shop, channels), last: node };
    this.#done.add(next!);
    return { activation, last: next! };
  }

  #planNode(node: GraphNode): void {
    const inputs = this.#readInputs(node);
    const constant = this.#planConstant(node, inputs);
    if (constant) {
      this.#values.set(node.output, constant);
      this.#release(node);
      return;
    }
    const { planned, last = node } = this.#planLayer(node, inputs) ?? { planned: this.#planPlainNode(node, inputs) };
    for (const at of planned.scratch) this.#shop.arena.giveBack(at);
    this.#steps.push(planned.step);
    this.#values.set(last.output, planned.output);
    this.#release(node);
  }

  /** Returns undefined if the value depends on the input. */
  #planConstant(node: GraphNode, inputs: readonly (Value | undefined)[]): Constant | undefined {
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
    return areConstant(inputs) ? this.#planComputed(node, inputs) : undefined;
  }

  #planComputed(node: GraphNode, inputs: readonly (Constant | undefined)[]): Constant {
    const { dims, compute } = prepare(node, inputs);
    for (const sizes of [dims, ...inputs.map((value) => value?.dims ?? [])]) this.#work += countValues(sizes);
    if (this.#work > MAX_WORK) refuse('it computes too many constants');
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

  /** Returns undefined if the node is left to the operators for plain values. */
  #planLayer(node: GraphNode, inputs: readonly (Value | undefined)[]): Layer | undefined {
    const [first, weights, bias] = inputs;
    if (first?.kind === 'plain' && first.dims.length === 4 && needsMaps(node))
      return this.#planFromPlain(node, first, inputs);
    const maps = inputs.filter((value) => value?.kind === 'maps');
    if (first?.kind !== 'constant' && first && weights?.kind === 'constant' && bias?.kind !== 'maps') {
      if (bias?.kind === 'plain') refuse('it computes what is added to a product');
      if (node.operator === 'Conv') {
        const { activation, last } = this.#takeActivation(node, weights.dims[0] ?? 0);
        const parts = { node, input: first, weights, bias: bias?.read(), activation };
        return { planned: planConvolution(this.#shop, parts), last };
      }
      if (first.kind === 'plain' && isMatrix(node)) {
        const isTurned = findNumber(node, 'transB', 0) === 1;
        return { planned: planMatrix(this.#shop, first, { weights, isTurned, bias: bias?.read() }) };
      }
    }
    return maps.length > 0 ? this.#planOnMaps(node, inputs, maps) : undefined;
  }

  /** Turns plain values into maps for a node that reads only maps. */
  #planFromPlain(node: GraphNode, first: Plain, inputs: readonly (Value | undefined)[]): Layer | undefined {
    const { output, step } = planMaps(this.#shop, first);
    this.#steps.push(step);
    const layer = this.#planLayer(node, [output, ...inputs.slice(1)]);
    return layer && { ...layer, planned: { ...layer.planned, scratch: [...layer.planned.scratch, output.at] } };
  }

  #planOnMaps(node: GraphNode, inputs: readonly (Value | undefined)[], maps: readonly Maps[]): Layer | undefined {
    const [firstMaps] = maps;
    const channels = firstMaps!.dims[1];
    switch (node.operator) {
      case 'Relu':
      case 'Clip':
      case 'PRelu': {
        const activation = readActivation(this.#shop, node, inputs, channels);
        return activation && { planned: planActivation(this.#shop, firstMaps!, activation) };
      }
      case 'Add':
      case 'Mul': {
        // Larger operand first, because a gate may be on either side.
        const sorted = maps.toSorted((a, b) => countValues(b.dims) - countValues(a.dims));
        const other = sorted[1] ?? inputs.find((value) => value?.kind === 'constant');
        if (other?.kind !== 'maps' && other?.kind !== 'constant') return undefined;
        const { activation, last } = this.#takeActivation(node, channels);
        return { planned: planPixels(this.#shop, node.operator, sorted[0]!, other, activation), last };
      }
      case 'MaxPool':
        return { planned: planMaximum(this.#shop, node, firstMaps!) };
      case 'GlobalAveragePool':
        return { planned: planMean(this.#shop, firstMaps!) };
      case 'Sigmoid':
        return { planned: planSigmoid(this.#shop, firstMaps!) };
      case 'Concat': {
        if (maps.length !== inputs.length || resolveAxis(findNumber(node, 'axis', 0), 4) !== 1) return undefined;
        const planned = planJoin(this.#shop, maps);
        return planned && { planned };
      }
      default:
        return undefined;
    }
  }

  #planPlainNode(node: GraphNode, inputs: readonly (Value | undefined)[]): Planned {
    const [first] = inputs;
    const order = findNumbers(node, 'perm') ?? [];
    // The channels are last already.
    if (node.operator === 'Transpose' && first?.kind === 'maps' && isSameShape(order, [0, 2, 3, 1]))
      return planPlain(this.#shop, first, true);
    const operands = inputs.map((value) => value && this.#toPlain(value));
    const { dims, compute } = prepare(node, operands);
    if (dims.some((size) => size < 1)) refuse(`${node.operator} makes nothing`);
    const output = this.#shop.makePlain(dims);
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

/** Counts the readers of each value, plus one for outputs, so that they stay. */
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

/** Copies a view, because its buffer would otherwise be transferred with it. */
function toOwn(values: Values): Float32Array {
  const own = values as Float32Array;
  return own.byteLength === own.buffer.byteLength ? own : own.slice();
}
