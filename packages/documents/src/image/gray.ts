// Picture formats: gray levels for finding and reading, colors for signs of a copy.

/** One byte per pixel, row by row: 0 is black, 255 is white. */
export interface GrayImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Four bytes per pixel: red, green, blue, and an unused alpha. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

export function makeGray(width: number, height: number): GrayImage {
  return { width, height, data: new Uint8Array(width * height) };
}

/** Computes integer luma by Rec. 601. */
export function toGray(picture: Picture): GrayImage {
  const { width, height, data } = picture;
  const gray = makeGray(width, height);
  const out = gray.data;
  for (let i = 0, p = 0; i < out.length; i += 1, p += 4) {
    out[i] = (data[p]! * 77 + data[p + 1]! * 150 + data[p + 2]! * 29 + 128) >> 8;
  }
  return gray;
}

/** Rotates by 90° clockwise. */
export function turnClockwise(image: GrayImage): GrayImage {
  const { width, height, data } = image;
  const turned = makeGray(height, width);
  const out = turned.data;
  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    const column = height - 1 - y;
    for (let x = 0; x < width; x += 1) out[x * height + column] = data[row + x]!;
  }
  return turned;
}
