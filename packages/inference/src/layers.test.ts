// Every layer on random shapes, compared with a naive implementation, for both modules.
import type { OnnxNode, OnnxTensor } from '@limen/face-models/onnx-writer';
import { describe, expect, test } from 'vitest';
import { KERNEL_FILES, loadModule } from '../testing/load-module.ts';
import { createNoise, makeModel, makeTensor } from '../testing/make-model.ts';
import { bend, combine, convolve, type Picture, poolMaximum, poolMean, type Windowed } from '../testing/reference.ts';
import { openNetwork } from './index.ts';

const ROUNDS = 24;

describe.each(KERNEL_FILES)('with %s', (file) => {
  const module = loadModule(file);

  function expectSame(input: Picture, nodes: OnnxNode[], tensors: OnnxTensor[], expected: Picture, what: string): void {
    const network = openNetwork(makeModel(input.dims, nodes, tensors), module);
    // The second run reuses memory of the first.
    network.run(
      input.values.map((value) => -value),
      input.dims,
    );
    const { output } = network.run(input.values, input.dims);
    expect(output, what).toHaveLength(expected.values.length);
    const off = output!.reduce((most, value, at) => Math.max(most, Math.abs(value - expected.values[at]!)), 0);
    expect(off, what).toBeLessThan(1e-4);
  }

  test('computes convolutions of any window, stride, padding and dilation, with activations', () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const pick = createPicker(round);
      const noise = createNoise(round);
      const [channels, outputs] = [pick(1, 19), pick(1, 21)];
      const windowed = pickWindow(pick);
      const [height, width] = pickSize(pick, windowed);
      const input = makePicture([pick(1, 2), channels, height, width], noise);
      const first = makePicture([outputs, channels, ...windowed.kernel], noise);
      // The first reads planes, the second reads maps.
      const second = makePicture([pick(1, 20), outputs, 1, 1], noise);
      const [bias, slopes] = [noise(outputs), noise(second.dims[0])];
      const nodes: OnnxNode[] = [
        { operator: 'Conv', inputs: ['input', 'first', 'bias'], output: 'between', attributes: toAttributes(windowed) },
        { operator: 'Relu', inputs: ['between'], output: 'bent' },
        { operator: 'Conv', inputs: ['bent', 'second'], output: 'after' },
        { operator: 'PRelu', inputs: ['after', 'slopes'], output: 'output' },
      ];
      const tensors = [
        makeTensor('first', first.dims, first.values),
        makeTensor('bias', [outputs], bias),
        makeTensor('second', second.dims, second.values),
        makeTensor('slopes', [slopes.length, 1, 1], slopes),
      ];
      const between = bend(convolve(input, first, bias, { ...windowed, group: 1 }), 0);
      const expected = bend(convolve(between, second, undefined, { ...PLAIN, group: 1 }), slopes);
      expectSame(input, nodes, tensors, expected, JSON.stringify({ round, windowed, input: input.dims }));
    }
  });

  test('computes convolutions over maps, including depthwise ones', () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const pick = createPicker(round);
      const noise = createNoise(round);
      const channels = pick(1, 20);
      const isFilter = round % 3 > 0;
      // Every other window has a specialized kernel.
      const windowed = round % 2 > 0 ? pickWindow(pick) : { ...pickWindow(pick), kernel: [3, 3] as const, dilation: 1 };
      const [height, width] = pickSize(pick, windowed);
      const input = makePicture([pick(1, 2), channels, height, width], noise);
      const spread = makePicture([channels, channels, 1, 1], noise);
      const outputs = isFilter ? channels : pick(1, 20);
      const weights = makePicture([outputs, isFilter ? 1 : channels, ...windowed.kernel], noise);
      const bias = noise(outputs);
      const group = isFilter ? channels : 1;
      const nodes: OnnxNode[] = [
        { operator: 'Conv', inputs: ['input', 'spread'], output: 'maps' },
        {
          operator: 'Conv',
          inputs: ['maps', 'weights', 'bias'],
          output: 'sum',
          attributes: { ...toAttributes(windowed), group },
        },
        { operator: 'Clip', inputs: ['sum', 'zero', 'six'], output: 'output' },
      ];
      const tensors = [
        makeTensor('spread', spread.dims, spread.values),
        makeTensor('weights', weights.dims, weights.values),
        makeTensor('bias', [outputs], bias),
        makeTensor('zero', [], Float32Array.of(0)),
        makeTensor('six', [], Float32Array.of(1.5)),
      ];
      const maps = convolve(input, spread, undefined, { ...PLAIN, group: 1 });
      const expected = bend(convolve(maps, weights, bias, { ...windowed, group }), 0, 1.5);
      expectSame(input, nodes, tensors, expected, JSON.stringify({ round, windowed, input: input.dims, group }));
    }
  });

  test('computes pools, gates, sums and concatenations', () => {
    for (let round = 0; round < ROUNDS / 2; round += 1) {
      const pick = createPicker(round);
      const noise = createNoise(round);
      const channels = pick(1, 20);
      const windowed = {
        ...pickWindow(pick),
        dilation: 1,
        pads: [1, 1, 1, 1] as const,
        kernel: [pick(2, 3), pick(2, 3)] as const,
      };
      const input = makePicture([pick(1, 2), channels, pick(3, 9), pick(3, 9)], noise);
      const spread = makePicture([16, channels, 1, 1], noise);
      const [scale, slopes] = [noise(16), noise(16)];
      const nodes: OnnxNode[] = [
        { operator: 'Conv', inputs: ['input', 'spread'], output: 'maps' },
        { operator: 'PRelu', inputs: ['maps', 'slopes'], output: 'bent' },
        { operator: 'GlobalAveragePool', inputs: ['bent'], output: 'mean' },
        { operator: 'Sigmoid', inputs: ['mean'], output: 'gate' },
        { operator: 'Mul', inputs: ['gate', 'bent'], output: 'gated' },
        { operator: 'Mul', inputs: ['gated', 'scale'], output: 'scaled' },
        { operator: 'Add', inputs: ['scaled', 'bent'], output: 'sum' },
        { operator: 'Relu', inputs: ['sum'], output: 'positive' },
        { operator: 'Concat', inputs: ['positive', 'bent'], output: 'joined', attributes: { axis: 1 } },
        { operator: 'MaxPool', inputs: ['joined'], output: 'output', attributes: toAttributes(windowed) },
      ];
      const tensors = [
        makeTensor('spread', spread.dims, spread.values),
        makeTensor('scale', [1, 16, 1, 1], scale),
        makeTensor('slopes', [16, 1, 1], slopes),
      ];
      const bent = bend(convolve(input, spread, undefined, { ...PLAIN, group: 1 }), slopes);
      const gate = poolMean(bent);
      const gated = combine(bent, gate, (value, mean) => value / (1 + Math.exp(-mean)));
      const scaled = combine(
        gated,
        { dims: [gate.dims[0], 16, 1, 1], values: repeat(scale, gate.dims[0]) },
        (a, b) => a * b,
      );
      const positive = bend(
        combine(scaled, bent, (a, b) => a + b),
        0,
      );
      const expected = poolMaximum(join(positive, bent), windowed);
      expectSame(input, nodes, tensors, expected, JSON.stringify({ round, windowed, input: input.dims }));
    }
  });
});

const PLAIN: Windowed = { kernel: [1, 1], strides: [1, 1], pads: [0, 0, 0, 0], dilation: 1 };

type Pick = (least: number, most: number) => number;

function createPicker(seed: number): Pick {
  const noise = createNoise(seed + 1000);
  return (least, most) => least + Math.floor(((noise(1)[0]! + 1) / 2) * (most - least + 1));
}

function pickWindow(pick: Pick): Windowed {
  return {
    kernel: [pick(1, 5), pick(1, 5)],
    strides: [pick(1, 3), pick(1, 3)],
    pads: [pick(0, 2), pick(0, 2), pick(0, 2), pick(0, 2)],
    dilation: pick(1, 2),
  };
}

/** At least as large as the window. */
function pickSize(pick: Pick, { kernel, dilation }: Windowed): [number, number] {
  return [(kernel[0] - 1) * dilation + pick(1, 9), (kernel[1] - 1) * dilation + pick(1, 12)];
}

function toAttributes({ kernel, strides, pads, dilation }: Windowed) {
  return { kernel_shape: kernel, strides, pads, dilations: [dilation, dilation] };
}

function makePicture(dims: Picture['dims'], noise: (count: number) => Float32Array<ArrayBuffer>) {
  return { dims, values: noise(dims.reduce((product, size) => product * size, 1)) };
}

function repeat(values: Float32Array, times: number): Float32Array {
  return Float32Array.from({ length: values.length * times }, (_, at) => values[at % values.length]!);
}

function join(first: Picture, second: Picture): Picture {
  const [images, channels, height, width] = first.dims;
  const size = channels * height * width;
  const parts = Array.from({ length: images }, (_, n) =>
    [first, second].map(({ values }) => [...values.subarray(n * size, (n + 1) * size)]),
  );
  return { dims: [images, channels * 2, height, width], values: Float32Array.from(parts.flat(2)) };
}
