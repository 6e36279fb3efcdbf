// Signatures of the kernels. Addresses and widths are bytes in the instance's memory.

/** A sliding window over a feature map, and the requested part of an output row. */
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
  /** Multiplies rows with packed weights and adds the bias. */
  multiply(
    ...call: [
      ...[fromAt: number, stride: number, rows: number, inputBytes: number, weightsAt: number, panels: number],
      ...[biasAt: number, slopesAt: number, outAt: number, outStride: number, most: number],
    ]
  ): void;
  /** Depthwise filter whose window may exceed the edges. */
  filterAnywhere(...call: [...Window, ...Filter]): void;
  /** Depthwise 3 × 3 filter within the row. Rows beyond the edge are zero. */
  filterThree(
    ...call: [
      ...[aboveAt: number, hereAt: number, belowAt: number, pixelBytes: number, stepBytes: number],
      ...[columns: number, outAt: number, ...filter: Filter],
    ]
  ): void;
  maximum(...call: Window): void;
  /** Gathers windows into a matrix, one row per output column. */
  gather(...call: Window): void;
  gatherPlanes(...call: [...Window, planes: number, rowBytes: number]): void;
  addPixels(...call: Pixels): void;
  multiplyPixels(...call: Pixels): void;
  mean(...call: [fromAt: number, pixels: number, pixelBytes: number, outAt: number]): void;
}

/** Channels are padded to a multiple of this. Sixteen would need more x86 registers. */
export const PANEL = 8;

export type KernelModule = WebAssembly.Module;

/** A function with a fused multiply-add, as used by the module without `plain` in its name. */
const RELAXED_MODULE = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 123, 1, 123, 3, 2, 1, 0],
  ...[10, 13, 1, 11, 0, 32, 0, 32, 0, 32, 0, 253, 133, 2, 11],
];

/** Returns whether the browser supports relaxed SIMD. The plain module takes twice as long. */
export function canRelax(): boolean {
  return typeof WebAssembly !== 'undefined' && WebAssembly.validate(new Uint8Array(RELAXED_MODULE));
}

export function instantiateKernel(module: KernelModule, memory: WebAssembly.Memory): Kernel {
  return new WebAssembly.Instance(module, { host: { memory } }).exports as unknown as Kernel;
}
