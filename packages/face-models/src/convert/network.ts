// Builds the graph of an image network layer by layer, in the terms of ONNX and with TensorFlow's padding.
import { compact, encodeFloat32, encodeSteps, FINE, type StepType, splitSteps } from './encode-values.ts';
import { ELEMENT_TYPES, type OnnxNode, type OnnxTensor, writeOnnx } from './onnx-writer.ts';
import type { Weight } from './tfjs-weights.ts';

/** A square stack of feature maps, or a plain vector when its side is 1. */
export interface Layer {
  name: string;
  side: number;
}

export interface ConvolutionOptions {
  /** Height, width, inputs, outputs; or height, width, channels, 1 where each channel is filtered for itself. */
  filter: Weight;
  perChannel?: boolean;
  bias?: Weight;
  stride?: number;
}

export interface Network {
  input: Layer;
  convolve(name: string, from: Layer, options: ConvolutionOptions): Layer;
  relu(from: Layer): Layer;
  /** Between 0 and 6. */
  relu6(from: Layer): Layer;
  add(name: string, first: Layer, second: Layer): Layer;
  maxPool(name: string, from: Layer, kernel: number, stride: number): Layer;
  average(from: Layer): Layer;
  /** The kernel has inputs × outputs values. */
  connect(name: string, from: Layer, kernel: Weight, bias: Weight): Layer;
  softmax(name: string, from: Layer): Layer;
  write(output: Layer, outputSize: number): Uint8Array;
}

export interface NetworkOptions {
  name: string;
  side: number;
}

/**
 * Float weights of so many values and more are stored in so many bits and widened when the model is loaded: a third of
 * the size, all work in 32 bits. The larger a layer of faceres-deep, the less its rounding shows: docs/models.md has
 * the figures. Smaller ones come early or filter channels for themselves, and stay as they are.
 */
const BITS_BY_VALUES: readonly (readonly [number, 8 | 10 | 16])[] = [
  [500_000, 8],
  [200_000, 10],
  [10_000, 16],
];

const FLOAT = ELEMENT_TYPES.float32;

export function createNetwork({ name: graphName, side }: NetworkOptions): Network {
  const nodes: OnnxNode[] = [];
  const tensors: OnnxTensor[] = [];

  function addNode(output: string, operator: string, inputs: string[], attributes?: OnnxNode['attributes']): string {
    nodes.push({ operator, inputs, output, ...(attributes && { attributes }) });
    return output;
  }

  function addFloats(name: string, dims: readonly number[], values: Float32Array): string {
    tensors.push({ name, dims, type: 'float32', data: encodeFloat32(values) });
    return name;
  }

  /** Runtimes compute what follows from constants once, when they load the model. */
  function addWeight(name: string, weight: Weight, dims: readonly number[]): string {
    if (weight.kind === 'uint8') {
      tensors.push({ name: `${name}/bytes`, dims, type: 'uint8', data: weight.values });
      addNode(`${name}/wide`, 'Cast', [`${name}/bytes`], { to: FLOAT });
      const zero = addFloats(`${name}/zero`, [], Float32Array.of(weight.zeroPoint));
      const scale = addFloats(`${name}/scale`, [], Float32Array.of(weight.scale));
      addNode(`${name}/centred`, 'Sub', [`${name}/wide`, zero]);
      return addNode(name, 'Mul', [`${name}/centred`, scale]);
    }
    const bits = BITS_BY_VALUES.find(([least]) => weight.values.length >= least)?.[1];
    if (bits === undefined) return addFloats(name, dims, weight.values);
    // Outputs come first in a filter and last in a kernel.
    const isFilter = dims.length === 4;
    const outputs = isFilter ? dims[0]! : dims[1]!;
    const perOutput = weight.values.length / outputs;
    const channelOf = isFilter ? (index: number) => Math.floor(index / perOutput) : (index: number) => index % outputs;
    const { steps, factors } = compact(weight.values, bits, outputs, channelOf);
    const factor = addFloats(`${name}/factor`, isFilter ? [outputs, 1, 1, 1] : [1, outputs], factors);
    if (bits !== 10) return addNode(name, 'Mul', [addSteps(name, dims, steps, bits === 8 ? 'int8' : 'int16'), factor]);
    const { coarse, fine } = splitSteps(steps);
    const ratio = addFloats(`${name}/ratio`, [], Float32Array.of(FINE));
    addNode(`${name}/scaled`, 'Mul', [addSteps(`${name}/coarse`, dims, coarse, 'int8'), ratio]);
    addNode(`${name}/whole`, 'Add', [`${name}/scaled`, addSteps(`${name}/fine`, dims, fine, 'int8')]);
    return addNode(name, 'Mul', [`${name}/whole`, factor]);
  }

  function addSteps(name: string, dims: readonly number[], steps: Int16Array, type: StepType): string {
    tensors.push({ name: `${name}/steps`, dims, type, data: encodeSteps(steps, type) });
    return addNode(`${name}/wide`, 'Cast', [`${name}/steps`], { to: FLOAT });
  }

  function addBias(name: string, bias: Weight): string {
    if (bias.kind !== 'float32') throw new Error(`${name} must not be quantised`);
    return addFloats(name, [bias.values.length], bias.values);
  }

  return {
    input: { name: 'input', side },
    convolve(name, from, { filter, perChannel = false, bias, stride = 1 }) {
      const [kernel, width, second, last] = expectFour(name, filter.shape);
      if (kernel !== width || (perChannel && last !== 1)) throw new Error(`${name} has a filter of an unknown form`);
      const dims = perChannel ? [second, 1, kernel, kernel] : [last, second, kernel, kernel];
      const order = perChannel ? [2, 3, 0, 1] : [3, 2, 0, 1];
      const weight = addWeight(`${name}/filter`, reorder(filter, order), dims);
      const inputs = [from.name, weight, ...(bias ? [addBias(`${name}/bias`, bias)] : [])];
      const { pads, side: nextSide } = padAsTensorFlow(from.side, kernel, stride);
      addNode(name, 'Conv', inputs, {
        kernel_shape: [kernel, kernel],
        strides: [stride, stride],
        pads,
        group: perChannel ? second : 1,
      });
      return { name, side: nextSide };
    },
    relu: (from) => ({ name: addNode(`${from.name}/relu`, 'Relu', [from.name]), side: from.side }),
    relu6(from) {
      if (!tensors.some((tensor) => tensor.name === 'six')) {
        addFloats('zero', [], Float32Array.of(0));
        addFloats('six', [], Float32Array.of(6));
      }
      return { name: addNode(`${from.name}/relu6`, 'Clip', [from.name, 'zero', 'six']), side: from.side };
    },
    add: (name, first, second) => ({ name: addNode(name, 'Add', [first.name, second.name]), side: first.side }),
    maxPool(name, from, kernel, stride) {
      const { pads, side: nextSide } = padAsTensorFlow(from.side, kernel, stride);
      addNode(name, 'MaxPool', [from.name], { kernel_shape: [kernel, kernel], strides: [stride, stride], pads });
      return { name, side: nextSide };
    },
    average(from) {
      addNode('average', 'GlobalAveragePool', [from.name]);
      return { name: addNode('features', 'Flatten', ['average'], { axis: 1 }), side: 1 };
    },
    connect(name, from, kernel, bias) {
      const inputs = [from.name, addWeight(`${name}/kernel`, kernel, kernel.shape), addBias(`${name}/bias`, bias)];
      return { name: addNode(name, 'Gemm', inputs), side: 1 };
    },
    softmax: (name, from) => ({ name: addNode(name, 'Softmax', [from.name], { axis: 1 }), side: 1 }),
    write: (output, outputSize) =>
      writeOnnx({
        name: graphName,
        nodes,
        tensors,
        // Several images at once: a face and its mirror image.
        input: { name: 'input', dims: ['images', 3, side, side] },
        output: { name: output.name, dims: ['images', outputSize] },
      }),
  };
}

/** TensorFlow's "SAME": as many steps as fit, what is missing is added half on each side, the odd one at the end. */
function padAsTensorFlow(side: number, kernel: number, stride: number): { pads: number[]; side: number } {
  const steps = Math.ceil(side / stride);
  const total = Math.max(0, (steps - 1) * stride + kernel - side);
  const before = Math.floor(total / 2);
  return { pads: [before, before, total - before, total - before], side: steps };
}

function expectFour(name: string, shape: readonly number[]): [number, number, number, number] {
  const [first, second, third, fourth] = shape;
  if (shape.length !== 4) throw new Error(`${name} has a filter of ${shape.length} dimensions`);
  return [first!, second!, third!, fourth!];
}

function reorder(weight: Weight, order: readonly number[]): Weight {
  const sizes = order.map((axis) => weight.shape[axis]!);
  const strides = order.map((axis) => weight.shape.slice(axis + 1).reduce((product, size) => product * size, 1));
  const values = weight.values.slice();
  let at = 0;
  for (let a = 0; a < sizes[0]!; a += 1)
    for (let b = 0; b < sizes[1]!; b += 1)
      for (let c = 0; c < sizes[2]!; c += 1)
        for (let d = 0; d < sizes[3]!; d += 1) {
          values[at] = weight.values[a * strides[0]! + b * strides[1]! + c * strides[2]! + d * strides[3]!]!;
          at += 1;
        }
  return { ...weight, shape: sizes, values } as Weight;
}
