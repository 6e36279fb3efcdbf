// Opens a picture file on the device: nothing too large, turned as its camera was held, small enough to look through.

const MAX_BYTES = 25 * 1024 * 1024;
const MAX_PIXELS = 50_000_000;
const LONGER_SIDE = 3_000;
/** Enough to come to the size, even behind the small preview that cameras put before it. */
const HEAD_BYTES = 256 * 1024;

/** Rejects what is no picture, or too large. */
export async function readPicture(file: Blob): Promise<ImageBitmap> {
  if (file.size > MAX_BYTES) throw new RangeError('The file is too large');
  // Before it is opened: a small file can hold a picture of many gigabytes.
  const claimed = findSize(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  if (claimed) refuseLarge(claimed);
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  try {
    refuseLarge(picture);
    const share = LONGER_SIDE / Math.max(picture.width, picture.height);
    if (share >= 1) return await createImageBitmap(picture);
    const [resizeWidth, resizeHeight] = [Math.round(picture.width * share), Math.round(picture.height * share)];
    return await createImageBitmap(picture, { resizeWidth, resizeHeight, resizeQuality: 'high' });
  } finally {
    picture.close();
  }
}

interface Size {
  width: number;
  height: number;
}

function refuseLarge({ width, height }: Size): void {
  if (width * height > MAX_PIXELS) throw new RangeError('The picture is too large');
}

/** What the file says of itself, if it is a PNG or a JPEG; null for any other, and where it does not say. */
export function findSize(bytes: Uint8Array<ArrayBuffer>): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 24) return null;
  if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) };
  return view.getUint16(0) === 0xffd8 ? findJpegSize(view) : null;
}

function findJpegSize(view: DataView): Size | null {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    // Frame headers, without the three of their range that are something else: tables and arithmetic coding.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}
