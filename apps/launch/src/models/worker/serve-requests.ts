// A worker's side of the talk with the page: does what it is asked for and answers. Frames leave from here to be tied alone, in
// another worker or in this one.
import type { DocumentReader } from '../../document/index.ts';
import type { DocumentReport, DocumentWish } from '../../document/kinds.ts';
import { createDocumentWitness } from '../../document/light/document-witness.ts';
import {
  combineExaminations,
  createFrame,
  type Examination,
  embedFace,
  examineFrame,
  type FaceModels,
  type Frame,
  judgeLight,
  type LightSample,
  measureLight,
  watchFrame,
} from '../../face/index.ts';
import { ModelLoadError } from '../../loading/load-error.ts';
import type { FaceEncryptor } from '../../token/encrypt-face.ts';
import type {
  Call,
  CallName,
  Calls,
  EncryptWish,
  Examined,
  Failure,
  FromWorker,
  Tie,
  ToWorker,
  WatchReport,
} from '../messages.ts';
import type { PixelReader } from '../read-frame.ts';
import { buffersOf, wipe } from '../wipe.ts';
import { createFrameStore, type KeptFrame } from './frame-store.ts';
import { createIdentity } from './identity.ts';
import type { ModelLoader } from './model-loader.ts';
import { nameModel } from './name-model.ts';
import { createNoiseMemory } from './noise-memory.ts';

export interface ServeOptions {
  loader: ModelLoader;
  pixels: PixelReader;
  /** Brought when it is asked for: most checks have no document. */
  openReader(models: FaceModels, wish: DocumentWish): Promise<DocumentReader>;
  /** The same for tokens. */
  openEncryptor(): Promise<FaceEncryptor>;
  encodeJpeg(frame: Frame): Promise<Uint8Array>;
  /** What is transferred is not here any more. */
  post(message: FromWorker, transfer: Transferable[]): void;
  /** Milliseconds on a clock that is never set. For tests. */
  now?(): number;
}

/** Gives what takes the page's messages. */
export function serveRequests(options: ServeOptions): (message: ToWorker) => void {
  const { loader, pixels, openReader, post, now = () => performance.now() } = options;
  const store = createFrameStore();
  const identity = createIdentity(loader.models);
  const lit: LightSample[] = [];
  /** Not forgotten with a person: a clip that is played again comes with the next attempt. */
  const noise = createNoiseMemory();
  let reader: DocumentReader | undefined;
  const documentLight = createDocumentWitness();
  let encryptor: Promise<FaceEncryptor> | undefined;
  /** Counts what was begun and forgotten: what comes late is of a document that nobody waits for any more. */
  let documents = 0;

  async function load(call: Call & { name: 'load' }) {
    const { id, ...wish } = call;
    await loader.load(wish, { onProgress: (share) => post({ id, share }, []) });
    return loader.models.thresholds;
  }

  const read = (given: ImageBitmap | Frame) =>
    'data' in given ? createFrame(given.width, given.height, given.data) : pixels.read(given);

  async function watch({ id, frame: given }: Call & { name: 'watch' }): Promise<WatchReport> {
    const frame = read(given);
    store.begin(frame);
    try {
      const report = await watchFrame(loader.models, frame);
      // Of two people nobody knows which one it is.
      store.finish(id, frame, report.people === 1 ? report.face : null);
      const repeats = report.people > 0 && !store.isWiped(frame) && noise.note(frame, now());
      return repeats ? { ...report, repeats } : report;
    } catch (error) {
      store.wipe(frame);
      throw error;
    }
  }

  /** What is kept for the examination is what was tied, with the vector that tied it: no face is measured twice. */
  async function tie({ frame: given, reading, isAhead, isLit }: Call & { name: 'tie' }): Promise<Tie> {
    const frame = read(given);
    store.begin(frame);
    let isKept = false;
    try {
      const vector = await embedFace(loader.models, frame, reading.landmarks);
      if (!vector) return 'unseen';
      // Forgotten meanwhile: with it went whoever it would be compared with.
      const isGone = store.isWiped(frame);
      const isTied = !isGone && identity.admit(vector, isAhead);
      isKept = isTied && isAhead && !isLit;
      if (isKept) store.keep({ frame, reading }, vector);
      else vector.fill(0);
      if (isGone) return 'unseen';
      return isTied ? 'tied' : 'unlike';
    } finally {
      if (!isKept) store.wipe(frame);
    }
  }

  /** Numbers only: the frame is overwritten as any other. */
  function sampleLight({ watched, at }: Call & { name: 'measureLight' }): null {
    const found = store.find(watched);
    if (found) lit.push(measureLight(found.frame, found.reading.landmarks, found.reading.box, at));
    return null;
  }

  async function examine({ id, wanted }: Call & { name: 'examine' }): Promise<Examined | null> {
    const kept = store.take();
    // Whatever comes next is another attempt.
    identity.forget();
    const found: Examination[] = [];
    let selfie: Uint8Array | undefined;
    let examined: Examined | null = null;
    try {
      const best = wanted.selfie ? findSharpest(kept) : undefined;
      selfie = best && (await options.encodeJpeg(best.frame));
      for (const { frame, reading, vector } of kept) {
        const examination = await examineFrame(loader.models, frame, reading, { ...wanted, embedding: false });
        found.push({ ...examination, embedding: wanted.embedding ? vector : null });
        // A slow device takes long for all of them, and is not hung meanwhile.
        post({ id, share: found.length / kept.length }, []);
        // Forgotten meanwhile: what came out is no longer about a picture.
        if (store.isWiped(frame)) return null;
      }
      const combined = combineExaminations(found);
      examined = combined && { ...combined, ...(selfie && { selfie }) };
      return examined;
    } finally {
      if (!examined) wipe(selfie);
      for (const { frame, vector } of kept) {
        store.wipe(frame);
        vector.fill(0);
      }
      loader.forget();
    }
  }

  /** A token says which model measured the face: another one's must not be passed off as its. */
  async function openEncryptor(modelId: string): Promise<FaceEncryptor> {
    const model = loader.identityOf('embedding');
    if (model === undefined || nameModel(model) !== modelId) throw new ModelLoadError('mismatch');
    encryptor ??= options.openEncryptor();
    return encryptor.catch((error: unknown) => {
      encryptor = undefined;
      throw error;
    });
  }

  async function encrypt({ face, key, modelId }: EncryptWish): Promise<Uint8Array> {
    try {
      const { encrypt } = await openEncryptor(modelId);
      return await encrypt(face, key, modelId); // before the face is wiped
    } finally {
      face.fill(0);
    }
  }

  function forgetDocument(): void {
    documents += 1;
    reader?.forget();
    reader = undefined;
    documentLight.forget();
  }

  async function beginDocument(wish: DocumentWish): Promise<null> {
    forgetDocument();
    const own = documents;
    const opened = await openReader(loader.models, wish);
    if (own !== documents) {
      opened.forget();
      throw new Error(FORGOTTEN);
    }
    reader = opened;
    return null;
  }

  /** What was made of it stays with the reader, which gives no more than a report. */
  async function readDocument(
    given: ImageBitmap | Frame,
    look: (reader: DocumentReader, frame: Frame) => Promise<DocumentReport>,
  ): Promise<DocumentReport> {
    const own = documents;
    const frame = read(given);
    store.begin(frame);
    try {
      if (!reader) throw new Error('No document was begun');
      const report = await look(reader, frame);
      if (own === documents) {
        documentLight.know(frame);
        return report;
      }
      wipe(report);
      throw new Error(FORGOTTEN);
    } finally {
      store.wipe(frame);
    }
  }

  function lightDocument({ frame: given, at }: Call & { name: 'lightDocument' }): boolean {
    const frame = read(given);
    store.begin(frame);
    try {
      return documentLight.measure(frame, at);
    } finally {
      store.wipe(frame);
    }
  }

  async function answer(call: Call): Promise<Calls[Call['name']]['reply']> {
    switch (call.name) {
      case 'load':
        return load(call);
      case 'watch':
        return watch(call);
      case 'giveFrame':
        return store.give(call.watched) ?? null;
      case 'tie':
        return tie(call);
      case 'measureLight':
        return sampleLight(call);
      case 'judgeLight':
        return judgeLight(lit, call.shown);
      case 'examine':
        return examine(call);
      case 'beginDocument':
        return beginDocument(call.wish);
      case 'lookAtDocument':
        return readDocument(call.frame, (one, frame) => one.look(frame));
      case 'readDocumentFile':
        return readDocument(call.frame, (one, frame) => one.readFile(frame));
      case 'lightDocument':
        return lightDocument(call);
      case 'judgeDocumentLight':
        return documentLight.judge(call.shown, call.faceResponse);
      case 'openEncryptor':
        await openEncryptor(call.modelId);
        return null;
      case 'encrypt':
        return encrypt(call);
      case 'describe':
        return loader.describe();
    }
  }

  return (message) => {
    switch (message.name) {
      case 'forget':
        store.forget();
        loader.forget();
        lit.length = 0;
        identity.forget();
        forgetDocument();
        pixels.clear();
        break;
      default:
        answer(message)
          .then((value) => post({ id: message.id, value }, GIVING_AWAY.has(message.name) ? buffersOf(value) : []))
          // Also of a value that cannot be posted: nobody is left waiting.
          .catch((error: unknown) => post({ id: message.id, failure: describeFailure(error) }, []));
    }
  };
}

function findSharpest(kept: readonly KeptFrame[]): KeptFrame | undefined {
  return kept.toSorted((one, other) => other.reading.sharpness - one.reading.sharpness)[0];
}

const FORGOTTEN = 'The document was forgotten';

/**
 * Whose replies carry a picture, or what tells one face from another: they are transferred, not copied, so that nothing of them stays
 * here. What is told of a frame that was watched stays with the frame.
 */
const GIVING_AWAY: ReadonlySet<CallName> = new Set(['giveFrame', 'examine', 'lookAtDocument', 'readDocumentFile']);

function describeFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : 'Something that is not an error was thrown';
  return { code: error instanceof ModelLoadError ? error.code : null, message };
}
