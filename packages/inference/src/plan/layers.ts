// Plans the other layers on feature maps.
import { PANEL } from '../kernel/kernel.ts';
import type { GraphNode } from '../onnx/read-graph.ts';
import { findNumber, findNumbers, sigmoid } from '../plain/operators.ts';
import { countValues, isSameShape, refuse, type Tensor, type Values } from '../tensor.ts';
import { type Activation, leaveAsItIs } from './activation.ts';
import { readSliding } from './convolution.ts';
import { type Constant, type Maps, makeRoom, type Plain, type Planned, padChannels } from './values.ts';
import { countPanels, packWeights } from './weights.ts';
import { spreadOverChannels, type Workshop } from './workshop.ts';

/** Sums and products with a map of the same size or one value per channel. */
export function planPixels(
  shop: Workshop,
  operator: 'Add' | 'Mul',
  first: Maps,
  second: Maps | Constant,
  { slopesAt, most }: Activation,
): Planned<Maps> {
  const [images, channels, height, width] = first.dims;
  const { pixelBytes } = first;
  const isWhole = second.kind === 'maps' && isSameShape(first.dims, second.dims);
  const isGate = second.kind === 'maps' && isSameShape([images, channels, 1, 1], second.dims);
  if (second.kind === 'maps' && !isWhole && !isGate) refuse('the shapes of two values do not fit');
  const secondAt = second.kind === 'maps' ? second.at : shop.keepValues(spreadOverChannels(second, channels));
  const output = shop.takeMaps(first.dims);
  const kernel = operator === 'Add' ? shop.kernel.addPixels : shop.kernel.multiplyPixels;
  const pixels = height * width;
  const step = () => {
    for (let image = 0; image < images; image += 1) {
      const at = image * pixels * pixelBytes;
      const besideAt = secondAt + (isWhole ? at : isGate ? image * pixelBytes : 0);
      kernel(
        ...([first.at + at, besideAt, isWhole ? pixelBytes : 0, output.at + at] as const),
        ...([pixels, pixelBytes, slopesAt, most] as const),
      );
    }
  };
  return { output, step, scratch: [] };
}

export function planActivation(shop: Workshop, input: Maps, activation: Activation): Planned<Maps> {
  const nothing: Constant = {
    ...{ kind: 'constant', dims: [], read: () => ({ dims: [], values: Float32Array.of(0) }) },
  };
  return planPixels(shop, 'Add', input, nothing, activation);
}

export function planMaximum(shop: Workshop, node: GraphNode, input: Maps): Planned<Maps> {
  const [images, channels, height, width] = input.dims;
  if (findNumber(node, 'ceil_mode', 0) !== 0) refuse('it rounds the size of pools up');
  const { kernelHeight, kernelWidth, strideY, strideX, dilation, padTop, padLeft, outHeight, outWidth } = readSliding(
    node,
    findNumbers(node, 'kernel_shape') ?? [],
    height,
    width,
  );
  const { pixelBytes } = input;
  const output = shop.takeMaps([images, channels, outHeight, outWidth]);
  const step = () => {
    for (let image = 0; image < images; image += 1)
      for (let row = 0; row < outHeight; row += 1)
        shop.kernel.maximum(
          ...([input.at + image * height * width * pixelBytes, height, width, pixelBytes] as const),
          ...([kernelHeight, kernelWidth, strideX, dilation, row * strideY - padTop, -padLeft, outWidth] as const),
          ...([output.at + (image * outHeight + row) * outWidth * pixelBytes] as const),
        );
  };
  return { output, step, scratch: [] };
}

export function planMean(shop: Workshop, input: Maps): Planned<Maps> {
  const [images, channels, height, width] = input.dims;
  const { pixelBytes } = input;
  const output = shop.takeMaps([images, channels, 1, 1]);
  const step = () => {
    for (let image = 0; image < images; image += 1) {
      const fromAt = input.at + image * height * width * pixelBytes;
      shop.kernel.mean(fromAt, height * width, pixelBytes, output.at + image * pixelBytes);
    }
  };
  return { output, step, scratch: [] };
}

export function planSigmoid(shop: Workshop, input: Maps): Planned<Maps> {
  const output = shop.takeMaps(input.dims);
  const [images, , height, width] = input.dims;
  const count = (images * height * width * input.pixelBytes) / 4;
  const step = () => {
    const floats = shop.floats();
    for (let at = 0; at < count; at += 1) floats[output.at / 4 + at] = sigmoid(floats[input.at / 4 + at]!);
  };
  return { output, step, scratch: [] };
}

/** Concatenates channels. All inputs but the last fill their panels, so that each is contiguous. */
export function planJoin(shop: Workshop, inputs: readonly Maps[]): Planned<Maps> | undefined {
  const [images, , height, width] = inputs[0]!.dims;
  const isFit = inputs.every(
    ({ dims }, index) =>
      isSameShape([dims[0], dims[2], dims[3]], [images, height, width]) &&
      (dims[1] % PANEL === 0 || index === inputs.length - 1),
  );
  if (!isFit) return undefined;
  const output = shop.takeMaps([images, inputs.reduce((sum, { dims }) => sum + dims[1], 0), height, width]);
  const pixels = images * height * width;
  const step = () => {
    const floats = shop.floats();
    for (let pixel = 0, to = output.at / 4; pixel < pixels; pixel += 1)
      for (const { at, pixelBytes } of inputs) {
        const length = pixelBytes / 4;
        const from = at / 4 + pixel * length;
        for (let channel = 0; channel < length; channel += 1) floats[to + channel] = floats[from + channel]!;
        to += length;
      }
  };
  return { output, step, scratch: [] };
}

/** Multiplies rows of plain values with a constant matrix. */
export function planMatrix(
  shop: Workshop,
  input: Plain,
  { weights, isTurned, bias }: { weights: Constant; isTurned: boolean; bias: Tensor | undefined },
): Planned<Plain> {
  const { dims } = weights;
  const inputs = input.dims.at(-1) ?? 0;
  const [rows, outputs] = [countValues(input.dims) / inputs, dims[isTurned ? 0 : 1] ?? 0];
  if (dims.length !== 2 || dims[isTurned ? 1 : 0] !== inputs || !(rows >= 1 && inputs >= 1 && outputs >= 1))
    refuse('a matrix does not fit its input');
  const added = bias ? readBias(bias, outputs) : 0;
  const rowLength = padChannels(inputs);
  const weightsAt = packWeights(shop, weights, {
    outputs,
    outputStep: isTurned ? inputs : 1,
    inputs,
    inputStep: isTurned ? 1 : outputs,
    places: 1,
    paddedInputs: rowLength,
    rowLength,
    axis: isTurned ? 0 : 1,
  });
  const biasAt = typeof added === 'number' ? shop.keepUniform(added, outputs) : shop.keepValues(added);
  const { slopesAt, most } = leaveAsItIs(shop, outputs);
  const outLength = padChannels(outputs);
  const [fromAt, outAt] = [shop.arena.take(rows * rowLength * 4), shop.arena.take(rows * outLength * 4)];
  const output = shop.makePlain([...input.dims.slice(0, -1), outputs]);
  const step = () => {
    const floats = shop.floats();
    const values = input.current!;
    for (let row = 0; row < rows; row += 1) {
      const to = fromAt / 4 + row * rowLength;
      floats.fill(0, to, to + rowLength);
      floats.set(values.subarray(row * inputs, (row + 1) * inputs), to);
    }
    shop.kernel.multiply(
      ...([fromAt, rowLength * 4, rows, rowLength * 4, weightsAt, countPanels(outputs)] as const),
      ...([biasAt, slopesAt, outAt, outLength * 4, most] as const),
    );
    const result = new Float32Array(rows * outputs);
    for (let row = 0; row < rows; row += 1) {
      const from = outAt / 4 + row * outLength;
      result.set(floats.subarray(from, from + outputs), row * outputs);
    }
    output.current = result;
  };
  return { output, step, scratch: [fromAt, outAt] };
}

/** Returns one value, or one per column. Values per row are not supported. */
function readBias({ dims, values }: Tensor, outputs: number): number | Values {
  if (values.length === 1 && dims.length <= 2) return values[0]!;
  const isRow = isSameShape(dims, [outputs]) || isSameShape(dims, [1, outputs]);
  return isRow ? values : refuse('a bias does not fit its matrix');
}

/** Converts feature maps to plain values, with the channels first or last. */
export function planPlain(shop: Workshop, input: Maps, channelsLast: boolean): Planned<Plain> {
  const [images, channels, height, width] = input.dims;
  const dims = channelsLast ? [images, height, width, channels] : [images, channels, height, width];
  const output = shop.makePlain(dims);
  output.isCopy = true;
  const pixels = height * width;
  const [perPixel, perChannel] = channelsLast ? [channels, 1] : [1, pixels];
  const step = () => {
    const floats = shop.floats();
    const values = makeRoom(output);
    for (let image = 0; image < images; image += 1)
      for (let pixel = 0; pixel < pixels; pixel += 1) {
        const from = (input.at + (image * pixels + pixel) * input.pixelBytes) / 4;
        const to = image * pixels * channels + pixel * perPixel;
        for (let channel = 0; channel < channels; channel += 1)
          values[to + channel * perChannel] = floats[from + channel]!;
      }
    output.current = values;
  };
  return { output, step, scratch: [] };
}

/** Converts plain values to maps. Clears the padding, because memory is reused. */
export function planMaps(shop: Workshop, input: Plain): Planned<Maps> {
  const dims = input.dims as Maps['dims'];
  const [images, channels, height, width] = dims;
  const output = shop.takeMaps(dims);
  const [pixels, padded] = [height * width, padChannels(channels)];
  const step = () => {
    const maps = shop.floats().subarray(output.at / 4, output.at / 4 + images * pixels * padded);
    const values = input.current!;
    maps.fill(0);
    for (let plane = 0, from = 0; plane < images * channels; plane += 1) {
      const to = Math.floor(plane / channels) * pixels * padded + (plane % channels);
      for (let pixel = 0; pixel < pixels; pixel += 1, from += 1) maps[to + pixel * padded] = values[from]!;
    }
  };
  return { output, step, scratch: [] };
}
