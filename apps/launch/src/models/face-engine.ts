// The page's side of the face work: hands frames to the workers and returns what they report.
import type { DocumentLight, LightJudgement, ShownColour } from '@limen/light';
import type { DocumentReport, DocumentWish } from '../document/kinds.ts';
import type { ModelRole } from '../face/index.ts';
import { type LoadErrorCode, ModelLoadError } from '../loading/load-error.ts';
import { type After, startTimer } from '../loading/start-timer.ts';
import type { WorkerLike } from './call-worker.ts';
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
import { buffersOf, wipe } from './wipe.ts';
import { type LoadRequest, NOT_LOADED, WorkerPair } from './worker-pair.ts';

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
export type { LoadRequest } from './worker-pair.ts';
export { type LoadErrorCode, ModelLoadError };

export type FaceEngine = ReturnType<typeof createFaceEngine>;

export interface FaceEngineOptions {
  /** Ends in a slash. Below the page's own address if it is not given. */
  modelsUrl?: string;
  /** For tests. */
  startWorker?(): WorkerLike;
  /** For tests. */
  cores?: number;
  /** For tests. */
  after?: After;
}

/** A worker that says nothing for longer hangs. */
const WATCH_SECONDS = 10;
/** For each frame. */
const EXAMINE_SECONDS = 30;
/** Also brings the reader of barcodes, or the library for tokens: longer than a file is asked for in vain, so that it is said why. */
const BEGIN_SECONDS = 125;
const FILE_SECONDS = 60;
const ENCRYPT_SECONDS = 20;

export function createFaceEngine(options: FaceEngineOptions = {}) {
  const { startWorker = startFaceWorker, cores = navigator.hardwareConcurrency, after = startTimer } = options;
  const pair = new WorkerPair(startWorker, cores, after);
  const handOver = createHandOver(pair);
  /** Counts calls of `forget`: a late result belongs to an attempt that is over. */
  let forgotten = 0;
  /** The last watch, of the workers of that epoch. */
  let watched = { id: 0, epoch: 0 };
  const lastWatched = () => (watched.epoch === pair.epoch ? watched.id : 0);

  return {
    /** Brings the runtime and the models of these roles; those already there cost nothing. Progress is a share of the bytes. */
    load: (want: LoadRequest): Promise<ModelThresholds> =>
      pair.load(want, options.modelsUrl ?? new URL('launch/models/', location.href).href),
    /** One frame at a time; takes the picture over and closes it. */
    async watch(frame: ImageBitmap | ImageData): Promise<WatchReport> {
      const { id, report } = await handOver.give('watch', frame, WATCH_SECONDS, {});
      watched = { id, epoch: pair.epoch };
      return report;
    },
    /** Begins a document anew; the one before is forgotten. */
    async beginDocument(wish: DocumentWish): Promise<void> {
      await pair.ask('examiner', BEGIN_SECONDS, 'beginDocument', { wish });
    },
    /** One frame at a time; takes the picture over and closes it. */
    lookAtDocument: async (frame: ImageBitmap | ImageData): Promise<DocumentReport> =>
      (await handOver.give('lookAtDocument', frame, EXAMINE_SECONDS, {})).report,
    /** The same for a picture that is alone: it is turned, and looked at several times. */
    readDocumentFile: async (frame: ImageBitmap | ImageData): Promise<DocumentReport> =>
      (await handOver.give('readDocumentFile', frame, FILE_SECONDS, {})).report,
    /** Keeps numbers of the light in the frame; false where it does not show the document that was looked at last. */
    lightDocument: async (frame: ImageBitmap | ImageData, at: number): Promise<boolean> =>
      (await handOver.give('lightDocument', frame, WATCH_SECONDS, { at })).report,
    /** What those numbers say, given all colours that were shown since the last look, and what such did to the face. */
    judgeDocumentLight: (shown: readonly ShownColour[], faceResponse: number): Promise<DocumentLight> =>
      pair.ask('examiner', WATCH_SECONDS, 'judgeDocumentLight', { shown, faceResponse }),
    /** Loads the analysis of light: before anything of it is asked for. */
    async openLight(): Promise<void> {
      pair.demand();
      await Promise.all(pair.all().map((line) => pair.within(line, BEGIN_SECONDS, line.call('openLight', {}).reply)));
    },
    /** Keeps numbers of the light in the frame that was watched last, which was taken then. */
    async measureLight(at: number): Promise<void> {
      await pair.ask('guide', WATCH_SECONDS, 'measureLight', { watched: lastWatched(), at });
    },
    /** What those numbers say, given the colours that were shown. They stay for the next colours, until the next `forget`. */
    judgeLight: (shown: readonly ShownColour[]): Promise<LightJudgement> =>
      pair.ask('guide', WATCH_SECONDS, 'judgeLight', { shown }),
    /**
     * Whether the frame that was watched last shows who was there in the first ones since the last `forget` or `examine`. If
     * it does, and they look ahead, it is kept for the examination; of more than MAX_KEPT the oldest goes.
     */
    async tie(wish: TieWish): Promise<Tie> {
      const { guide, examiner } = pair.demand();
      const own = forgotten;
      const { reply: giving } = guide.call('giveFrame', { watched: lastWatched() });
      const seen = await pair.within(guide, WATCH_SECONDS, giving);
      if (!seen) return 'unseen';
      // The face it would be compared with is gone as well.
      if (own !== forgotten || !examiner.isOpen()) {
        wipe(seen);
        return 'unseen';
      }
      const { reply } = examiner.call('tie', { ...seen, ...wish }, { transfer: buffersOf(seen) });
      return pair.within(examiner, WATCH_SECONDS, reply);
    },
    /** Examines all that was kept and clears it. Null when nothing was kept. */
    examine: (wanted: ExamineWish): Promise<Examined | null> =>
      pair.ask('examiner', EXAMINE_SECONDS, 'examine', { wanted }),
    /** Brings what faces are encrypted with. Rejects where the faces are measured with another model than that. */
    async openEncryptor(modelId: string): Promise<void> {
      await pair.ask('examiner', BEGIN_SECONDS, 'openEncryptor', { modelId });
    },
    /** The face, encrypted for the service. */
    async encrypt(wish: EncryptWish): Promise<Uint8Array> {
      const { examiner } = pair.demand();
      // A copy that leaves this thread with the call: the worker overwrites it.
      const face = wish.face.slice();
      const { reply } = examiner.call('encrypt', { ...wish, face }, { transfer: [face.buffer] });
      return pair.within(examiner, ENCRYPT_SECONDS, reply);
    },
    /** Overwrites and drops every frame, and all that was read of a document. */
    forget(): void {
      forgotten += 1;
      for (const line of pair.all()) line.tell({ name: 'forget' });
      handOver.clear();
    },
    /**
     * Another number once a worker was started in the place of one that is gone. With that went whoever was known in it: what was
     * begun before has to be begun anew.
     */
    epoch: (): number => pair.epoch,
    close: (): void => pair.close(),
    /** For support and the benchmark: what runs where. */
    async describe(): Promise<EngineDescription> {
      pair.demand();
      return joinDescriptions(await Promise.all(pair.all().map((line) => line.call('describe', {}).reply)));
    },
  };
}

type FrameCall = 'watch' | 'lookAtDocument' | 'readDocumentFile' | 'lightDocument';

/** Hands frames to a worker, one at a time. */
function createHandOver(pair: WorkerPair) {
  let isWatching = false;
  let pagePixels: ReturnType<typeof createPixelReader> | undefined;

  function prepare(frame: ImageBitmap | ImageData) {
    if ('data' in frame || !canReadInWorker()) {
      pagePixels ??= createPixelReader(() => document.createElement('canvas'));
      const { width, height, data } = 'data' in frame ? frame : pagePixels.read(frame);
      const pixels = { width, height, data: data as Uint8ClampedArray<ArrayBuffer> };
      return { frame: pixels, transfer: [pixels.data.buffer] };
    }
    return { frame, transfer: [frame] };
  }

  return {
    async give<Name extends FrameCall>(
      name: Name,
      frame: ImageBitmap | ImageData,
      seconds: number,
      more: Omit<Calls[Name]['request'], 'frame'>,
    ): Promise<{ id: number; report: Calls[Name]['reply'] }> {
      const to = pair.findOpen();
      if (isWatching || !to) {
        if ('close' in frame) frame.close();
        throw new Error(isWatching ? 'A frame is being watched already' : NOT_LOADED);
      }
      isWatching = true;
      try {
        const { frame: given, transfer } = prepare(frame);
        const line = name === 'watch' ? to.guide : to.examiner;
        const { id, reply } = line.call(name, { frame: given, ...more } as Calls[Name]['request'], { transfer });
        return { id, report: await pair.within(line, seconds, reply) };
      } finally {
        isWatching = false;
      }
    },
    clear: () => pagePixels?.clear(),
  };
}

/** Both may have run a model of the same role: a document's portrait is found where documents are read. */
function joinDescriptions(described: readonly EngineDescription[]): EngineDescription {
  const joined: EngineDescription = { threads: 0, roles: {}, work: {} };
  for (const { threads, roles, work } of described) {
    joined.threads = Math.max(joined.threads, threads);
    Object.assign(joined.roles, roles);
    for (const [role, { runs, ms }] of Object.entries(work) as [ModelRole, { runs: number; ms: number }][]) {
      const before = joined.work[role] ?? { runs: 0, ms: 0 };
      joined.work[role] = { runs: before.runs + runs, ms: before.ms + ms };
    }
  }
  return joined;
}

function startFaceWorker(): WorkerLike {
  return new Worker(new URL('./worker/face-worker.ts', import.meta.url), { type: 'module', name: 'limen-face' });
}
