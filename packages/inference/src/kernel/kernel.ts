// The kernels as they are called: addresses and widths are bytes in the memory of the instance.

/** A window that is moved over a feature map, and the part of an output row that is asked for. */
export type Window = [
  ...[fromAt: number, height: number, width: number, pixelBytes: number],
  ...[kernelHeight: number, kernelWidth: number, strideX: number, dilation: number],
  ...[top: number, left: number, columns: number, outAt: number],
];
type Filter = [weightsAt: number, biasAt: number, slopesAt: number, most: number];
type Pixels = [
  ...[firstAt: number, secondAt: number, secondStep: number, outAt: number],
  ...[pixels: number, pixelBytes: number, slopesAt: number, most: number],
];

/** Weights of a file into the panels that are multiplied with. */
type Pack = (
  ...call: [
    ...[fromAt: number, outputs: number, outputStep: number, inputs: number, inputStep: number, places: number],
    ...[paddedInputs: number, rowLength: number, again: 0 | 1, factorsAt: number, outAt: number],
    ...[ratio: number, offset: number, least: number],
  ]
) => void;

export interface Kernel {
  packFloats: Pack;
  packBytes: Pack;
  packSignedBytes: Pack;
  packShorts: Pack;
  /** Rows times packed weights, plus the bias. */
  multiply(
    ...call: [
      ...[fromAt: number, stride: number, rows: number, inputBytes: number, weightsAt: number, panels: number],
      ...[biasAt: number, slopesAt: number, outAt: number, outStride: number, most: number],
    ]
  ): void;
  /** Every channel through a filter of its own, also where the window reaches over the edges. */
  filterAnywhere(...call: [...Window, ...Filter]): void;
  /** The same for three by three within the row; a row above or below the edge is one of zeros. */
  filterThree(
    ...call: [
      ...[aboveAt: number, hereAt: number, belowAt: number, pixelBytes: number, stepBytes: number],
      ...[columns: number, outAt: number, ...filter: Filter],
    ]
  ): void;
  maximum(...call: Window): void;
  /** Windows side by side, a row for each output column. */
  gather(...call: Window): void;
  gatherPlanes(...call: [...Window, planes: number, rowBytes: number]): void;
  addPixels(...call: Pixels): void;
  multiplyPixels(...call: Pixels): void;
  mean(...call: [fromAt: number, pixels: number, pixelBytes: number, outAt: number]): void;
}

/**
 * Channels are filled up to a multiple of this. Sixteen at once would not leave enough of the sixteen registers that x86
 * has.
 */
export const PANEL = 8;

export type KernelModule = WebAssembly.Module;

/** A function that multiplies and adds in one step, as the module without `plain` in its name does. */
const RELAXED_MODULE = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 123, 1, 123, 3, 2, 1, 0],
  ...[10, 13, 1, 11, 0, 32, 0, 32, 0, 32, 0, 253, 133, 2, 11],
];

/** Whether the browser takes relaxed SIMD. The other module computes the same in twice the time. */
export function canRelax(): boolean {
  return typeof WebAssembly !== 'undefined' && WebAssembly.validate(new Uint8Array(RELAXED_MODULE));
}

export function instantiateKernel(module: KernelModule, memory: WebAssembly.Memory): Kernel {
  return new WebAssembly.Instance(module, { host: { memory } }).exports as unknown as Kernel;
}
