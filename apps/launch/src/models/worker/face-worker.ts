// The worker of the launch page: models in, reports out. See serve-requests.ts.

import { ModelLoadError } from '../../loading/load-error.ts';
import type { FromWorker, ToWorker } from '../messages.ts';
import { createPixelReader } from '../read-frame.ts';
import { encodeJpeg } from './encode-jpeg.ts';
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
