// Turns a graph and the shape of its input into steps: everything that can be known before is computed here, once.
import type { KernelModule } from '../kernel/kernel.ts';
import type { Graph, GraphNode } from '../onnx/read-graph.ts';
import { findNumber, findNumbers, PLAIN_OPERATORS } from '../plain/operators.ts';
import { countOf, isSameShape, refuse, resolveAxis, type Tensor } from '../tensor.ts';
import { type Activation, leaveAsItIs, readActivation } from './activation.ts';
import { type Planned, planConvolution } from './convolution.ts';
import { planActivation, planJoin, planMatrix, planMaximum, planMean, planPixels, planPlain, planSigmoid } from './layers.ts';
import { type Constant, dimsOf, findDims, type Maps, type Plain, type Step, type Value } from './values.ts';
import { createWorkshop, type Workshop } from './workshop.ts';

export interface Plan {
  run(values: Float32Array): Record<string, Float32Array>;
}

export function makePlan(graph: Graph, shape: readonly number[], module: KernelModule): Plan {
  const shop = createWorkshop(module);
  const values = new Map<string, Value>();
  const steps: Step[] = [];
  const uses = countUses(graph);
  const done = new Set<GraphNode>();
  const input: Plain = { kind: 'plain', dims: shape, current: undefined };
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

  function toPlain(value: Value, channelsLast = false): Value {
    if (value.kind !== 'maps') return value;
    const { output, step } = planPlain(shop, value, channelsLast);
    steps.push(step);
    return output;
  }

  /** The activation that alone reads what a layer computes becomes a part of that layer. */
  function takeActivation(node: GraphNode, channels: number): { activation: Activation; last: GraphNode } {
    const [next, ...others] = (uses.get(node.output) ?? 0) === 1 ? findReaders(graph, node.output) : [];
    const operands = next?.inputs.map((name) => (name === node.output ? undefined : find(name)));
    const activation = next && others.length === 0 && readActivation(shop, next, operands ?? [], channels);
    if (!activation || next.inputs[0] !== node.output) return { activation: leaveAsItIs(shop, channels), last: node };
    done.add(next);
    return { activation, last: next };
  }

  function planNode(node: GraphNode): void {
    const inputs = readInputs(node);
    const [first, second, third] = inputs;
    const add = ({ output, step, scratch }: Omit<Planned, 'output'> & { output: Value }, last = node) => {
      for (const at of scratch) shop.arena.giveBack(at);
      steps.push(step);
      values.set(last.output, output);
      release(node);
      // What was taken in reads nothing but constants besides.
      if (last !== node) for (const name of last.inputs.slice(1)) uses.set(name, (uses.get(name) ?? 0) - 1);
    };
    const keep = (constant: Omit<Constant, 'kind'>) => {
      values.set(node.output, { kind: 'constant', ...constant });
      release(node);
    };

    if (node.operator === 'Constant') {
      const value = node.attributes.get('value');
      if (typeof value !== 'object' || !('dims' in value)) return refuse('it has a constant of an unknown form');
      return keep({ read: () => value });
    }
    if (node.operator === 'Shape' && first) {
      const shape = { dims: [dimsOf(first).length], values: Float64Array.from(dimsOf(first)) };
      return keep({ read: () => shape });
    }
    const given = inputs.filter((value) => value !== undefined);
    if (given.every((value) => value.kind === 'constant')) {
      const compute = PLAIN_OPERATORS.get(node.operator);
      if (!compute || given.length === 0) return refuse(`the operator ${node.operator} is not known`);
      let made: Tensor | undefined;
      const read = () => {
        made ??= compute(
          given.map((value) => value.read()),
          node,
        );
        return made;
      };
      return keep({ read, made: { operator: node.operator, inputs: given } });
    }

    if (node.operator === 'Conv' && second?.kind === 'constant' && first && first.kind !== 'constant') {
      const { activation, last } = takeActivation(node, findDims(second)[0] ?? 0);
      if (third && third.kind !== 'constant') return refuse('it computes the bias of a convolution');
      return add(planConvolution(shop, { node, input: first, weights: second, bias: third?.read(), activation }), last);
    }
    if (first?.kind === 'plain' && second?.kind === 'constant' && isMatrix(node)) {
      const isTurned = findNumber(node, 'transB', 0) === 1;
      if (third && third.kind !== 'constant') return refuse('it computes the bias of a matrix');
      const dims = findDims(second);
      const outputs = dims[isTurned ? 0 : 1] ?? 0;
      const matrix = { weights: second, dims, isTurned, bias: third?.read() };
      return add(planMatrix(shop, first, matrix, leaveAsItIs(shop, outputs)));
    }
    const maps = inputs.filter((value) => value?.kind === 'maps') as Maps[];
    if (maps.length > 0) {
      const planned = planOnMaps(node, inputs, maps);
      if (planned) return add(planned.planned, planned.last);
    }
    return planPlainNode(node, inputs, add);
  }

  function planOnMaps(node: GraphNode, inputs: readonly (Value | undefined)[], maps: readonly Maps[]) {
    const [one] = maps;
    const channels = one!.dims[1];
    switch (node.operator) {
      case 'Relu':
      case 'Clip':
      case 'PRelu': {
        const activation = readActivation(shop, node, inputs, channels);
        return activation && { planned: planActivation(shop, one!, activation), last: node };
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
        return { planned: planMaximum(shop, node, one!), last: node };
      case 'GlobalAveragePool':
        return { planned: planMean(shop, one!), last: node };
      case 'Sigmoid':
        return { planned: planSigmoid(shop, one!), last: node };
      case 'Concat': {
        if (maps.length !== inputs.length || resolveAxis(findNumber(node, 'axis', 0), 4) !== 1) return undefined;
        const planned = planJoin(shop, maps);
        return planned && { planned, last: node };
      }
      default:
        return undefined;
    }
  }

  function planPlainNode(
    node: GraphNode,
    inputs: readonly (Value | undefined)[],
    add: (planned: { output: Value; step: Step; scratch: readonly number[] }) => void,
  ): void {
    const [first] = inputs;
    const order = findNumbers(node, 'perm');
    if (node.operator === 'Transpose' && first?.kind === 'maps' && order && isSameShape(order, [0, 2, 3, 1])) {
      const { output, step } = planPlain(shop, first, true);
      return add({ output, step, scratch: [] });
    }
    const compute = PLAIN_OPERATORS.get(node.operator);
    if (!compute) return refuse(`the operator ${node.operator} is not known`);
    const operands = inputs.map((value) => value && toPlain(value));
    const read = (fill: boolean) =>
      operands.map((value): Tensor => {
        if (value?.kind === 'constant') return value.read();
        if (value?.kind !== 'plain') return refuse(`${node.operator} lacks an input`);
        return fill ? { dims: value.dims, values: new Float32Array(countOf(value.dims)) } : value.current!;
      });
    // Computed once on zeros, which tells the shape.
    const { dims } = compute(read(true), node);
    const output: Plain = { kind: 'plain', dims, current: undefined };
    const step = () => {
      output.current = compute(read(false), node);
    };
    add({ output, step, scratch: [] });
  }

  for (const node of graph.nodes) if (!done.has(node)) planNode(node);
  const outputs = graph.outputs.map((name): [string, Plain] => {
    const value = find(name);
    if (!value || value.kind === 'constant') return refuse(`its output ${name} does not follow from its input`);
    return [name, toPlain(value) as Plain];
  });

  return {
    run(given) {
      input.current = { dims: shape, values: given };
      for (const step of steps) step();
      return Object.fromEntries(outputs.map(([name, value]) => [name, value.current!.values as Float32Array]));
    },
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
