// Entry point of the launch page's worker; see serve-requests.ts.

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

/** Maximum pixels of the longer side. */
const LONGEST = 640;
/** Maximum size that the service accepts. */
const MAX_BYTES = 200 * 1024;
/** Tried in order; the first one suffices for most pictures. */
const QUALITIES = [0.85, 0.7, 0.5, 0.3];

/** Replaced in tests. */
type MakeCanvas = (width: number, height: number) => OffscreenCanvas;

async function encodeJpeg(
  frame: Frame,
  makeCanvas: MakeCanvas = (width, height) => new OffscreenCanvas(width, height),
): Promise<Uint8Array> {
  const scale = Math.min(LONGEST / Math.max(frame.width, frame.height), 1);
  const fullCanvas = makeCanvas(frame.width, frame.height);
  const smallCanvas = makeCanvas(Math.round(frame.width * scale), Math.round(frame.height * scale));
  try {
    // A copy that is overwritten below; the frame itself belongs to the store.
    const pixels = new ImageData(Uint8ClampedArray.from(frame.data), frame.width, frame.height);
    getContext2d(fullCanvas).putImageData(pixels, 0, 0);
    pixels.data.fill(0);
    getContext2d(smallCanvas).drawImage(fullCanvas, 0, 0, smallCanvas.width, smallCanvas.height);
    for (const quality of QUALITIES) {
      const blob = await smallCanvas.convertToBlob({ type: 'image/jpeg', quality });
      if (blob.size <= MAX_BYTES) return new Uint8Array(await blob.arrayBuffer());
    }
    throw new Error('The picture does not get small enough');
  } finally {
    // Resizing a canvas drops its pixels.
    for (const canvas of [fullCanvas, smallCanvas]) canvas.width = 1;
  }
}

function getContext2d(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser cannot draw in a worker');
  return context;
}
