// Builds an image network layer by layer in ONNX, with TensorFlow's padding.
import { compact, encodeFloat32, encodeSteps, FINE, type StepType, splitSteps } from './encode-values.ts';
import { ELEMENT_TYPES, type OnnxNode, type OnnxTensor, writeOnnx } from './onnx-writer.ts';
import type { Weight } from './tfjs-weights.ts';

/** Square feature maps, or a vector if the side is 1. */
export interface Layer {
  name: string;
  side: number;
}

export interface ConvolutionOptions {
  /** Height, width, inputs, outputs; for depthwise filters height, width, channels, 1. */
  filter: Weight;
  perChannel?: boolean;
  bias?: Weight;
  stride?: number;
}

/**
 * Minimum number of float weights for each storage width. They are widened on load: a third of the
 * size, all computation in 32 bits. Rounding matters less in larger layers of faceres-deep: see
 * lab/results/models.md. Smaller tensors are in early or depthwise layers and stay floats.
 */
const BITS_BY_VALUES: readonly (readonly [number, 8 | 10 | 16])[] = [
  [500_000, 8],
  [200_000, 10],
  [10_000, 16],
];

const FLOAT = ELEMENT_TYPES.float32;

export class Network {
  readonly input: Layer;
  readonly #name: string;
  readonly #nodes: OnnxNode[] = [];
  readonly #tensors: OnnxTensor[] = [];

  constructor({ name, side }: { name: string; side: number }) {
    this.input = { name: 'input', side };
    this.#name = name;
  }

  convolve(name: string, from: Layer, { filter, perChannel = false, bias, stride = 1 }: ConvolutionOptions): Layer {
    const [kernel, width, second, last] = expectFour(name, filter.shape);
    if (kernel !== width || (perChannel && last !== 1)) throw new Error(`${name} has a filter of an unknown form`);
    const dims = perChannel ? [second, 1, kernel, kernel] : [last, second, kernel, kernel];
    const order = perChannel ? [2, 3, 0, 1] : [3, 2, 0, 1];
    const weight = this.#addWeight(`${name}/filter`, reorder(filter, order), dims);
    const inputs = [from.name, weight, ...(bias ? [this.#addBias(`${name}/bias`, bias)] : [])];
    const { pads, side } = padAsTensorFlow(from.side, kernel, stride);
    const strides = [stride, stride];
    this.#addNode(name, 'Conv', inputs, {
      kernel_shape: [kernel, kernel],
      strides,
      pads,
      group: perChannel ? second : 1,
    });
    return { name, side };
  }

  relu({ name, side }: Layer): Layer {
    return { name: this.#addNode(`${name}/relu`, 'Relu', [name]), side };
  }

  /** Clips values to 0 to 6. */
  relu6({ name, side }: Layer): Layer {
    if (!this.#tensors.some((tensor) => tensor.name === 'six')) {
      this.#addFloats('zero', [], Float32Array.of(0));
      this.#addFloats('six', [], Float32Array.of(6));
    }
    return { name: this.#addNode(`${name}/relu6`, 'Clip', [name, 'zero', 'six']), side };
  }

  add(name: string, first: Layer, second: Layer): Layer {
    return { name: this.#addNode(name, 'Add', [first.name, second.name]), side: first.side };
  }

  maxPool(name: string, from: Layer, kernel: number, stride: number): Layer {
    const { pads, side } = padAsTensorFlow(from.side, kernel, stride);
    this.#addNode(name, 'MaxPool', [from.name], { kernel_shape: [kernel, kernel], strides: [stride, stride], pads });
    return { name, side };
  }

  average(from: Layer): Layer {
    this.#addNode('average', 'GlobalAveragePool', [from.name]);
    return { name: this.#addNode('features', 'Flatten', ['average'], { axis: 1 }), side: 1 };
  }

  /** Fully connected layer. The kernel has inputs × outputs values. */
  connect(name: string, from: Layer, kernel: Weight, bias: Weight): Layer {
    const weight = this.#addWeight(`${name}/kernel`, kernel, kernel.shape);
    return { name: this.#addNode(name, 'Gemm', [from.name, weight, this.#addBias(`${name}/bias`, bias)]), side: 1 };
  }

  softmax(name: string, from: Layer): Layer {
    return { name: this.#addNode(name, 'Softmax', [from.name], { axis: 1 }), side: 1 };
  }

  write(output: Layer, outputSize: number): Uint8Array {
    const { side } = this.input;
    return writeOnnx({
      name: this.#name,
      nodes: this.#nodes,
      tensors: this.#tensors,
      // Several images at once, such as a face and its mirror image.
      input: { name: 'input', dims: ['images', 3, side, side] },
      output: { name: output.name, dims: ['images', outputSize] },
    });
  }

  #addNode(output: string, operator: string, inputs: string[], attributes?: OnnxNode['attributes']): string {
    this.#nodes.push({ operator, inputs, output, ...(attributes && { attributes }) });
    return output;
  }

  #addFloats(name: string, dims: readonly number[], values: Float32Array): string {
    this.#tensors.push({ name, dims, type: 'float32', data: encodeFloat32(values) });
    return name;
  }

  /** Runtimes compute nodes with constant inputs once on load. */
  #addWeight(name: string, weight: Weight, dims: readonly number[]): string {
    if (weight.kind === 'uint8') {
      this.#tensors.push({ name: `${name}/bytes`, dims, type: 'uint8', data: weight.values });
      this.#addNode(`${name}/wide`, 'Cast', [`${name}/bytes`], { to: FLOAT });
      const zero = this.#addFloats(`${name}/zero`, [], Float32Array.of(weight.zeroPoint));
      const scale = this.#addFloats(`${name}/scale`, [], Float32Array.of(weight.scale));
      this.#addNode(`${name}/centred`, 'Sub', [`${name}/wide`, zero]);
      return this.#addNode(name, 'Mul', [`${name}/centred`, scale]);
    }
    const bits = BITS_BY_VALUES.find(([least]) => weight.values.length >= least)?.[1];
    if (bits === undefined) return this.#addFloats(name, dims, weight.values);
    // Outputs come first in a filter and last in a kernel.
    const isFilter = dims.length === 4;
    const outputs = isFilter ? dims[0]! : dims[1]!;
    const perOutput = weight.values.length / outputs;
    const channelOf = isFilter ? (index: number) => Math.floor(index / perOutput) : (index: number) => index % outputs;
    const { steps, factors } = compact(weight.values, bits, outputs, channelOf);
    const factor = this.#addFloats(`${name}/factor`, isFilter ? [outputs, 1, 1, 1] : [1, outputs], factors);
    if (bits !== 10)
      return this.#addNode(name, 'Mul', [this.#addSteps(name, dims, steps, bits === 8 ? 'int8' : 'int16'), factor]);
    const { coarse, fine } = splitSteps(steps);
    const ratio = this.#addFloats(`${name}/ratio`, [], Float32Array.of(FINE));
    this.#addNode(`${name}/scaled`, 'Mul', [this.#addSteps(`${name}/coarse`, dims, coarse, 'int8'), ratio]);
    this.#addNode(`${name}/whole`, 'Add', [`${name}/scaled`, this.#addSteps(`${name}/fine`, dims, fine, 'int8')]);
    return this.#addNode(name, 'Mul', [`${name}/whole`, factor]);
  }

  #addSteps(name: string, dims: readonly number[], steps: Int16Array, type: StepType): string {
    this.#tensors.push({ name: `${name}/steps`, dims, type, data: encodeSteps(steps, type) });
    return this.#addNode(`${name}/wide`, 'Cast', [`${name}/steps`], { to: FLOAT });
  }

  #addBias(name: string, bias: Weight): string {
    if (bias.kind !== 'float32') throw new Error(`${name} must not be quantized`);
    return this.#addFloats(name, [bias.values.length], bias.values);
  }
}

/** TensorFlow's "SAME" padding: half on each side, with the odd pixel at the end. */
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
