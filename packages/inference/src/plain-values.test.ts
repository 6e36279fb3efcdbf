// Operators on small values: shapes, constants and the ends of networks.
import type { OnnxNode, OnnxTensor } from '@limen/face-models/onnx-writer';
import { expect, test } from 'vitest';
import { loadModule } from '../testing/load-module.ts';
import { createNoise, makeModel, makeTensor } from '../testing/make-model.ts';
import { openNetwork } from './index.ts';

const module = loadModule();
const SIX = Float32Array.of(1, 2, 3, 4, 5, 6);

function run(dims: readonly number[], values: Float32Array, nodes: OnnxNode[], tensors: OnnxTensor[] = []): number[] {
  return [...openNetwork(makeModel(dims, nodes, tensors), module).run(values, dims)['output']!];
}

const whole = (name: string, values: number[]): OnnxTensor => ({
  name,
  dims: [values.length],
  type: 'int64',
  data: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
});

test('transposes, slices, concatenates and reshapes values', () => {
  const turned = run([2, 3], SIX, [
    { operator: 'Transpose', inputs: ['input'], output: 'output', attributes: { perm: [1, 0] } },
  ]);
  expect(turned).toEqual([1, 4, 2, 5, 3, 6]);
  const cut = run([2, 3], SIX, [
    { operator: 'Slice', inputs: ['input'], output: 'cut', attributes: { axes: [1], starts: [1], ends: [9] } },
    { operator: 'Concat', inputs: ['cut', 'input'], output: 'output', attributes: { axis: 1 } },
  ]);
  expect(cut).toEqual([2, 3, 1, 2, 3, 5, 6, 4, 5, 6]);
});

test('slices a list with steps but without axes', () => {
  const cut = run(
    [2, 3],
    SIX,
    [
      { operator: 'Slice', inputs: ['list', 'zero', 'two', '', 'one'], output: 'size' },
      { operator: 'Reshape', inputs: ['input', 'size'], output: 'turned' },
      { operator: 'Transpose', inputs: ['turned'], output: 'output' },
    ],
    [whole('list', [3, 2, 9]), whole('zero', [0]), whole('two', [2]), whole('one', [1])],
  );
  expect(cut).toEqual([1, 3, 5, 2, 4, 6]);
});

test('keeps maps that are concatenated in several ways in each result', () => {
  const dims = [1, 2, 2, 1];
  const turn = (name: string): OnnxNode[] => [
    { operator: 'Conv', inputs: ['input', name], output: `${name}-maps` },
    { operator: 'Transpose', inputs: [`${name}-maps`], output: `${name}-last`, attributes: { perm: [0, 2, 3, 1] } },
    { operator: 'Reshape', inputs: [`${name}-last`, 'shape'], output: `${name}-list` },
  ];
  const join = (inputs: string[], output: string): OnnxNode => ({
    ...{ operator: 'Concat', inputs, output, attributes: { axis: 1 } },
  });
  const nodes = [
    ...turn('same'),
    ...turn('tenfold'),
    join(['same-list', 'tenfold-list'], 'joined'),
    join(['tenfold-list', 'same-list'], 'swapped'),
    join(['joined', 'swapped', 'same-list', 'same-list'], 'output'),
  ];
  const tensors = [
    makeTensor('same', [2, 2, 1, 1], Float32Array.of(1, 0, 0, 1)),
    makeTensor('tenfold', [2, 2, 1, 1], Float32Array.of(10, 0, 0, 10)),
    whole('shape', [1, -1]),
  ];
  const network = openNetwork(makeModel(dims, nodes, tensors), module);
  for (const factor of [7, 1]) {
    const one = [1, 3, 2, 4].map((value) => value * factor);
    const ten = one.map((value) => value * 10);
    const given = Float32Array.of(1, 2, 3, 4).map((value) => value * factor);
    expect([...network.run(given, dims)['output']!]).toEqual([...one, ...ten, ...ten, ...one, ...one, ...one]);
  }
  // A result that is also part of another concatenation.
  const [convolved, turned, reshaped] = turn('same');
  const both = [convolved!, turned!, { ...reshaped!, output: 'output' }, ...turn('tenfold')];
  const part = openNetwork(makeModel(dims, [...both, join(['output', 'tenfold-list'], 'joined')], tensors), module);
  const { output } = part.run(Float32Array.of(1, 2, 3, 4), dims);
  expect([...output!, output!.buffer.byteLength]).toEqual([1, 3, 2, 4, 16]);
});

test('broadcasts values from either side', () => {
  const column = makeTensor('column', [2, 1], Float32Array.of(10, 20));
  const sums = run(
    [1, 3],
    SIX.subarray(0, 3),
    [{ operator: 'Add', inputs: ['input', 'column'], output: 'output' }],
    [column],
  );
  expect(sums).toEqual([11, 12, 13, 21, 22, 23]);
  const quotients = run([2, 3], SIX, [{ operator: 'Div', inputs: ['input', 'column'], output: 'output' }], [column]);
  expect(quotients.map((value) => Math.round(value * 100))).toEqual([10, 20, 30, 20, 25, 30]);
});

test('normalizes a softmax of large values, and finds the maximum along any axis', () => {
  const shares = run([1, 3], Float32Array.of(1000, 1001, 999), [
    { operator: 'Softmax', inputs: ['input'], output: 'output', attributes: { axis: 1 } },
  ]);
  expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1, 6);
  expect(shares[1]! / shares[0]!).toBeCloseTo(Math.E, 4);
  const largest = run([2, 3], Float32Array.of(1, 5, 3, 4, 2, 6), [
    { operator: 'ReduceMax', inputs: ['input'], output: 'output', attributes: { axes: [0], keepdims: 0 } },
  ]);
  expect(largest).toEqual([4, 5, 6]);
});

test('multiplies a matrix in either orientation with any number of rows', () => {
  for (const rows of [1, 5, 6, 7, 13]) {
    const noise = createNoise(rows);
    const [values, matrix, bias] = [noise(rows * 5), noise(5 * 9), noise(9)];
    const expected = Array.from({ length: rows * 9 }, (_, at) => {
      const [row, column] = [Math.floor(at / 9), at % 9];
      return (
        bias[column]! + [0, 1, 2, 3, 4].reduce((sum, k) => sum + values[row * 5 + k]! * matrix[k * 9 + column]!, 0)
      );
    });
    const turned = Float32Array.from({ length: 45 }, (_, at) => matrix[(at % 5) * 9 + Math.floor(at / 5)]!);
    const straight = run(
      [rows, 5],
      values,
      [{ operator: 'Gemm', inputs: ['input', 'matrix', 'bias'], output: 'output' }],
      [makeTensor('matrix', [5, 9], matrix), makeTensor('bias', [9], bias)],
    );
    const transposed = run(
      [rows, 5],
      values,
      [{ operator: 'Gemm', inputs: ['input', 'matrix', 'bias'], output: 'output', attributes: { transB: 1 } }],
      [makeTensor('matrix', [9, 5], turned), makeTensor('bias', [9], bias)],
    );
    for (const [at, value] of expected.entries()) {
      expect(straight[at]).toBeCloseTo(value, 5);
      expect(transposed[at]).toBeCloseTo(value, 5);
    }
  }
});

test('resolves a shape that is computed from the input', () => {
  const flat = run(
    [1, 2, 3],
    SIX,
    [
      { operator: 'Shape', inputs: ['input'], output: 'shape' },
      { operator: 'Gather', inputs: ['shape', 'which'], output: 'size' },
      { operator: 'Concat', inputs: ['size', 'rest'], output: 'wanted', attributes: { axis: 0 } },
      { operator: 'Reshape', inputs: ['input', 'wanted'], output: 'reshaped' },
      { operator: 'Transpose', inputs: ['reshaped'], output: 'output' },
    ],
    [whole('which', [1]), whole('rest', [-1])],
  );
  expect(flat).toEqual([1, 4, 2, 5, 3, 6]);
});

test('flushes denormal numbers to zero', () => {
  const values = run(
    [1, 2],
    Float32Array.of(1, 1),
    [{ operator: 'Gemm', inputs: ['input', 'matrix', 'bias'], output: 'output' }],
    [
      makeTensor('matrix', [2, 2], Float32Array.of(1e-39, 2, 1e-30, 1e-10)),
      makeTensor('bias', [2], Float32Array.of(1e-38, 0)),
    ],
  );
  expect(values[0]).toBe(0);
  expect(values[1]).toBeCloseTo(2, 6);
});
