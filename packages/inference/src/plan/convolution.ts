// Plans convolutions: as matrix products, or depthwise.
import type { GraphNode } from '../onnx/read-graph.ts';
import { findNumber, findNumbers } from '../plain/operators.ts';
import { isSameShape, refuse, type Tensor } from '../tensor.ts';
import type { Activation } from './activation.ts';
import { type Constant, type Maps, type Plain, type Planned, padChannels } from './values.ts';
import { countPanels, packWeights } from './weights.ts';
import { settle, type Workshop } from './workshop.ts';

/** A window and its movement over maps. */
export interface Sliding {
  kernelHeight: number;
  kernelWidth: number;
  strideY: number;
  strideX: number;
  dilation: number;
  padTop: number;
  padLeft: number;
  outHeight: number;
  outWidth: number;
}

/** Part of the input that stays in the processor's cache while its outputs are computed. */
const BLOCK_BYTES = 96 * 1024;

export function readSliding(node: GraphNode, kernel: readonly number[], height: number, width: number): Sliding {
  const [kernelHeight, kernelWidth] = expectTwo(kernel);
  const [strideY, strideX] = expectTwo(findNumbers(node, 'strides') ?? [1, 1]);
  const dilations = expectTwo(findNumbers(node, 'dilations') ?? [1, 1]);
  const [dilation] = dilations;
  if (dilation !== dilations[1]) refuse('it has windows with uneven dilation');
  const sizes = [kernelHeight, kernelWidth, strideY, strideX, dilation];
  const [padsY, padsX] = [
    findPadding(node, height, (kernelHeight - 1) * dilation + 1, strideY),
    findPadding(node, width, (kernelWidth - 1) * dilation + 1, strideX),
  ];
  const given = findNumbers(node, 'pads') ?? [0, 0, 0, 0];
  const pads = padsY && padsX ? [padsY[0], padsX[0], padsY[1], padsX[1]] : given;
  if (pads.length !== 4 || !sizes.every(isSize) || !pads.every((pad) => pad === 0 || isSize(pad)))
    refuse(`${node.operator} has a window of an impossible size`);
  const count = (size: number, before: number, after: number, window: number, stride: number) =>
    Math.floor((size + before + after - (window - 1) * dilation - 1) / stride) + 1;
  const outHeight = count(height, pads[0]!, pads[2]!, kernelHeight, strideY);
  const outWidth = count(width, pads[1]!, pads[3]!, kernelWidth, strideX);
  if (outHeight < 1 || outWidth < 1) refuse(`${node.operator} has a window that is larger than its input`);
  const [padTop, padLeft] = [pads[0]!, pads[1]!];
  return { kernelHeight, kernelWidth, strideY, strideX, dilation, padTop, padLeft, outHeight, outWidth };
}

/** Returns the padding if the runtime chooses it; undefined if the model does. */
function findPadding(node: GraphNode, size: number, window: number, stride: number): [number, number] | undefined {
  const total = Math.max((Math.ceil(size / stride) - 1) * stride + window - size, 0);
  const [less, more] = [Math.floor(total / 2), Math.ceil(total / 2)];
  switch (node.attributes.get('auto_pad') ?? 'NOTSET') {
    case 'NOTSET':
      return undefined;
    case 'VALID':
      return [0, 0];
    case 'SAME_UPPER':
      return [less, more];
    case 'SAME_LOWER':
      return [more, less];
    default:
      return refuse('it has an unsupported kind of automatic padding');
  }
}

const MAX_SIZE = 4096;
const isSize = (value: number) => Number.isInteger(value) && value >= 1 && value <= MAX_SIZE;

function expectTwo(sizes: readonly number[]): readonly [number, number] {
  if (sizes.length !== 2) refuse(`it has windows of ${sizes.length} dimensions`);
  return sizes as unknown as readonly [number, number];
}

export interface ConvolutionParts {
  node: GraphNode;
  input: Maps | Plain;
  weights: Constant;
  bias: Tensor | undefined;
  activation: Activation;
}

export function planConvolution(shop: Workshop, parts: ConvolutionParts): Planned<Maps> {
  const { node, input, weights, bias } = parts;
  const [images, channels, height, width] = input.dims;
  const [outputs, perGroup, ...kernel] = weights.dims;
  const groups = findNumber(node, 'group', 1);
  if (!images || !channels || !height || !width || !outputs || !perGroup)
    refuse('it convolves something that is not a picture');
  if (!isSameShape(findNumbers(node, 'kernel_shape') ?? kernel, kernel))
    refuse('a window is not as large as its weights');
  const sliding = readSliding(node, kernel, height, width);
  if (bias && bias.values.length !== outputs) refuse('a bias does not fit its convolution');
  const output = shop.takeMaps([images, outputs, sliding.outHeight, sliding.outWidth]);
  const biasAt = bias ? shop.keepValues(bias.values) : shop.keepUniform(0, outputs);
  const rest = { ...parts, sliding, output, biasAt };
  if (groups === 1 && perGroup === channels)
    return input.kind === 'maps' ? planProduct(shop, { ...rest, input }) : planFromPlanes(shop, { ...rest, input });
  if (groups === channels && outputs === channels && perGroup === 1 && input.kind === 'maps')
    return planFilter(shop, { ...rest, input });
  return refuse(`it has a convolution in ${groups} groups`);
}

type Rest<Input> = ConvolutionParts & { input: Input; sliding: Sliding; output: Maps; biasAt: number };

function planProduct(
  shop: Workshop,
  { input, weights, sliding, output, biasAt, activation }: Rest<Maps>,
): Planned<Maps> {
  const { kernel } = shop;
  const [images, channels, height, width] = input.dims;
  const { kernelHeight, kernelWidth, strideY, strideX, dilation, padTop, padLeft, outHeight, outWidth } = sliding;
  const padded = padChannels(channels);
  const places = kernelHeight * kernelWidth;
  const weightsAt = packWeights(shop, weights, {
    outputs: output.dims[1],
    outputStep: channels * places,
    inputs: channels,
    inputStep: places,
    places,
    paddedInputs: padded,
    rowLength: places * padded,
    axis: 0,
  });
  const rowBytes = places * input.pixelBytes;
  const multiply = prepareMultiply(shop, { weightsAt, biasAt, rowBytes, output, activation });
  const isDirect = places === 1 && strideY === 1 && strideX === 1 && padTop === 0 && padLeft === 0;
  if (isDirect && outHeight === height && outWidth === width) {
    const all = images * height * width;
    const block = Math.max(Math.floor(BLOCK_BYTES / rowBytes), 1);
    const step = () => {
      for (let row = 0; row < all; row += block)
        multiply(input.at + row * rowBytes, Math.min(block, all - row), output.at + row * output.pixelBytes);
    };
    return { output, step, scratch: [] };
  }
  const { scratch, multiplyImage } = planBlocks(shop, { sliding, output, rowBytes, multiply });
  const step = () => {
    for (let image = 0; image < images; image += 1) {
      const fromAt = input.at + image * height * width * input.pixelBytes;
      multiplyImage(image, (top, outAt) =>
        kernel.gather(
          ...([fromAt, height, width, input.pixelBytes, kernelHeight, kernelWidth, strideX, dilation] as const),
          ...([top, -padLeft, outWidth, outAt] as const),
        ),
      );
    }
  };
  return { output, step, scratch: [scratch] };
}

type Multiply = (fromAt: number, rows: number, outAt: number) => void;

interface Product {
  weightsAt: number;
  biasAt: number;
  rowBytes: number;
  output: Maps;
  activation: Activation;
}

function prepareMultiply(
  { kernel }: Workshop,
  { weightsAt, biasAt, rowBytes, output, activation: { slopesAt, most } }: Product,
): Multiply {
  const panels = countPanels(output.dims[1]);
  return (fromAt, rows, outAt) =>
    kernel.multiply(
      ...([fromAt, rowBytes, rows, rowBytes, weightsAt, panels] as const),
      ...([biasAt, slopesAt, outAt, output.pixelBytes, most] as const),
    );
}

/** Gathers windows in blocks that fit the cache, and multiplies each block. */
function planBlocks(
  { arena }: Workshop,
  { sliding, output, rowBytes, multiply }: { sliding: Sliding; output: Maps; rowBytes: number; multiply: Multiply },
) {
  const { strideY, padTop, outHeight, outWidth } = sliding;
  const blockRows = Math.min(Math.max(Math.floor(BLOCK_BYTES / (rowBytes * outWidth)), 1), outHeight);
  const scratch = arena.take(blockRows * outWidth * rowBytes);
  function multiplyImage(image: number, gather: (top: number, outAt: number) => void): void {
    const outAt = output.at + image * outHeight * outWidth * output.pixelBytes;
    for (let row = 0; row < outHeight; row += blockRows) {
      const rows = Math.min(blockRows, outHeight - row);
      for (let y = 0; y < rows; y += 1) gather((row + y) * strideY - padTop, scratch + y * outWidth * rowBytes);
      multiply(scratch, rows * outWidth, outAt + row * outWidth * output.pixelBytes);
    }
  }
  return { scratch, multiplyImage };
}

/** First layer: reads planar pictures with few channels, without padding them. */
function planFromPlanes(
  shop: Workshop,
  { input, weights, sliding, output, biasAt, activation }: Rest<Plain>,
): Planned<Maps> {
  const { arena, kernel } = shop;
  const [images, planes, height, width] = input.dims as [number, number, number, number];
  const { kernelHeight, kernelWidth, strideX, dilation, padLeft, outWidth } = sliding;
  const length = planes * kernelHeight * kernelWidth;
  const rowLength = Math.ceil(length / 4) * 4;
  const rowBytes = rowLength * 4;
  const weightsAt = packWeights(shop, weights, {
    outputs: output.dims[1],
    outputStep: length,
    inputs: length,
    inputStep: 1,
    places: 1,
    paddedInputs: rowLength,
    rowLength,
    axis: 0,
  });
  const size = planes * height * width;
  const planesAt = arena.take(size * 4);
  const multiply = prepareMultiply(shop, { weightsAt, biasAt, rowBytes, output, activation });
  const { scratch, multiplyImage } = planBlocks(shop, { sliding, output, rowBytes, multiply });
  const step = () => {
    const values = input.current!;
    for (let image = 0; image < images; image += 1) {
      shop.floats().set(values.subarray(image * size, (image + 1) * size), planesAt / 4);
      multiplyImage(image, (top, outAt) =>
        kernel.gatherPlanes(
          ...([planesAt, height, width, 0, kernelHeight, kernelWidth, strideX, dilation] as const),
          ...([top, -padLeft, outWidth, outAt, planes, rowBytes] as const),
        ),
      );
    }
  };
  return { output, step, scratch: [planesAt, scratch] };
}

/** Channels per kernel call. */
const GROUP = 4;

function planFilter(
  shop: Workshop,
  { input, weights, sliding, output, biasAt, activation }: Rest<Maps>,
): Planned<Maps> {
  const { arena, kernel } = shop;
  const [images, channels, height, width] = input.dims;
  const { kernelHeight, kernelWidth, strideY, strideX, dilation, padTop, padLeft, outHeight, outWidth } = sliding;
  const { pixelBytes } = input;
  const places = kernelHeight * kernelWidth;
  const weightsAt = arena.keep(places * pixelBytes);
  const packed = shop.floats().subarray(weightsAt / 4);
  const { values } = weights.read();
  if (values.length !== channels * places) refuse('weights have another number of values than their shape says');
  for (let channel = 0; channel < channels; channel += 1)
    for (let place = 0; place < places; place += 1)
      packed[(Math.floor(channel / GROUP) * places + place) * GROUP + (channel % GROUP)] = settle(
        values[channel * places + place]!,
      );
  const filter = [weightsAt, biasAt, activation.slopesAt, activation.most] as const;
  // Columns whose window is within the row. Only 3 × 3 windows have a specialized kernel.
  const isThree = kernelHeight === 3 && kernelWidth === 3 && dilation === 1;
  const first = isThree ? Math.min(Math.ceil(padLeft / strideX), outWidth) : outWidth;
  const end = isThree ? Math.min(Math.max(Math.floor((width + padLeft - 3) / strideX) + 1, first), outWidth) : outWidth;
  const zerosAt = isThree ? shop.keepUniform(0, (width * pixelBytes) / 4) : 0;
  const step = () => {
    for (let image = 0; image < images; image += 1) {
      const fromAt = input.at + image * height * width * pixelBytes;
      const rowAt = (y: number) => (y >= 0 && y < height ? fromAt + y * width * pixelBytes : zerosAt);
      for (let row = 0; row < outHeight; row += 1) {
        const top = row * strideY - padTop;
        const outAt = output.at + (image * outHeight + row) * outWidth * pixelBytes;
        const reach = (from: number, to: number) => {
          if (to <= from) return;
          kernel.filterAnywhere(
            ...([fromAt, height, width, pixelBytes, kernelHeight, kernelWidth, strideX, dilation] as const),
            ...([top, from * strideX - padLeft, to - from, outAt + from * pixelBytes] as const),
            ...filter,
          );
        };
        reach(0, first);
        reach(end, outWidth);
        if (end <= first) continue;
        const left = (first * strideX - padLeft) * pixelBytes;
        kernel.filterThree(
          ...([rowAt(top) + left, rowAt(top + 1) + left, rowAt(top + 2) + left, pixelBytes] as const),
          ...([strideX * pixelBytes, end - first, outAt + first * pixelBytes, ...filter] as const),
        );
      }
    }
  };
  return { output, step, scratch: [] };
}
