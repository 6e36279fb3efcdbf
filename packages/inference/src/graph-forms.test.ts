// Equivalent graphs in another order or form are computed correctly or rejected, and never misread.
import type { OnnxNode, OnnxTensor } from '@limen/face-models/onnx-writer';
import { describe, expect, test } from 'vitest';
import { KERNEL_FILES, loadModule } from '../testing/load-module.ts';
import { createNoise, makeModel, makeTensor } from '../testing/make-model.ts';
import { openInSteps, openNetwork } from './index.ts';

const DIMS = [1, 2, 3, 3];
/** The identity. */
const same = makeTensor('same', [2, 2, 1, 1], Float32Array.of(1, 0, 0, 1));
const scalar = (name: string, value: number) => makeTensor(name, [], Float32Array.of(value));
const bytes = (name: string, dims: readonly number[], values: readonly number[]): OnnxTensor => ({
  ...{ name, dims, type: 'int8', data: Uint8Array.from(values) },
});
const cast: OnnxNode = { operator: 'Cast', inputs: ['small'], output: 'wide', attributes: { to: 1 } };

describe.each(KERNEL_FILES)('with %s', (file) => {
  const module = loadModule(file);

  function run(
    nodes: readonly OnnxNode[],
    tensors: readonly OnnxTensor[],
    values: Float32Array,
    dims = DIMS,
  ): number[] {
    return [...openNetwork(makeModel(dims, nodes, tensors), module).run(values, dims)['output']!];
  }

  test('opens a model one node at a time', () => {
    const nodes: OnnxNode[] = ['one', 'two', 'output'].map((output, at) => ({
      ...{ operator: 'Relu', inputs: [['input', 'one', 'two'][at]!], output },
    }));
    expect([...openInSteps(makeModel(DIMS, nodes), module)]).toHaveLength(3);
  });

  test('applies a limit that is computed after the layer', () => {
    const values = createNoise(1)(18);
    const clip: OnnxNode = { operator: 'Clip', inputs: ['maps', 'zero', 'most'], output: 'output' };
    const nodes: OnnxNode[] = [
      { operator: 'Conv', inputs: ['input', 'same'], output: 'maps' },
      { operator: 'Mul', inputs: ['half', 'half'], output: 'most' },
      clip,
    ];
    const result = run(nodes, [same, scalar('zero', 0), scalar('half', 0.5)], values);
    expect(result).toEqual([...values].map((value) => Math.min(Math.max(value, 0), 0.25)));
  });

  test('multiplies weights twice if the graph does', () => {
    const values = createNoise(2)(18);
    const nodes: OnnxNode[] = [
      cast,
      { operator: 'Mul', inputs: ['wide', 'two'], output: 'doubled' },
      { operator: 'Mul', inputs: ['doubled', 'three'], output: 'weights' },
      { operator: 'Conv', inputs: ['input', 'weights'], output: 'output' },
    ];
    const result = run(
      nodes,
      [bytes('small', [2, 2, 1, 1], [1, 0, 0, 1]), scalar('two', 2), scalar('three', 3)],
      values,
    );
    expect(result).toEqual([...values.map((value) => value * 6)]);
  });

  test.each([
    ['before', ['scale', 'wide']],
    ['after', ['wide', 'scale']],
  ])('applies a filter’s scale %s its weights', (_, inputs) => {
    const values = createNoise(3)(18);
    const nodes: OnnxNode[] = [
      cast,
      { operator: 'Mul', inputs, output: 'weights' },
      { operator: 'Conv', inputs: ['input', 'same'], output: 'maps' },
      {
        operator: 'Conv',
        inputs: ['maps', 'weights'],
        output: 'output',
        attributes: { group: 2, pads: [1, 1, 1, 1], kernel_shape: [3, 3] },
      },
    ];
    const middle = [0, 0, 0, 0, 1, 0, 0, 0, 0];
    const scale = makeTensor('scale', [2, 1, 1, 1], Float32Array.of(2, 4));
    const result = run(nodes, [same, bytes('small', [2, 1, 3, 3], [...middle, ...middle]), scale], values);
    expect(result).toEqual([...values].map((value, at) => value * (at < 9 ? 2 : 4)));
  });

  test('distinguishes a bias per row from one per column', () => {
    const product: OnnxNode = { operator: 'Gemm', inputs: ['input', 'matrix', 'bias'], output: 'output' };
    const matrix = makeTensor('matrix', [2, 2], Float32Array.of(1, 0, 0, 1));
    const add = (dims: readonly number[]) =>
      run([product], [matrix, makeTensor('bias', dims, Float32Array.of(10, 20))], Float32Array.of(1, 2, 3, 4), [2, 2]);
    expect(() => add([2, 1])).toThrow('a bias does not fit its matrix');
    expect(add([2])).toEqual([11, 22, 13, 24]);
    expect(add([1, 2])).toEqual([11, 22, 13, 24]);
    const single = makeTensor('bias', [1], Float32Array.of(10));
    expect(run([product], [matrix, single], Float32Array.of(1, 2, 3, 4), [2, 2])).toEqual([11, 12, 13, 14]);
  });

  test.each([
    ['NOTSET', [0, 0, 0, 0]],
    ['VALID', [0, 0, 0, 0]],
    ['SAME_UPPER', [0, 0, 1, 1]],
    ['SAME_LOWER', [1, 1, 0, 0]],
  ])('padding %s', (auto_pad, pads) => {
    const values = createNoise(4)(18);
    const weights = makeTensor('weights', [3, 2, 2, 2], createNoise(5)(24));
    const convolve = (attributes: NonNullable<OnnxNode['attributes']>) =>
      run([{ operator: 'Conv', inputs: ['input', 'weights'], output: 'output', attributes }], [weights], values);
    expect(convolve({ auto_pad })).toEqual(convolve({ pads }));
  });

  test('computes filters, pools and slopes of the input, and limits of any kind', () => {
    const values = createNoise(6)(18);
    const first = (node: Omit<OnnxNode, 'output'>, tensors: OnnxTensor[] = []) =>
      run([{ ...node, output: 'output' }], tensors, values);
    const filter = makeTensor('filter', [2, 1, 1, 1], Float32Array.of(2, 4));
    expect(first({ operator: 'Conv', inputs: ['input', 'filter'], attributes: { group: 2 } }, [filter])).toEqual(
      [...values].map((value, at) => value * (at < 9 ? 2 : 4)),
    );
    const largest = [values.subarray(0, 9), values.subarray(9)].map((plane) => Math.max(...plane));
    expect(first({ operator: 'MaxPool', inputs: ['input'], attributes: { kernel_shape: [3, 3] } })).toEqual(largest);
    const slopes = makeTensor('slopes', [2, 1, 1], Float32Array.of(2, 4));
    expect(first({ operator: 'PRelu', inputs: ['input', 'slopes'] }, [slopes])).toEqual(
      [...values].map((value, at) => (value < 0 ? value * (at < 9 ? 2 : 4) : value)),
    );
    expect(first({ operator: 'Clip', inputs: ['input', '', 'most'] }, [scalar('most', 0.25)])).toEqual(
      [...values].map((value) => Math.min(value, 0.25)),
    );
  });

  test('keeps sums that overflow', () => {
    const values = Float32Array.of(-3e38, 3e38, Number.NaN, -1);
    const nodes: OnnxNode[] = [
      { operator: 'Conv', inputs: ['input', 'ten'], output: 'maps' },
      { operator: 'Relu', inputs: ['maps'], output: 'output' },
    ];
    const ten = makeTensor('ten', [1, 1, 1, 1], Float32Array.of(10));
    const dims = [1, 1, 2, 2];
    expect(run(nodes, [ten], values, dims)).toEqual([0, Number.POSITIVE_INFINITY, Number.NaN, 0]);
    expect(run([{ ...nodes[0]!, output: 'output' }], [ten], values, dims)[0]).toBe(Number.NEGATIVE_INFINITY);
    const pool: OnnxNode = {
      operator: 'MaxPool',
      inputs: ['maps'],
      output: 'output',
      attributes: { kernel_shape: [2, 2] },
    };
    expect(run([nodes[0]!, pool], [ten], values, dims)).toEqual([Number.NaN]);
  });
});
