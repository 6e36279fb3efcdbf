// Widening gives exactly the runtime's own results.
import { expect, test } from 'vitest';
import { makeMixedNetwork, wave } from '../../testing/mixed-network.ts';
import { loadModel } from '../../testing/run-model.ts';
import { compactOnnx } from './compact-onnx.ts';
import { encodeFloat32 } from './encode-values.ts';
import { type OnnxGraph, type OnnxNode, type OnnxTensor, writeOnnx } from './onnx-writer.ts';
import { widenOnnx } from './widen-onnx.ts';

const IMAGE = wave(3 * 8 * 8);

test('computes the same for every kind of weight', async () => {
  const narrow = makeMixedNetwork();
  const widened = widenOnnx(narrow);
  expect(widened.length / narrow.length).toBeGreaterThan(2);
  const [before, after] = [await loadModel(narrow), await loadModel(widened)];
  expect(after.describe()).toEqual(before.describe());
  expect(await after.feed(IMAGE, [1, 3, 8, 8])).toEqual(await before.feed(IMAGE, [1, 3, 8, 8]));
});

const floats = (name: string, dims: readonly number[]): OnnxTensor => ({
  name,
  dims,
  type: 'float32',
  data: encodeFloat32(wave(dims.reduce((product, size) => product * size, 1))),
});

function makeGraph(tensors: OnnxTensor[], nodes: OnnxNode[]): Uint8Array {
  const graph: OnnxGraph = {
    name: 'test',
    nodes,
    tensors,
    input: { name: 'input', dims: ['images', 4] },
    output: { name: 'result', dims: ['images', 4] },
  };
  return writeOnnx(graph);
}

test('restores the size of a compacted file, and leaves it unchanged the second time', () => {
  const original = makeGraph(
    [floats('matrix', [32, 32])],
    [{ operator: 'MatMul', inputs: ['input', 'matrix'], output: 'result' }],
  );
  const widened = widenOnnx(compactOnnx(original, 16));
  expect(widened.length).toBe(original.length);
  expect(widenOnnx(widened)).toEqual(widened);
});

test('leaves nodes with inputs or unusual broadcasting to the runtime', async () => {
  const model = makeGraph(
    [floats('square', [4, 4]), floats('row', [1, 4]), floats('column', [4, 1]), floats('all', [4])],
    [
      // Two values broadcast over each other.
      { operator: 'Mul', inputs: ['row', 'column'], output: 'outer' },
      // One value per column, although the last size is unknown.
      { operator: 'Add', inputs: ['square', 'all'], output: 'shifted' },
      { operator: 'Sub', inputs: ['shifted', 'outer'], output: 'matrix' },
      { operator: 'Mul', inputs: ['input', 'all'], output: 'scaled' },
      { operator: 'MatMul', inputs: ['scaled', 'matrix'], output: 'result' },
    ],
  );
  const [before, after] = [await loadModel(model), await loadModel(widenOnnx(model))];
  const values = wave(8);
  expect(await after.feed(values, [2, 4])).toEqual(await before.feed(values, [2, 4]));
});
