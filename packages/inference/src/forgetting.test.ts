// No trace of a face remains after its examination, neither in kernel memory nor in the plan.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OnnxNode } from '@limen/face-models/onnx-writer';
import { expect, test } from 'vitest';
import { loadModule } from '../testing/load-module.ts';
import { createNoise, makeModel, makeTensor } from '../testing/make-model.ts';
import { type Network, openNetwork } from './index.ts';

const DIMS = [1, 3, 8, 8];
const NODES: OnnxNode[] = [
  { operator: 'Conv', inputs: ['input', 'first'], output: 'maps' },
  { operator: 'Relu', inputs: ['maps'], output: 'bent' },
  { operator: 'GlobalAveragePool', inputs: ['bent'], output: 'mean' },
  { operator: 'Flatten', inputs: ['mean'], output: 'flat' },
  { operator: 'Gemm', inputs: ['flat', 'matrix'], output: 'output' },
];

/** Opens a network that maps a picture to 24 numbers, with access to its memory. */
function openWatched(): { network: Network; memory: WebAssembly.Memory } {
  const noise = createNoise(5);
  const tensors = [makeTensor('first', [16, 3, 3, 3], noise(432)), makeTensor('matrix', [16, 24], noise(384))];
  const { Memory } = WebAssembly;
  const made: WebAssembly.Memory[] = [];
  const Watched = class extends Memory {
    constructor(descriptor: ConstructorParameters<typeof Memory>[0]) {
      super(descriptor);
      made.push(this);
    }
  };
  Reflect.set(WebAssembly, 'Memory', Watched);
  try {
    const network = openNetwork(makeModel(DIMS, NODES, tensors), loadModule());
    expect(made).toHaveLength(1);
    return { network, memory: made[0]! };
  } finally {
    Reflect.set(WebAssembly, 'Memory', Memory);
  }
}

const holds = ({ buffer }: WebAssembly.Memory, values: Float32Array) =>
  Buffer.from(buffer).includes(Buffer.from(values.buffer, values.byteOffset, values.byteLength));

test('leaves neither picture nor vector in kernel memory after forget', () => {
  const { network, memory } = openWatched();
  const picture = createNoise(6)(192);
  const vector = network.run(picture, DIMS)['output']!;
  const rows = Array.from({ length: 24 }, (_, row) => picture.subarray(row * 8, row * 8 + 8));
  const find = () => [holds(memory, vector), rows.some((row) => holds(memory, row))];
  expect(find()).toEqual([true, true]);
  network.forget();
  expect(find()).toEqual([false, false]);
  // The weights remain.
  expect(network.run(picture, DIMS)['output']).toEqual(vector);
});

test('leaves nothing after a picture of another size', () => {
  const { network, memory } = openWatched();
  const vector = network.run(createNoise(6)(192), DIMS)['output']!;
  expect(holds(memory, vector)).toBe(true);
  network.run(createNoise(7)(48), [1, 3, 4, 4]);
  expect(holds(memory, vector)).toBe(false);
});

test('overwrites intermediate values at the end of the run', () => {
  const { network, memory } = openWatched();
  const picture = createNoise(8)(192);
  const expected = network.run(picture, DIMS)['output']!;
  const { Float32Array: Plain } = globalThis;
  const made: Float32Array[] = [];
  const Watched = new Proxy(Plain, {
    construct(target, given, newTarget) {
      const values = Reflect.construct(target, given, newTarget) as Float32Array;
      made.push(values);
      return values;
    },
  });
  Reflect.set(globalThis, 'Float32Array', Watched);
  let output: Float32Array;
  try {
    output = network.run(picture, DIMS)['output']!;
  } finally {
    Reflect.set(globalThis, 'Float32Array', Plain);
  }
  expect(output).toEqual(expected);
  const between = made.filter(({ buffer }) => buffer !== memory.buffer && buffer !== output.buffer);
  expect(between.length).toBeGreaterThan(0);
  for (const values of between) expect(values.every((value) => value === 0)).toBe(true);
  expect(picture).toEqual(createNoise(8)(192));
});

test('keeps neither picture nor vector in the plan after a run', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { network } = openWatched();
  const run = () => {
    const picture = createNoise(7)(192);
    const vector = network.run(picture, DIMS)['output']!;
    return [new WeakRef(picture), new WeakRef(vector)];
  };
  const references = run();
  await new Promise(setImmediate);
  collect();
  expect(references.map((reference) => reference.deref())).toEqual([undefined, undefined]);
  expect(network.run(createNoise(7)(192), DIMS)['output']).toHaveLength(24);
});
