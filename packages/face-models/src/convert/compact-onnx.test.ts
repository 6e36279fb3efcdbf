// A file with smaller weights computes almost the same as before.
import { expect, test } from 'vitest';
import { loadModel } from '../../testing/run-model.ts';
import { compactOnnx } from './compact-onnx.ts';
import { encodeFloat32 } from './encode-values.ts';
import { type OnnxGraph, writeOnnx } from './onnx-writer.ts';

const [CHANNELS, SIDE, OUTPUTS] = [24, 4, 32];
/** Deterministic, with very different sizes between outputs. */
const makeWeights = (outputs: number, count: number) =>
  Float32Array.from(
    { length: outputs * count },
    (_, index) => (((index * 7919) % 2003) / 1001 - 1) * 10 ** (Math.floor(index / count) % 3),
  );
const PIXELS = Float32Array.from({ length: CHANNELS * SIDE * SIDE }, (_, index) => ((index * 31) % 17) / 17);
const SHAPE = [1, CHANNELS, SIDE, SIDE];

/** Creates a convolution with a bias, and a matrix in either orientation. */
function makeGraph(transB: 0 | 1): OnnxGraph {
  const matrix = makeWeights(OUTPUTS, OUTPUTS);
  return {
    name: 'test',
    nodes: [
      { operator: 'Conv', inputs: ['input', 'filter', 'bias'], output: 'maps', attributes: { kernel_shape: [1, 1] } },
      { operator: 'GlobalAveragePool', inputs: ['maps'], output: 'means' },
      { operator: 'Flatten', inputs: ['means'], output: 'flat', attributes: { axis: 1 } },
      { operator: 'Gemm', inputs: ['flat', 'matrix'], output: 'first', attributes: { transB } },
      { operator: 'MatMul', inputs: ['first', 'matrix'], output: 'result' },
    ],
    tensors: [
      {
        name: 'filter',
        dims: [OUTPUTS, CHANNELS, 1, 1],
        type: 'float32',
        data: encodeFloat32(makeWeights(OUTPUTS, CHANNELS)),
      },
      { name: 'bias', dims: [OUTPUTS], type: 'float32', data: encodeFloat32(makeWeights(1, OUTPUTS)) },
      { name: 'matrix', dims: [OUTPUTS, OUTPUTS], type: 'float32', data: encodeFloat32(matrix) },
    ],
    input: { name: 'input', dims: ['images', CHANNELS, SIDE, SIDE] },
    output: { name: 'result', dims: ['images', OUTPUTS] },
  };
}

async function compare(graph: OnnxGraph, bits: 8 | 16): Promise<number> {
  const original = writeOnnx(graph);
  const before = await (await loadModel(original)).feed(PIXELS, SHAPE);
  const after = await (await loadModel(compactOnnx(original, bits))).feed(PIXELS, SHAPE);
  const largest = Math.max(...before.map(Math.abs));
  return Math.max(...before.map((value, index) => Math.abs(value - after[index]!))) / largest;
}

test.each([0, 1] as const)('is almost exact in 16 bits, with transB %d', async (transB) => {
  expect(await compare(makeGraph(transB), 16)).toBeLessThan(1e-4);
});

test('is slightly off in 8 bits', async () => {
  const difference = await compare(makeGraph(1), 8);
  expect(difference).toBeGreaterThan(1e-4);
  expect(difference).toBeLessThan(0.03);
});

test('halves or quarters the size, keeps the names of input and output, and is deterministic', async () => {
  const original = writeOnnx(makeGraph(1));
  expect(compactOnnx(original, 16).length / original.length).toBeLessThan(0.65);
  expect(compactOnnx(original, 8).length / original.length).toBeLessThan(0.45);
  expect((await loadModel(compactOnnx(original, 8))).describe()).toEqual((await loadModel(original)).describe());
  expect(compactOnnx(original, 8)).toEqual(compactOnnx(original, 8));
});

test('rejects a truncated file', () => {
  expect(() => compactOnnx(writeOnnx(makeGraph(1)).subarray(0, 2000), 8)).toThrow('the file ends too soon');
});
