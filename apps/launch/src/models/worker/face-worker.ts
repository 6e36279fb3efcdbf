// The worker of the launch page: models in, reports out. See serve-requests.ts.

import type { Frame } from '../../face/index.ts';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { FromWorker, ToWorker } from '../messages.ts';
import { createPixelReader } from '../read-frame.ts';
import { createModelLoader } from './model-loader.ts';
import { serveRequests } from './serve-requests.ts';

const take = serveRequests({
  loader: createModelLoader(),
  pixels: createPixelReader(() => new OffscreenCanvas(1, 1)),
  openReader: async (models, wish) =>
    (await import('../../document/index.ts').catch(failOffline)).openDocumentReader(models, wish),
  openEncryptor: async () => (await import('../../token/encrypt-face.ts').catch(failOffline)).openFaceEncryptor(),
  openLight: () => import('@limen/light').catch(failOffline),
  encodeJpeg,
  post: (message: FromWorker, transfer) => self.postMessage(message, { transfer }),
});

function failOffline(cause: unknown): never {
  throw new ModelLoadError('offline', { cause });
}

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => take(data));

/** Pixels on the longer side. */
const LONGEST = 640;
/** Maximum size that the service accepts. */
const MAX_BYTES = 200 * 1024;
/** Tried one after the other; the first does for most pictures. */
const QUALITIES = [0.85, 0.7, 0.5, 0.3];

/** Replaced by tests. */
type MakeCanvas = (width: number, height: number) => OffscreenCanvas;

async function encodeJpeg(
  frame: Frame,
  makeCanvas: MakeCanvas = (width, height) => new OffscreenCanvas(width, height),
): Promise<Uint8Array> {
  const scale = Math.min(LONGEST / Math.max(frame.width, frame.height), 1);
  const whole = makeCanvas(frame.width, frame.height);
  const small = makeCanvas(Math.round(frame.width * scale), Math.round(frame.height * scale));
  try {
    // A copy, which is written over below: the frame itself is its keeper's.
    const pixels = new ImageData(Uint8ClampedArray.from(frame.data), frame.width, frame.height);
    contextOf(whole).putImageData(pixels, 0, 0);
    pixels.data.fill(0);
    contextOf(small).drawImage(whole, 0, 0, small.width, small.height);
    for (const quality of QUALITIES) {
      const blob = await small.convertToBlob({ type: 'image/jpeg', quality });
      if (blob.size <= MAX_BYTES) return new Uint8Array(await blob.arrayBuffer());
    }
    throw new Error('The picture does not get small enough');
  } finally {
    // Another size throws the pixels away.
    for (const canvas of [whole, small]) canvas.width = 1;
  }
}

function contextOf(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser cannot draw in a worker');
  return context;
}
