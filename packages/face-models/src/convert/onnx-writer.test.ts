// The page's runtime reads and runs written files.
import { expect, test } from 'vitest';
import { loadModel } from '../../testing/run-model.ts';
import { encodeFloat32 } from './encode-values.ts';
import { type OnnxGraph, writeOnnx } from './onnx-writer.ts';

/** (bytes as floats) × input, with a size that needs a two-byte varint. */
function makeGraph(side: number): OnnxGraph {
  return {
    name: 'test',
    nodes: [
      { operator: 'Cast', inputs: ['bytes'], output: 'wide', attributes: { to: 1 } },
      { operator: 'Mul', inputs: ['input', 'wide'], output: 'scaled' },
      { operator: 'Add', inputs: ['scaled', 'offset'], output: 'moved' },
      { operator: 'ReduceMax', inputs: ['moved'], output: 'result', attributes: { axes: [1, 2], keepdims: 0 } },
    ],
    tensors: [
      { name: 'bytes', dims: [], type: 'uint8', data: Uint8Array.of(200) },
      { name: 'offset', dims: [1], type: 'float32', data: encodeFloat32(Float32Array.of(-0.5)) },
    ],
    input: { name: 'input', dims: ['images', 1, side, side] },
    output: { name: 'result', dims: ['images', side] },
  };
}

test('writes a model that runs', async () => {
  const model = await loadModel(writeOnnx(makeGraph(300)));
  const image = new Float32Array(300 * 300);
  image[7 * 300 + 2] = 3;
  const result = await model.run([image], 300);
  expect([...result.subarray(0, 4)]).toEqual([-0.5, -0.5, 599.5, -0.5]);
});

test('writes the names of input and output', async () => {
  const model = await loadModel(writeOnnx(makeGraph(3)));
  expect(model.describe()).toEqual(['input float32 images×1×3×3', 'result float32 images×3']);
});

test('writes the same bytes for the same graph', () => {
  expect(Buffer.from(writeOnnx(makeGraph(5)))).toEqual(Buffer.from(writeOnnx(makeGraph(5))));
});

test('rejects values that cannot be written', () => {
  expect(() => writeOnnx(makeGraph(-1))).toThrow('cannot write -1');
});
