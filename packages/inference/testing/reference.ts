// Naive implementations of the layers, as a reference for the kernels.
export interface Picture {
  /** Images, channels, height, width. */
  dims: readonly [number, number, number, number];
  values: Float32Array;
}

export interface Windowed {
  kernel: readonly [height: number, width: number];
  strides: readonly [y: number, x: number];
  /** Top, left, bottom, right. */
  pads: readonly [number, number, number, number];
  dilation: number;
}

const at = ({ dims: [, channels, height, width], values }: Picture, n: number, c: number, y: number, x: number) =>
  y >= 0 && y < height && x >= 0 && x < width ? values[((n * channels + c) * height + y) * width + x]! : undefined;

function mapPicture(dims: Picture['dims'], make: (n: number, c: number, y: number, x: number) => number): Picture {
  const values: number[] = [];
  const [images, channels, height, width] = dims;
  for (let n = 0; n < images; n += 1)
    for (let c = 0; c < channels; c += 1)
      for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) values.push(make(n, c, y, x));
  return { dims, values: Float32Array.from(values) };
}

function slide({ dims }: Picture, channels: number, { kernel, strides, pads, dilation }: Windowed): Picture['dims'] {
  const count = (size: number, before: number, after: number, window: number, stride: number) =>
    Math.floor((size + before + after - (window - 1) * dilation - 1) / stride) + 1;
  return [
    ...([dims[0], channels, count(dims[2], pads[0], pads[2], kernel[0], strides[0])] as const),
    count(dims[3], pads[1], pads[3], kernel[1], strides[1]),
  ];
}

/** Calls back for every position of a window with its value. */
function look(
  input: Picture,
  place: { n: number; c: number; y: number; x: number },
  { kernel, strides, pads, dilation }: Windowed,
  see: (value: number | undefined, ky: number, kx: number) => void,
): void {
  for (let ky = 0; ky < kernel[0]; ky += 1)
    for (let kx = 0; kx < kernel[1]; kx += 1) {
      const y = place.y * strides[0] - pads[0] + ky * dilation;
      const x = place.x * strides[1] - pads[1] + kx * dilation;
      see(at(input, place.n, place.c, y, x), ky, kx);
    }
}

/** Each output reads as many channels of its group as the weights have. */
export function convolve(
  input: Picture,
  weights: Picture,
  bias: Float32Array | undefined,
  windowed: Windowed & { group: number },
): Picture {
  const [outputs, perGroup] = weights.dims;
  return mapPicture(slide(input, outputs, windowed), (n, output, y, x) => {
    let sum = bias?.[output] ?? 0;
    const first = Math.floor(output / (outputs / windowed.group)) * perGroup;
    for (let c = 0; c < perGroup; c += 1)
      look(input, { n, c: first + c, y, x }, windowed, (value = 0, ky, kx) => {
        sum += value * at(weights, output, c, ky, kx)!;
      });
    return sum;
  });
}

export function poolMaximum(input: Picture, windowed: Windowed): Picture {
  return mapPicture(slide(input, input.dims[1], windowed), (n, c, y, x) => {
    let largest = Number.NEGATIVE_INFINITY;
    look(input, { n, c, y, x }, windowed, (value = Number.NEGATIVE_INFINITY) => {
      largest = Math.max(largest, value);
    });
    return largest;
  });
}

export function poolMean(input: Picture): Picture {
  const [images, channels, height, width] = input.dims;
  return mapPicture([images, channels, 1, 1], (n, c) => {
    let sum = 0;
    for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) sum += at(input, n, c, y, x)!;
    return sum / (height * width);
  });
}

/** The second operand has one value per channel if it is one pixel in size. */
export function combine(first: Picture, second: Picture, compute: (a: number, b: number) => number): Picture {
  const isGate = second.dims[2] * second.dims[3] === 1;
  return mapPicture(first.dims, (n, c, y, x) =>
    compute(at(first, n, c, y, x)!, at(second, n, c, isGate ? 0 : y, isGate ? 0 : x)!),
  );
}

export function bend(input: Picture, slopes: Float32Array | number, most = Number.POSITIVE_INFINITY): Picture {
  return mapPicture(input.dims, (n, c, y, x) => {
    const value = at(input, n, c, y, x)!;
    const slope = typeof slopes === 'number' ? slopes : slopes[c]!;
    return Math.min(value < 0 ? value * slope : value, most);
  });
}
