// Serves the page's requests in a worker. Frames leave the worker only to be tied, there or in
// another worker.
import type { DocumentReader } from '../../document/index.ts';
import type { DocumentWish } from '../../document/kinds.ts';
import { createFrame, type FaceModels, type Frame } from '../../face/index.ts';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { FaceEncryptor } from '../../token/encrypt-face.ts';
import type { Call, CallFailure, CallName, Calls, FromWorker, ToWorker } from '../messages.ts';
import type { PixelReader } from '../read-frame.ts';
import { listBuffers } from '../wipe.ts';
import { DocumentWork } from './document-work.ts';
import { FaceEncryption } from './face-encryption.ts';
import { FaceWork, type LightTools } from './face-work.ts';
import { createFrameStore } from './frame-store.ts';
import type { ModelLoader } from './model-loader.ts';

export interface ServeOptions {
  loader: ModelLoader;
  pixels: PixelReader;
  /** Loads the reader on demand, because most checks have no document. */
  openReader(models: FaceModels, wish: DocumentWish): Promise<DocumentReader>;
  openEncryptor(): Promise<FaceEncryptor>;
  /** Loads the light analysis on demand. The first prompts and many checks do not need it. */
  openLight(): Promise<LightTools>;
  encodeJpeg(frame: Frame): Promise<Uint8Array>;
  /** `transfer`: buffers that leave this worker. */
  post(message: FromWorker, transfer: Transferable[]): void;
  /** Monotonic clock in milliseconds; replaced in tests. */
  now?(): number;
}

/** Returns the handler of the page's messages. */
export function serveRequests(options: ServeOptions): (message: ToWorker) => void {
  const { loader, pixels, openReader, post, now = () => performance.now() } = options;
  const store = createFrameStore();
  const faces = new FaceWork(store, loader);
  const documents = new DocumentWork(store);
  const encryption = new FaceEncryption(options.openEncryptor, loader.findIdentity);
  let light: LightTools | undefined;

  async function load(call: Call & { name: 'load' }) {
    const { id, ...wish } = call;
    await loader.load(wish, { onProgress: (share) => post({ id, share }, []) });
    return loader.models.thresholds;
  }

  const read = (input: ImageBitmap | Frame) =>
    'data' in input ? createFrame(input.width, input.height, input.data) : pixels.read(input);

  async function openLight(): Promise<null> {
    light ??= await options.openLight();
    documents.useLight(light);
    return null;
  }

  function requireLight(): LightTools {
    if (!light) throw new Error('The analysis of light was not opened');
    return light;
  }

  async function answer(call: Call): Promise<Calls[Call['name']]['reply']> {
    switch (call.name) {
      case 'load':
        return load(call);
      case 'watch':
        return faces.watch(call.id, read(call.frame), now());
      case 'giveFrame':
        return store.release(call.watched) ?? null;
      case 'tie':
        return faces.tie(read(call.frame), call);
      case 'openLight':
        return openLight();
      case 'measureLight':
        return faces.measureLight(requireLight(), call);
      case 'judgeLight':
        return faces.judgeLight(requireLight(), call);
      case 'examine':
        return faces.examine(call, options.encodeJpeg, (share) => post({ id: call.id, share }, []));
      case 'beginDocument':
        return documents.begin(() => openReader(loader.models, call.wish));
      case 'lookAtDocument':
        return documents.read(read(call.frame), (reader, frame) => reader.look(frame));
      case 'readDocumentFile':
        return documents.read(read(call.frame), (reader, frame) => reader.readFile(frame));
      case 'lightDocument':
        return documents.measureLight(read(call.frame), call.at);
      case 'judgeDocumentLight':
        return documents.judgeLight(call.shown, call.faceResponse);
      case 'openEncryptor':
        await encryption.open(call.modelId);
        return null;
      case 'encrypt':
        return encryption.encrypt(call);
      case 'describe':
        return loader.describe();
    }
  }

  function forget(): void {
    store.forget();
    loader.forget();
    faces.forget();
    documents.forget();
    pixels.clear();
  }

  return (message) => {
    if (message.name === 'forget') return forget();
    answer(message)
      .then((value) => post({ id: message.id, value }, TRANSFERRING_CALLS.has(message.name) ? listBuffers(value) : []))
      // Covers values that cannot be posted too, so the page never waits in vain.
      .catch((error: unknown) => post({ id: message.id, failure: describeFailure(error) }, []));
  };
}

/** Calls with a picture or an embedding in the reply, which is transferred, not copied. */
const TRANSFERRING_CALLS: ReadonlySet<CallName> = new Set([
  'giveFrame',
  'examine',
  'lookAtDocument',
  'readDocumentFile',
]);

function describeFailure(error: unknown): CallFailure {
  const message = error instanceof Error ? error.message : 'Something that is not an error was thrown';
  return { code: error instanceof ModelLoadError ? error.code : null, message };
}
