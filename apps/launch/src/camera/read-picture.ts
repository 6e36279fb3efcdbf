// Decodes a picture file on the device: limits its size, applies its orientation and scales it
// down.
import { findSize, type Size } from './find-size.ts';

const MAX_BYTES = 25 * 1024 * 1024;
/** Limit for a file that does not claim a size. */
const MAX_SILENT_BYTES = 4 * 1024 * 1024;
const MAX_PIXELS = 50_000_000;
const LONGER_SIDE = 3_000;

/** Rejects a file that is no picture or too large. */
export async function readPicture(file: Blob): Promise<ImageBitmap> {
  if (file.size > MAX_BYTES) throw new RangeError('The file is too large');
  // Checked before decoding, because a small file can hold a picture of many gigabytes.
  const claimed = await findSize(file);
  if (claimed) refuseLarge(claimed);
  else if (file.size > MAX_SILENT_BYTES)
    throw new RangeError('The file is too large, and its header states no picture size');
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

function refuseLarge({ width, height }: Size): void {
  if (width * height > MAX_PIXELS) throw new RangeError('The picture is too large');
}
