// Turns a graph and the shape of its input into steps: everything that can be known before is computed here, once.
import type { KernelModule } from '../kernel/kernel.ts';
import type { Graph, GraphNode } from '../onnx/read-graph.ts';
import { findNumber, findNumbers, PLAIN_OPERATORS } from '../plain/operators.ts';
import { countOf, isSameShape, refuse, resolveAxis, type Tensor } from '../tensor.ts';
import { type Activation, leaveAsItIs, readActivation } from './activation.ts';
import { planConvolution } from './convolution.ts';
import {
  planActivation,
  planJoin,
  planMatrix,
  planMaximum,
  planMean,
  planPixels,
  planPlain,
  planSigmoid,
} from './layers.ts';
import {
  type Constant,
  dimsOf,
  findDims,
  type Maps,
  type Plain,
  type Planned,
  type Step,
  type Value,
} from './values.ts';
import { createWorkshop } from './workshop.ts';

export interface Plan {
  run(values: Float32Array): Record<string, Float32Array>;
  forget(): void;
}

/** With the activation that was taken in, which is then the node that the result belongs to. */
interface Layer {
  planned: Planned;
  last?: GraphNode;
}

export function makePlan(graph: Graph, shape: readonly number[], module: KernelModule): Plan {
  const shop = createWorkshop(module);
  const values = new Map<string, Value>();
  const steps: Step[] = [];
  const uses = countUses(graph);
  const done = new Set<GraphNode>();
  const input = shop.makePlain(shape);
  values.set(graph.input.name, input);

  function find(name: string): Value | undefined {
    const known = values.get(name);
    const constant = known ? undefined : graph.constants.get(name);
    if (!constant) return known;
    return { kind: 'constant', read: constant };
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
    const [next, ...others] = (uses.get(node.output) ?? 0) === 1 ? findReaders(graph, node.output) : [];
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
      return { kind: 'constant', read: () => value };
    }
    if (node.operator === 'Shape' && first) {
      const shape = { dims: [dimsOf(first).length], values: Float64Array.from(dimsOf(first)) };
      return { kind: 'constant', read: () => shape };
    }
    const given = inputs.filter((value) => value !== undefined);
    if (!given.every((value) => value.kind === 'constant')) return undefined;
    const compute = PLAIN_OPERATORS.get(node.operator);
    if (!compute || given.length === 0) refuse(`the operator ${node.operator} is not known`);
    let tensor: Tensor | undefined;
    const read = () => {
      tensor ??= compute(
        given.map((value) => value.read()),
        node,
      );
      return tensor;
    };
    return { kind: 'constant', read, made: { operator: node.operator, inputs: given } };
  }

  /** Undefined where it is left to the operators for plain values. */
  function planLayer(node: GraphNode, inputs: readonly (Value | undefined)[]): Layer | undefined {
    const [first, weights, bias] = inputs;
    const maps = inputs.filter((value) => value?.kind === 'maps');
    if (first?.kind !== 'constant' && first && weights?.kind === 'constant' && bias?.kind !== 'maps') {
      if (bias?.kind === 'plain') refuse('it computes what is added to a product');
      if (node.operator === 'Conv') {
        const { activation, last } = takeActivation(node, findDims(weights)[0] ?? 0);
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
    const compute = PLAIN_OPERATORS.get(node.operator);
    if (!compute) refuse(`the operator ${node.operator} is not known`);
    const operands = inputs.map((value) => {
      if (!value) refuse(`${node.operator} lacks an input`);
      return toPlain(value);
    });
    const zeros = operands.map((value) =>
      value.kind === 'constant' ? value.read() : { dims: value.dims, values: new Float32Array(countOf(value.dims)) },
    );
    // Computed once on zeros, which tells the shape.
    const { dims } = compute(zeros, node);
    const output = shop.makePlain(dims);
    const step = () => {
      const current = operands.map((value) => (value.kind === 'constant' ? value.read() : value.current!));
      output.current = compute(current, node);
    };
    return { output, step, scratch: [] };
  }

  for (const node of graph.nodes) if (!done.has(node)) planNode(node);
  const outputs = graph.outputs.map((name): [string, Plain] => {
    const value = find(name);
    const plain = value && toPlain(value);
    if (plain?.kind !== 'plain') refuse(`its output ${name} does not follow from its input`);
    return [name, plain];
  });

  return {
    run(given) {
      try {
        input.current = { dims: shape, values: given };
        for (const step of steps) step();
        return Object.fromEntries(outputs.map(([name, value]) => [name, value.current!.values as Float32Array]));
      } finally {
        // Faces are the caller's, who overwrites them: nothing here may hold on to them until the next run.
        shop.dropPlain();
      }
    },
    forget: shop.arena.clear,
  };
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

function findReaders({ nodes }: Graph, name: string): GraphNode[] {
  return nodes.filter(({ inputs }) => inputs.includes(name));
}
