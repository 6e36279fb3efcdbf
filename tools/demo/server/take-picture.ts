// Extracts the picture from a webhook's body. The page loads it from a separate URL, so the body
// stays short.
import { SELFIE_MAX_BYTES } from '@limen/plan';

/** As base64. */
const MAX_CHARACTERS = Math.ceil(SELFIE_MAX_BYTES / 3) * 4;
const SHOWN_CHARACTERS = 16;
/** Start of every JPEG. */
const JPEG = [0xff, 0xd8, 0xff];

export interface PicturedBody {
  body: unknown;
  picture: Buffer | null;
}

/** Only from genuine webhooks; others are not worth the memory. */
export function takePicture(body: unknown): PicturedBody {
  const image = firstImage(body);
  if (!image || image.data.length > MAX_CHARACTERS) return { body, picture: null };
  const picture = Buffer.from(image.data, 'base64');
  if (!JPEG.every((byte, place) => picture[place] === byte)) return { body, picture: null };
  const data = `${image.data.slice(0, SHOWN_CHARACTERS)}… (${image.data.length} characters)`;
  return { body: { ...(body as object), images: [{ ...image, data }] }, picture };
}

function firstImage(body: unknown): { data: string } | undefined {
  const { images } = (body ?? {}) as { images?: unknown };
  const first: unknown = Array.isArray(images) && images.length === 1 ? images[0] : undefined;
  return typeof (first as { data?: unknown } | undefined)?.data === 'string' ? (first as { data: string }) : undefined;
}
