// Rejects unsupported models and damaged files, so that the page uses the library.
import { type OnnxNode, type OnnxTensor, writeOnnx } from '@limen/face-models/onnx-writer';
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
  ['an operator', 'the operator LSTM is not supported', [{ operator: 'LSTM', inputs: ['input'], output: 'output' }]],
  ['groups', 'a convolution in 2 groups', [conv({ group: 2 })]],
  ['padding that is left open', 'kind of automatic padding', [conv({ auto_pad: 1 })]],
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
  [
    'too many weights',
    'another number of values than its shape says',
    [conv({})],
    [{ ...weights, dims: [3, 2, 3, 2] }],
  ],
  ['too few weights', 'another number of values than its shape says', [conv({})], [{ ...weights, dims: [3, 2, 3, 4] }]],
  ['a picture that would not fit', 'too much memory', [conv({ pads: [4096, 4096, 4096, 4096] })]],
  ['a window of another size than its weights', 'not as large as its weights', [conv({ kernel_shape: [5, 5] })]],
  ['padding of an unknown kind', 'kind of automatic padding', [conv({ auto_pad: 'SAME' })]],
  [
    'a value that is computed twice',
    'computes a value twice',
    [conv({}), { operator: 'Relu', inputs: ['input'], output: 'output' }],
  ],
  [
    'an axis that is added twice',
    'adds an axis twice',
    [{ operator: 'Unsqueeze', inputs: ['input'], output: 'output', attributes: { axes: [0, 0] } }],
  ],
  [
    'sums of small integers',
    'computes in small integers',
    [
      { operator: 'Add', inputs: ['small', 'small'], output: 'sum' },
      { operator: 'Add', inputs: ['input', 'sum'], output: 'output' },
    ],
    [{ name: 'small', dims: [1], type: 'int8', data: Uint8Array.of(100) }],
  ],
  [
    'a matrix that makes nothing',
    'does not fit its input',
    [{ operator: 'MatMul', inputs: ['input', 'nothing'], output: 'output' }],
    [makeTensor('nothing', [6, 0], new Float32Array(0))],
  ],
  [
    'a constant that is too large',
    'too many values',
    [{ operator: 'Add', inputs: ['row', 'column'], output: 'output' }],
    [
      makeTensor('row', [1, 2 ** 14], new Float32Array(2 ** 14)),
      makeTensor('column', [2 ** 14, 1], new Float32Array(2 ** 14)),
    ],
  ],
  [
    'constants that are too much work',
    'too many constants',
    Array.from({ length: 40 }, (_, at) => ({ operator: 'Add', inputs: ['row', 'column'], output: `sum${at}` })),
    [
      makeTensor('row', [1, 2 ** 12], new Float32Array(2 ** 12)),
      makeTensor('column', [2 ** 11, 1], new Float32Array(2 ** 11)),
    ],
  ],
  [
    'too many nodes',
    'it has 10001 nodes',
    Array.from({ length: 10_001 }, (_, at) => ({ operator: 'Relu', inputs: ['input'], output: `bent${at}` })),
  ],
  [
    'an output of its own',
    'does not follow from its input',
    [{ operator: 'Relu', inputs: ['weights'], output: 'output' }],
  ],
])('rejects %s', (_, message, nodes, tensors) => {
  const asked = { name: 'UnsupportedModelError', message: expect.stringContaining(message) };
  expect(open(nodes, tensors)).toThrow(expect.objectContaining(asked));
});

test('rejects a picture without a size', () => {
  const product: OnnxNode = { operator: 'MatMul', inputs: ['input', 'matrix'], output: 'output' };
  const matrix = makeTensor('matrix', [5, 4], createNoise(1)(20));
  const openSized = (rows: number | string) =>
    openNetwork(writeOnnx({ name: 'test', nodes: [product], tensors: [matrix], ...sizes(rows) }), module);
  const sizes = (rows: number | string) => ({
    input: { name: 'input', dims: [rows, 5] },
    output: { name: 'output', dims: ['any'] },
  });
  expect(() => openSized(0)).toThrow('its input is of 0 × 5 values');
  expect(() => openSized('any').run(new Float32Array(0), [0, 5])).toThrow(UnsupportedModelError);
});

test('rejects a model of unspecified size, or opens it for the given size', () => {
  const openFor = (operator: string, shape?: number[]) =>
    openNetwork(
      writeOnnx({
        ...{ name: 'test', nodes: [{ operator, inputs: ['input'], output: 'output' }], tensors: [] },
        input: { name: 'input', dims: ['any', 2, 'height', 'width'] },
        output: { name: 'output', dims: ['any'] },
      }),
      module,
      shape,
    );
  expect(() => openFor('Relu')).toThrow('leaves the size of its input open');
  expect(() => openFor('LSTM', [1, 2, 2, 1])).toThrow('the operator LSTM is not supported');
  expect(() => openFor('Relu', [1, 2, 0, 1])).toThrow('its input is of 1 × 2 × 0 × 1 values');
  const { output } = openFor('Relu', [1, 2, 2, 1]).run(Float32Array.of(-1, 1, 2, -2), [1, 2, 2, 1]);
  expect(output).toEqual(Float32Array.of(0, 1, 2, 0));
});

test('computes weights of very many steps, each step once', () => {
  const chain = (count: number, makeInputs: (before: string) => string[], operator: string): OnnxNode[] => [
    { operator: 'Cast', inputs: ['small'], output: 'made0', attributes: { to: 1 } },
    ...Array.from({ length: count }, (_, at) => ({
      ...{ operator, inputs: makeInputs(`made${at}`), output: `made${at + 1}` },
    })),
    { operator: 'Conv', inputs: ['input', `made${count}`], output: 'output' },
  ];
  const tensors: OnnxTensor[] = [
    { name: 'small', dims: [1, 2, 1, 1], type: 'int8', data: Uint8Array.of(1, 1) },
    makeTensor('one', [], Float32Array.of(1)),
  ];
  const run = (nodes: OnnxNode[]) => open(nodes, tensors)().run(new Float32Array(72).fill(1), DIMS)['output']![0];
  // Both operands of each sum are equal, so there are 2^24 paths to the first.
  expect(run(chain(24, (before) => [before, before], 'Add'))).toBe(2 ** 25);
  expect(run(chain(9000, (before) => [before, 'one'], 'Mul'))).toBe(2);
});

test('rejects values that do not fit the shape', () => {
  const network = open([conv({})])();
  expect(() => network.run(new Float32Array(10), DIMS)).toThrow('10 values for a shape of 1 × 2 × 6 × 6');
});

test('rejects or runs a truncated or damaged file, and never fails otherwise', () => {
  const model = makeModel(DIMS, [conv({ pads: [1, 1, 1, 1] })], [weights]);
  // The last field names the operator set, which is not read.
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
