// Small models for tests, in the format of the shipped ones.
import { type OnnxNode, type OnnxTensor, writeOnnx } from '@limen/face-models/onnx-writer';

/** Creates seeded numbers between -1 and 1. */
export function createNoise(seed: number): (count: number) => Float32Array<ArrayBuffer> {
  let state = Math.imul(seed + 1, 0x9e3779b9) >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 23 - 1;
  };
  return (count) => Float32Array.from({ length: count }, next);
}

export function makeTensor(name: string, dims: readonly number[], values: Float32Array<ArrayBuffer>): OnnxTensor {
  return { name, dims, type: 'float32', data: new Uint8Array(values.buffer) };
}

/** Creates a model from `input` to `output`. */
export function makeModel(
  dims: readonly number[],
  nodes: readonly OnnxNode[],
  tensors: readonly OnnxTensor[] = [],
): Uint8Array {
  return writeOnnx({
    name: 'test',
    nodes,
    tensors,
    input: { name: 'input', dims },
    output: { name: 'output', dims: ['any'] },
  });
}
