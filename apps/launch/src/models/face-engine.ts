// The page's side of the face work: one worker that has the models and sees the frames.
import type { DocumentLight, DocumentReport, DocumentWish } from '../document/kinds.ts';
import type { LightJudgement, ModelRole, ShownColour } from '../face/index.ts';
import { connectWorker, type WorkerLike, type WorkerLine } from './call-worker.ts';
import type {
  Calls,
  EncryptWish,
  EngineDescription,
  Examined,
  ExamineWish,
  ModelThresholds,
  Tie,
  TieWish,
  WatchReport,
} from './messages.ts';
import { canReadInWorker, createPixelReader } from './read-frame.ts';

export { type LoadErrorCode, ModelLoadError } from '../loading/load-error.ts';
export type {
  EncryptWish,
  EngineDescription,
  Examined,
  ExamineWish,
  ModelThresholds,
  Tie,
  TieWish,
  WatchReport,
} from './messages.ts';

export interface LoadRequest {
  roles: readonly ModelRole[];
  /** Null where the plan names none. */
  manifestHash: string | null;
  onProgress?(share: number): void;
  signal?: AbortSignal;
}

export interface FaceEngine {
  /** Brings the runtime and the models of these roles; those already there cost nothing. Progress is a share of the bytes. */
  load(want: LoadRequest): Promise<ModelThresholds>;
  /** One frame at a time; takes the picture over and closes it. */
  watch(frame: ImageBitmap | ImageData): Promise<WatchReport>;
  /**
   * Whether the frame that was watched last shows who was there in the first ones since the last `forget` or `examine`. If
   * it does, and they look ahead, it is kept for the examination; of more than MAX_KEPT the oldest goes.
   */
  tie(wish: TieWish): Promise<Tie>;
  /** Keeps numbers of the light in the frame that was watched last, which was taken then. */
  measureLight(atMs: number): Promise<void>;
  /** What those numbers say, given the colours that were shown; they are gone then. */
  judgeLight(shown: readonly ShownColour[]): Promise<LightJudgement>;
  /** Examines all that was kept and clears it. Null when nothing was kept. */
  examine(wanted: ExamineWish): Promise<Examined | null>;
  /** Begins a document anew; the one before is forgotten. */
  beginDocument(wish: DocumentWish): Promise<void>;
  /** One frame at a time; takes the picture over and closes it. */
  lookAtDocument(frame: ImageBitmap | ImageData): Promise<DocumentReport>;
  /** The same for a picture that is alone: it is turned, and looked at several times. */
  readDocumentFile(frame: ImageBitmap | ImageData): Promise<DocumentReport>;
  /** Keeps numbers of the light in the frame; false where it does not show the document that was looked at last. */
  lightDocument(frame: ImageBitmap | ImageData, atMs: number): Promise<boolean>;
  /** What those numbers say, given all colours that were shown since the last look, and what such did to the face. */
  judgeDocumentLight(shown: readonly ShownColour[], faceResponse: number): Promise<DocumentLight>;
  /** Brings what faces are encrypted with. Rejects where the faces are measured with another model than that. */
  openEncryptor(modelId: string): Promise<void>;
  /** The face, encrypted for the service. */
  encrypt(wish: EncryptWish): Promise<Uint8Array>;
  /** Overwrites and drops every frame, and all that was read of a document. */
  forget(): void;
  close(): void;
  /** For support and the benchmark: what runs where. */
  describe(): Promise<EngineDescription>;
}

export interface FaceEngineOptions {
  /** Ends in a slash. Below the page's own address if it is not given. */
  modelsUrl?: string;
  /** For tests. */
  startWorker?(): WorkerLike;
  /** Calls back once; the result stops it. For tests. */
  after?(delayMs: number, callback: () => void): () => void;
}

/** A worker that says nothing for longer hangs. Counted in seconds that passed: a device that slept is not to blame. */
const WATCH_SECONDS = 10;
/** While models are brought the worker opens one after the other, and hears nothing meanwhile: seconds on a slow device. */
const TIMES_LONGER_WHILE_LOADING = 6;
/** For each frame. */
const EXAMINE_SECONDS = 30;
/** Also brings the reader of barcodes, or the library for tokens, over a slow network. */
const BEGIN_SECONDS = 60;
const FILE_SECONDS = 60;
const ENCRYPT_SECONDS = 20;

export function createFaceEngine(options: FaceEngineOptions = {}): FaceEngine {
  const { startWorker = startFaceWorker, after = startTimer } = options;
  const loaded = new Set<ModelRole>();
  let line: WorkerLine | undefined;
  let loading = 0;
  let isWatching = false;
  let watched = 0;
  let pagePixels: ReturnType<typeof createPixelReader> | undefined;

  function reach(): WorkerLine {
    if (line?.isOpen()) return line;
    loaded.clear();
    watched = 0;
    line = connectWorker(startWorker());
    return line;
  }

  function hangUp(reason: Error) {
    line?.end(reason);
    line = undefined;
  }

  /** One that hangs is left for good. */
  async function within<Reply>(
    seconds: number,
    reply: Promise<Reply>,
    /** Gets what begins the seconds anew. */
    takeRenewal?: (renew: () => void) => void,
  ): Promise<Reply> {
    let left = seconds;
    let stop = after(1_000, tick);
    takeRenewal?.(() => {
      left = seconds;
    });
    function tick() {
      left -= loading > 0 ? 1 / TIMES_LONGER_WHILE_LOADING : 1;
      if (left > 0) {
        stop = after(1_000, tick);
        return;
      }
      hangUp(new Error('The face worker does not answer'));
    }
    try {
      return await reply;
    } finally {
      stop();
    }
  }

  async function load(want: LoadRequest): Promise<ModelThresholds> {
    const { roles, manifestHash, onProgress, signal } = want;
    signal?.throwIfAborted();
    const to = reach();
    const modelsUrl = options.modelsUrl ?? new URL('launch/models/', location.href).href;
    const request = { roles, manifestHash, modelsUrl };
    loading += 1;
    try {
      const thresholds = await to.call('load', request, { onProgress, signal }).reply;
      for (const role of roles) loaded.add(role);
      return thresholds;
    } catch (error) {
      // What failed at the first go may be stuck in the worker, a script that did not arrive say. The next go gets a new one.
      if (loaded.size === 0 && line === to) hangUp(error instanceof Error ? error : new Error(NOT_LOADED));
      throw error;
    } finally {
      loading -= 1;
    }
  }

  function prepare(frame: ImageBitmap | ImageData) {
    if ('data' in frame || !canReadInWorker()) {
      pagePixels ??= createPixelReader(() => document.createElement('canvas'));
      const { width, height, data } = 'data' in frame ? frame : pagePixels.read(frame);
      const pixels = { width, height, data: data as Uint8ClampedArray<ArrayBuffer> };
      return { frame: pixels, transfer: [pixels.data.buffer] };
    }
    return { frame, transfer: [frame] };
  }

  /** One at a time. */
  async function handOver<Name extends 'watch' | 'lookAtDocument' | 'readDocumentFile' | 'lightDocument'>(
    name: Name,
    frame: ImageBitmap | ImageData,
    seconds: number,
    more: Omit<Calls[Name]['request'], 'frame'>,
  ): Promise<{ id: number; report: Calls[Name]['reply'] }> {
    if (isWatching || !line?.isOpen()) {
      if ('close' in frame) frame.close();
      throw new Error(isWatching ? 'A frame is being watched already' : NOT_LOADED);
    }
    isWatching = true;
    try {
      const { frame: given, transfer } = prepare(frame);
      const { id, reply } = line.call(name, { frame: given, ...more } as Calls[Name]['request'], { transfer });
      return { id, report: await within(seconds, reply) };
    } finally {
      isWatching = false;
    }
  }

  return {
    load,
    async watch(frame) {
      const { id, report } = await handOver('watch', frame, WATCH_SECONDS, {});
      watched = id;
      return report;
    },
    async beginDocument(wish) {
      await within(BEGIN_SECONDS, ask().call('beginDocument', { wish }).reply);
    },
    lookAtDocument: async (frame) => (await handOver('lookAtDocument', frame, EXAMINE_SECONDS, {})).report,
    readDocumentFile: async (frame) => (await handOver('readDocumentFile', frame, FILE_SECONDS, {})).report,
    lightDocument: async (frame, at) => (await handOver('lightDocument', frame, WATCH_SECONDS, { at })).report,
    judgeDocumentLight: async (shown, faceResponse) =>
      within(WATCH_SECONDS, ask().call('judgeDocumentLight', { shown, faceResponse }).reply),
    async measureLight(at) {
      await within(WATCH_SECONDS, ask().call('measureLight', { watched, at }).reply);
    },
    judgeLight: async (shown) => within(WATCH_SECONDS, ask().call('judgeLight', { shown }).reply),
    tie: async (wish) => within(WATCH_SECONDS, ask().call('tie', { watched, ...wish }).reply),
    async examine(wanted) {
      let renew = () => {};
      const { reply } = ask().call('examine', { wanted }, { onProgress: () => renew() });
      return within(EXAMINE_SECONDS, reply, (given) => {
        renew = given;
      });
    },
    async openEncryptor(modelId) {
      await within(BEGIN_SECONDS, ask().call('openEncryptor', { modelId }).reply);
    },
    encrypt: async (wish) => within(ENCRYPT_SECONDS, ask().call('encrypt', wish).reply),
    forget() {
      line?.tell({ name: 'forget' });
      pagePixels?.clear();
    },
    close: () => hangUp(new Error('The face engine was closed')),
    describe: async () => ask().call('describe', {}).reply,
  };

  function ask(): WorkerLine {
    if (!line?.isOpen()) throw new Error(NOT_LOADED);
    return line;
  }
}

const NOT_LOADED = 'The face models are not loaded';

function startTimer(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
}

function startFaceWorker(): WorkerLike {
  return new Worker(new URL('./worker/face-worker.ts', import.meta.url), { type: 'module', name: 'limen-face' });
}
