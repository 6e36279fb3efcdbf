// What is not known is refused with a word, and a damaged file as well: the page then takes the library.
import type { OnnxNode, OnnxTensor } from '@limen/face-models/onnx-writer';
import { expect, test } from 'vitest';
import { loadModule } from '../testing/load-module.ts';
import { createNoise, makeModel, makeTensor } from '../testing/make-model.ts';
import { openNetwork, UnsupportedModelError } from './index.ts';

const module = loadModule();
const DIMS = [1, 2, 6, 6];
const weights = makeTensor('weights', [3, 2, 3, 3], createNoise(1)(54));

function open(nodes: OnnxNode[], tensors: OnnxTensor[] = [weights]) {
  return () => openNetwork(makeModel(DIMS, nodes, tensors), module);
}

const conv = (attributes: NonNullable<OnnxNode['attributes']>, inputs = ['input', 'weights']): OnnxNode => ({
  ...{ operator: 'Conv', inputs, output: 'output', attributes },
});

test.each<[string, string, OnnxNode[], OnnxTensor[]?]>([
  ['an operator', 'the operator LSTM is not known', [{ operator: 'LSTM', inputs: ['input'], output: 'output' }]],
  ['groups', 'a convolution in 2 groups', [conv({ group: 2 })]],
  ['padding that is left open', 'how pictures are padded', [conv({ auto_pad: 1 })]],
  ['a window larger than the picture', 'larger than its input', [conv({ dilations: [9, 9] })]],
  ['an impossible stride', 'an impossible size', [conv({ strides: [0, 1] })]],
  ['something that nothing computes', 'which nothing computes', [conv({}, ['input', 'nowhere'])]],
  [
    'a node before what it reads',
    'which nothing computes',
    [
      { operator: 'Relu', inputs: ['later'], output: 'output' },
      { operator: 'Relu', inputs: ['input'], output: 'later' },
    ],
  ],
  ['too many weights', 'not as many as its shape says', [conv({})], [{ ...weights, dims: [3, 2, 3, 2] }]],
  ['too few weights', 'not as many as its shape says', [conv({})], [{ ...weights, dims: [3, 2, 3, 4] }]],
  ['a picture that would not fit', 'too much memory', [conv({ pads: [4096, 4096, 4096, 4096] })]],
  [
    'an output of its own',
    'does not follow from its input',
    [{ operator: 'Relu', inputs: ['weights'], output: 'output' }],
  ],
])('%s is refused', (_, message, nodes, tensors) => {
  expect(open(nodes, tensors)).toThrow(UnsupportedModelError);
  expect(open(nodes, tensors)).toThrow(message);
});

test('values that do not fit the shape are refused', () => {
  const network = open([conv({})])();
  expect(() => network.run(new Float32Array(10), DIMS)).toThrow('10 values for a shape of 1 × 2 × 6 × 6');
});

test('a file that ends too soon, or has other bytes in it, is refused or runs; nothing else happens', () => {
  const model = makeModel(DIMS, [conv({ pads: [1, 1, 1, 1] })], [weights]);
  // The last field says which set of operators it has, which nothing here reads.
  const graphEnd = model.length - 6;
  for (let length = 0; length < graphEnd; length += 1)
    expect(() => openNetwork(model.subarray(0, length), module)).toThrow(UnsupportedModelError);
  const noise = createNoise(7);
  let refused = 0;
  for (let round = 0; round < 400; round += 1) {
    const damaged = Uint8Array.from(model);
    for (const value of noise(2))
      damaged[Math.floor(((value + 1) / 2) * 140)] = Math.floor(Math.abs(noise(1)[0]!) * 256);
    try {
      openNetwork(damaged, module).run(new Float32Array(72), DIMS);
    } catch (error) {
      expect(error).toBeInstanceOf(UnsupportedModelError);
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(100);
});
