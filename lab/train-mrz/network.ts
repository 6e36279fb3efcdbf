// The recognizer in training: convolutions over a line, forwards and backwards.
import { CLASSES, LINE_HEIGHT } from '../../packages/documents/src/zone/alphabet.ts';
import type { Block, Kernel } from './kernel.ts';
import { MARGIN, type Maps, makeMaps } from './maps.ts';
import { poolBackward, poolForward } from './pool.ts';

export interface LayerShape {
  readonly kernelHeight: number;
  readonly kernelWidth: number;
  readonly padTop: number;
  readonly padBottom: number;
  readonly padLeft: number;
  readonly inputs: number;
  readonly outputs: number;
  /** Height and width of max pooling, after ReLU. None in the last layer. */
  readonly pool: readonly [number, number] | null;
}

const PLAIN = { kernelHeight: 3, kernelWidth: 3, padTop: 1, padBottom: 1, padLeft: 1 };

/** Classes padded to the matrix product's multiple. The padding is never used. */
export const PADDED_CLASSES = Math.ceil(CLASSES / 8) * 8;

export const LAYERS: readonly LayerShape[] = [
  // Four wide because the matrix product works on four.
  { ...PLAIN, kernelWidth: 4, inputs: 1, outputs: 8, pool: [2, 2] },
  { ...PLAIN, inputs: 8, outputs: 24, pool: [2, 2] },
  { ...PLAIN, inputs: 24, outputs: 32, pool: [2, 1] },
  { ...PLAIN, kernelHeight: 4, padTop: 0, padBottom: 0, inputs: 32, outputs: 64, pool: [1, 1] },
  { kernelHeight: 1, kernelWidth: 5, padTop: 0, padBottom: 0, padLeft: 2, inputs: 64, outputs: 64, pool: [1, 1] },
  {
    kernelHeight: 1,
    kernelWidth: 1,
    padTop: 0,
    padBottom: 0,
    padLeft: 0,
    inputs: 64,
    outputs: PADDED_CLASSES,
    pool: null,
  },
];

export function countWeights(layer: LayerShape): number {
  return layer.kernelHeight * layer.kernelWidth * layer.inputs * layer.outputs;
}

/** Weights and biases by layer: the kernel as rows, columns, inputs, outputs; then the biases. */
export const PARAMETERS = LAYERS.reduce((sum, layer) => sum + countWeights(layer) + layer.outputs, 0);

interface Stage {
  shape: LayerShape;
  weights: Block;
  biases: Block;
  weightGradient: Block;
  biasGradient: Block;
  /** The mirrored kernel, outputs before inputs, which propagates a gradient back. */
  mirrored: Block;
  input: Maps;
  inputGradient: Maps;
  sums: Maps;
  sumGradient: Maps;
  output: Maps;
  outputGradient: Maps;
}

export interface TrainableNetwork {
  readonly parameters: Float32Array;
  readonly gradient: Float32Array;
  readonly width: number;
  /** Ink from 0 to 1 in, PADDED_CLASSES values per column out. Valid until the next call. */
  forward(ink: Float32Array): Float32Array;
  /** Takes the loss's gradient by the last output, and adds to `gradient`. */
  backward(byOutput: Float32Array): void;
  /** Must be called after changes of the parameters. */
  refresh(): void;
}

/** `width` is a multiple of 16. */
export function createTrainableNetwork(kernel: Kernel, width: number): TrainableNetwork {
  const parameters = kernel.allocate(PARAMETERS);
  const gradient = kernel.allocate(PARAMETERS);
  const zeros = kernel.allocate(PADDED_CLASSES * 8);
  const stages = createStages(kernel, width, parameters, gradient);
  const first = stages[0]!;
  const last = stages[stages.length - 1]!;

  function convolve(stage: Stage): void {
    const { shape, input, sums, weights, biases } = stage;
    const span = shape.kernelWidth * shape.inputs;
    for (let y = 0; y < sums.height; y += 1) {
      const c = sums.at + 4 * (y * sums.row + MARGIN * sums.channels);
      let isFirst = true;
      for (let ky = 0; ky < shape.kernelHeight; ky += 1) {
        const from = y + ky - shape.padTop;
        if (from < 0 || from >= input.height) continue;
        const a = input.at + 4 * (from * input.row + (MARGIN - shape.padLeft) * shape.inputs);
        const b = weights.at + 4 * ky * span * shape.outputs;
        const i = isFirst ? biases.at : c;
        const iRow = isFirst ? 0 : 4 * shape.outputs;
        kernel.multiply(
          a,
          4 * shape.inputs,
          4,
          b,
          4 * shape.outputs,
          c,
          4 * shape.outputs,
          i,
          iRow,
          sums.width,
          shape.outputs,
          span,
        );
        isFirst = false;
      }
    }
  }

  function addWeightGradient({ shape, input, sumGradient, weightGradient, biasGradient }: Stage): void {
    const span = shape.kernelWidth * shape.inputs;
    for (let y = 0; y < sumGradient.height; y += 1) {
      const b = sumGradient.at + 4 * (y * sumGradient.row + MARGIN * shape.outputs);
      for (let ky = 0; ky < shape.kernelHeight; ky += 1) {
        const from = y + ky - shape.padTop;
        if (from < 0 || from >= input.height) continue;
        const a = input.at + 4 * (from * input.row + (MARGIN - shape.padLeft) * shape.inputs);
        const c = weightGradient.at + 4 * ky * span * shape.outputs;
        const row = 4 * shape.outputs;
        kernel.multiply(a, 4, 4 * shape.inputs, b, row, c, row, c, row, span, shape.outputs, sumGradient.width);
      }
      const values = sumGradient.values;
      const end = y * sumGradient.row + (MARGIN + sumGradient.width) * shape.outputs;
      for (let at = y * sumGradient.row + MARGIN * shape.outputs; at < end; at += shape.outputs)
        for (let output = 0; output < shape.outputs; output += 1) biasGradient.values[output]! += values[at + output]!;
    }
  }

  function passBack({ shape, sumGradient, inputGradient, mirrored }: Stage): void {
    const span = shape.kernelWidth * shape.outputs;
    const reach = shape.kernelWidth - 1 - shape.padLeft;
    for (let y = 0; y < inputGradient.height; y += 1) {
      const c = inputGradient.at + 4 * (y * inputGradient.row + MARGIN * shape.inputs);
      let isFirst = true;
      for (let ky = 0; ky < shape.kernelHeight; ky += 1) {
        const from = y + shape.padTop - ky;
        if (from < 0 || from >= sumGradient.height) continue;
        const a = sumGradient.at + 4 * (from * sumGradient.row + (MARGIN - reach) * shape.outputs);
        const b = mirrored.at + 4 * ky * span * shape.inputs;
        const i = isFirst ? zeros.at : c;
        const row = 4 * shape.inputs;
        kernel.multiply(
          a,
          4 * shape.outputs,
          4,
          b,
          row,
          c,
          row,
          i,
          isFirst ? 0 : row,
          inputGradient.width,
          shape.inputs,
          span,
        );
        isFirst = false;
      }
    }
  }

  return {
    parameters: parameters.values,
    gradient: gradient.values,
    width,
    forward(ink) {
      for (let y = 0; y < LINE_HEIGHT; y += 1)
        first.input.values.set(ink.subarray(y * width, (y + 1) * width), y * first.input.row + MARGIN);
      for (const stage of stages) {
        convolve(stage);
        if (stage.shape.pool) poolForward(stage.sums, stage.output, stage.shape.pool);
      }
      return last.sums.values.subarray(MARGIN * PADDED_CLASSES, (MARGIN + last.sums.width) * PADDED_CLASSES);
    },
    backward(byOutput) {
      last.sumGradient.values.set(byOutput, MARGIN * PADDED_CLASSES);
      for (let index = stages.length - 1; index >= 0; index -= 1) {
        const stage = stages[index]!;
        if (stage.shape.pool)
          poolBackward(stage.sums, stage.output, stage.outputGradient, stage.sumGradient, stage.shape.pool);
        addWeightGradient(stage);
        if (index > 0) passBack(stage);
      }
    },
    refresh() {
      for (const { shape, weights, mirrored } of stages) mirrorKernel(shape, weights.values, mirrored.values);
    },
  };
}

function createStages(kernel: Kernel, width: number, parameters: Block, gradient: Block): Stage[] {
  const stages: Stage[] = [];
  let input = makeMaps(kernel, LINE_HEIGHT, width, 1);
  let inputGradient = input;
  let offset = 0;
  for (const shape of LAYERS) {
    const weightCount = countWeights(shape);
    const part = (block: Block, from: number, length: number): Block => ({
      at: block.at + 4 * from,
      values: block.values.subarray(from, from + length),
    });
    const height = input.height + shape.padTop + shape.padBottom - shape.kernelHeight + 1;
    const sums = makeMaps(kernel, height, input.width, shape.outputs);
    const sumGradient = makeMaps(kernel, height, input.width, shape.outputs);
    const [poolHeight, poolWidth] = shape.pool ?? [1, 1];
    const output = shape.pool ? makeMaps(kernel, height / poolHeight, input.width / poolWidth, shape.outputs) : sums;
    const outputGradient = shape.pool ? makeMaps(kernel, output.height, output.width, shape.outputs) : sumGradient;
    stages.push({
      shape,
      weights: part(parameters, offset, weightCount),
      biases: part(parameters, offset + weightCount, shape.outputs),
      weightGradient: part(gradient, offset, weightCount),
      biasGradient: part(gradient, offset + weightCount, shape.outputs),
      mirrored: kernel.allocate(weightCount),
      input,
      inputGradient,
      sums,
      sumGradient,
      output,
      outputGradient,
    });
    offset += weightCount + shape.outputs;
    input = output;
    inputGradient = outputGradient;
  }
  return stages;
}

function mirrorKernel(shape: LayerShape, weights: Float32Array, mirrored: Float32Array): void {
  const { kernelHeight, kernelWidth, inputs, outputs } = shape;
  for (let ky = 0; ky < kernelHeight; ky += 1)
    for (let kx = 0; kx < kernelWidth; kx += 1)
      for (let input = 0; input < inputs; input += 1)
        for (let output = 0; output < outputs; output += 1)
          mirrored[((ky * kernelWidth + (kernelWidth - 1 - kx)) * outputs + output) * inputs + input] =
            weights[((ky * kernelWidth + kx) * inputs + input) * outputs + output]!;
}
