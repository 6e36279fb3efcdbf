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
  openReader: async (models, wish) => {
    const { openDocumentReader } = await import('../../document/index.ts').catch((cause: unknown) => {
      throw new ModelLoadError('offline', { cause });
    });
    return openDocumentReader(models, wish);
  },
  openEncryptor: async () => {
    const { openFaceEncryptor } = await import('../../token/encrypt-face.ts').catch((cause: unknown) => {
      throw new ModelLoadError('offline', { cause });
    });
    return openFaceEncryptor();
  },
  encodeJpeg,
  post: (message: FromWorker, transfer) => self.postMessage(message, { transfer }),
});

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => take(data));
