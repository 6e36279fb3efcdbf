// Random small networks with nodes and operands in any valid order give the same results as
// onnxruntime-web, or are rejected.
import { type OnnxNode, type OnnxTensor, writeOnnx } from '@limen/face-models/onnx-writer';
import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import { expect, test } from 'vitest';
import { KERNEL_FILES, loadModule } from '../testing/load-module.ts';
import { createNoise, makeTensor } from '../testing/make-model.ts';
import { openNetwork, UnsupportedModelError } from './index.ts';

const GRAPHS = 400;
const LAYERS = 7;

test('computes every accepted network like onnxruntime-web', { timeout: 600_000 }, async () => {
  env.wasm.numThreads = 1;
  const modules = KERNEL_FILES.map((file) => loadModule(file));
  const refused: string[] = [];
  for (let seed = 0; seed < GRAPHS; seed += 1) {
    const { content, dims, values, nodes } = makeGraph(seed);
    const expected = await runLibrary(content, values, dims);
    for (const module of modules) {
      try {
        const network = openNetwork(content, module);
        network.run(createNoise(seed + 1)(values.length), dims);
        const { output } = network.run(values, dims);
        const what = `graph ${seed}: ${nodes.map(({ operator }) => operator).join(' ')}`;
        expect(output, what).toHaveLength(expected.length);
        const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
        const off = expected.reduce((most, value, at) => Math.max(most, Math.abs(value - output![at]!)), 0);
        expect(off / largest, what).toBeLessThan(1e-4);
      } catch (error) {
        if (!(error instanceof UnsupportedModelError)) throw error;
        refused.push(error.message);
      }
    }
  }
  // All drawn operators are supported.
  expect(refused).toEqual([]);
});

async function runLibrary(content: Uint8Array, values: Float32Array, dims: readonly number[]): Promise<Float32Array> {
  const session = await InferenceSession.create(content, { graphOptimizationLevel: 'disabled', logSeverityLevel: 3 });
  const { output } = await session.run({ input: new Tensor('float32', values, dims) });
  const result = Float32Array.from(output!.data as Float32Array);
  await session.release();
  return result;
}

/** Returns numbers in [0, 1) with less structure than picture noise. */
function createDraws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Drawn {
  name: string;
  dims: readonly [number, number, number, number];
}

function makeGraph(seed: number) {
  const noise = createNoise(seed);
  const draw = createDraws(seed);
  const pick = (count: number) => Math.floor(draw() * count);
  const choose = <T>(items: readonly T[]): T => items[pick(items.length)]!;
  const shuffle = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [draw(), item] as const)
      .toSorted((a, b) => a[0] - b[0])
      .map(([, item]) => item);
  const nodes: OnnxNode[] = [];
  const tensors: OnnxTensor[] = [];
  let named = 0;
  const makeName = () => {
    named += 1;
    return `value${named}`;
  };

  function add(operator: string, inputs: string[], attributes: NonNullable<OnnxNode['attributes']> = {}): string {
    const output = makeName();
    nodes.push({ operator, inputs, output, attributes });
    return output;
  }

  function keep(dims: readonly number[], values = noise(dims.reduce((product, size) => product * size, 1))): string {
    const name = makeName();
    tensors.push(makeTensor(name, dims, values));
    return name;
  }

  /** A number from the file, or computed. */
  function keepNumber(value: number): string {
    const whole = keep([], Float32Array.of(value));
    return pick(3) ? whole : add('Mul', shuffle([whole, keep([], Float32Array.of(1))]));
  }

  /** Weights as floats, or quantized in parts with offset and scales on either side. */
  function makeWeights(dims: readonly number[]): string {
    if (pick(3) === 0) return keep(dims);
    const drawPart = () => {
      const name = makeName();
      const count = dims.reduce((product, size) => product * size, 1);
      tensors.push({
        name,
        dims,
        type: 'int8',
        data: new Uint8Array(Int8Array.from(noise(count), (value) => value * 9).buffer),
      });
      return add('Cast', [name], { to: 1 });
    };
    let weights = drawPart();
    const steps = [
      () => add('Add', shuffle([weights, drawPart()])),
      () => add('Add', [weights, weights]),
      () => add('Sub', [weights, keepNumber(choose([1, 2, 0.5]))]),
      () => add('Mul', shuffle([weights, keepNumber(choose([2, 3]))])),
      () => add('Mul', [weights, keepNumber(choose([2, 3, 0.5]))]),
      () => add('Mul', shuffle([weights, keep(dims.map((size, axis) => (axis === 0 ? size : 1)))])),
    ];
    for (let left = pick(5); left > 0; left -= 1) weights = choose(steps)();
    return add('Mul', [weights, keep([], Float32Array.of(0.125))]);
  }

  const rows = 3 + pick(6);
  const input: Drawn = { name: 'input', dims: [1 + pick(2), 1 + pick(9), rows, rows + pick(3)] };
  const drawn: Drawn[] = [input];

  function activate(name: string): string {
    if (pick(3) === 0) return add('Relu', [name]);
    const least = pick(4) ? keepNumber(choose([0, 0, 0, -0.5])) : '';
    return add('Clip', [name, least, pick(4) ? keepNumber(0.75) : '']);
  }

  function drawLayer(from: Drawn): Drawn {
    const [images, channels, height, width] = from.dims;
    const kind = pick(9);
    if (kind <= 2) {
      const isFilter = kind === 0;
      const outputs = isFilter ? channels : choose([1, 3, 8, 11, 16]);
      const size = choose([1, 3]);
      const padding = choose<Record<string, string | number[]>>([
        { pads: [1, 1, 1, 1].map((pad) => (size === 3 ? pad : 0)) },
        { auto_pad: 'SAME_UPPER' },
        { auto_pad: 'SAME_LOWER' },
        { auto_pad: 'NOTSET', pads: [size >> 1, size >> 1, size >> 1, size >> 1] },
      ]);
      const weights = makeWeights([outputs, isFilter ? 1 : channels, size, size]);
      const bias = pick(2) ? [keep([outputs])] : [];
      const attributes = {
        ...padding,
        group: isFilter ? channels : 1,
        ...(pick(2) ? { kernel_shape: [size, size] } : {}),
      };
      const name = add('Conv', [from.name, weights, ...bias], attributes);
      return { name: pick(2) ? activate(name) : name, dims: [images, outputs, height, width] };
    }
    if (kind === 3) return { ...from, name: activate(from.name) };
    if (kind === 4) return { ...from, name: add('PRelu', [from.name, keep([channels, 1, 1])]) };
    if (kind === 5) return { ...from, name: add('MaxPool', [from.name], { kernel_shape: [3, 3], pads: [1, 1, 1, 1] }) };
    if (kind === 6) {
      const gate = add('Sigmoid', [add('GlobalAveragePool', [from.name])]);
      return { ...from, name: add('Mul', shuffle([from.name, gate])) };
    }
    const equal = drawn.filter(({ dims }) => dims.every((size, axis) => size === from.dims[axis]));
    if (kind === 7) {
      const operand = choose([choose(equal).name, keepNumber(0.5), keep([channels, 1, 1]), keep([1, channels, 1, 1])]);
      return { ...from, name: add(choose(['Add', 'Mul']), shuffle([from.name, operand])) };
    }
    const partner = choose(drawn);
    const joined = channels + partner.dims[1];
    return { name: add('Concat', [from.name, partner.name], { axis: 1 }), dims: [images, joined, height, width] };
  }

  for (let layer = 0; layer < LAYERS; layer += 1) drawn.push(drawLayer(choose(drawn.slice(-3))));
  const ends = [...new Set([drawn.at(-1)!, choose(drawn)])].map(({ name, dims }) => ({
    name: pick(2) ? add('Transpose', [name], { perm: [0, 2, 3, 1] }) : add('Sigmoid', [name]),
    dims,
  }));
  const lists = ends.map(({ name }) => add('Flatten', [name]));
  const joined = lists.length > 1 ? add('Concat', lists, { axis: 1 }) : lists[0]!;
  nodes.push({ operator: 'Relu', inputs: [joined], output: 'output' });
  const content = writeOnnx({
    name: 'random',
    nodes: orderAnyhow(shuffle(nodes)),
    tensors,
    input,
    output: { name: 'output', dims: ['images', 'values'] },
  });
  return { content, nodes, dims: input.dims, values: noise(input.dims.reduce((product, size) => product * size, 1)) };
}

/** Shuffles nodes, keeping only the order of their dependencies. */
function orderAnyhow(nodes: readonly OnnxNode[]): OnnxNode[] {
  const ordered: OnnxNode[] = [];
  const left = new Set(nodes);
  while (left.size > 0) {
    const waiting = new Set([...left].map(({ output }) => output));
    const next = [...left].find(({ inputs }) => !inputs.some((name) => waiting.has(name)))!;
    ordered.push(next);
    left.delete(next);
  }
  return ordered;
}
