// The page's side of the face work: sends frames to the workers and returns their reports.
import type { DocumentLight, LightJudgment, ShownColor } from '@limen/light';
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
  TieRequest,
  WatchReport,
} from './messages.ts';
import { canReadInWorker, createPixelReader } from './read-frame.ts';
import { listBuffers, wipe } from './wipe.ts';
import { type LoadRequest, NOT_LOADED, WorkerPair } from './worker-pair.ts';

export type {
  EncryptWish,
  EngineDescription,
  Examined,
  ExamineWish,
  ModelThresholds,
  Tie,
  TieRequest as TieWish,
  WatchReport,
} from './messages.ts';
export type { LoadRequest } from './worker-pair.ts';
export { type LoadErrorCode, ModelLoadError };

export type FaceEngine = ReturnType<typeof createFaceEngine>;

export interface FaceEngineOptions {
  /** URL with a trailing slash; by default below the page's own address. */
  modelsUrl?: string;
  startWorker?(): WorkerLike;
  cores?: number;
  after?: After;
}

/** Seconds of silence after which a worker counts as hanging. */
const WATCH_SECONDS = 10;
/** Per frame. */
const EXAMINE_SECONDS = 30;
/** Exceeds the retries of a fetch, whose error is then reported. */
const BEGIN_SECONDS = 125;
const FILE_SECONDS = 60;
const ENCRYPT_SECONDS = 20;

export function createFaceEngine(options: FaceEngineOptions = {}) {
  const { startWorker = startFaceWorker, cores = navigator.hardwareConcurrency, after = startTimer } = options;
  const pair = new WorkerPair(startWorker, cores, after);
  const sender = createFrameSender(pair);
  /** Number of `forget` calls. Results of an earlier attempt are dropped. */
  let forgotten = 0;
  /** Id of the last watch, and the epoch of its workers. */
  let watched = { id: 0, epoch: 0 };
  const lastWatched = () => (watched.epoch === pair.epoch ? watched.id : 0);

  return {
    /**
     * Loads the models of these roles. Loaded models cost nothing. Progress is a share of bytes.
     */
    load: (want: LoadRequest): Promise<ModelThresholds> =>
      pair.load(want, options.modelsUrl ?? new URL('launch/models/', location.href).href),
    /** Watches one frame at a time. Takes the frame over and closes it. */
    async watch(frame: ImageBitmap | ImageData): Promise<WatchReport> {
      const { id, report } = await sender.send('watch', frame, WATCH_SECONDS, {});
      watched = { id, epoch: pair.epoch };
      return report;
    },
    /** Starts a new document and forgets the previous one. */
    async beginDocument(wish: DocumentWish): Promise<void> {
      await pair.call('examiner', BEGIN_SECONDS, 'beginDocument', { wish });
    },
    /** Reads one frame at a time. Takes the frame over and closes it. */
    lookAtDocument: async (frame: ImageBitmap | ImageData): Promise<DocumentReport> =>
      (await sender.send('lookAtDocument', frame, EXAMINE_SECONDS, {})).report,
    /** Reads a single picture: tries rotations and several passes. */
    readDocumentFile: async (frame: ImageBitmap | ImageData): Promise<DocumentReport> =>
      (await sender.send('readDocumentFile', frame, FILE_SECONDS, {})).report,
    /** Measures the light. Returns false if the frame lacks the document of the last look. */
    lightDocument: async (frame: ImageBitmap | ImageData, at: number): Promise<boolean> =>
      (await sender.send('lightDocument', frame, WATCH_SECONDS, { at })).report,
    /** Judges the light since the last look. `faceResponse`: response of the face to it. */
    judgeDocumentLight: (shown: readonly ShownColor[], faceResponse: number): Promise<DocumentLight> =>
      pair.call('examiner', WATCH_SECONDS, 'judgeDocumentLight', { shown, faceResponse }),
    /** Loads the light analysis. Must precede all other light calls. */
    async openLight(): Promise<void> {
      pair.requireOpen();
      await Promise.all(
        pair.listWorkers().map((line) => pair.within(line, BEGIN_SECONDS, line.call('openLight', {}).reply)),
      );
    },
    /** Measures the light in the last watched frame. `at`: capture time. */
    async measureLight(at: number): Promise<void> {
      await pair.call('guide', WATCH_SECONDS, 'measureLight', { watched: lastWatched(), at });
    },
    /** Judges the measured light. Measurements accumulate until the next `forget`. */
    judgeLight: (shown: readonly ShownColor[]): Promise<LightJudgment> =>
      pair.call('guide', WATCH_SECONDS, 'judgeLight', { shown }),
    /**
     * Returns whether the last watched frame shows the person of the first frames since the last
     * `forget` or `examine`. A matching frame that looks ahead is kept for the examination; the
     * oldest is dropped beyond MAX_KEPT.
     */
    async tie(wish: TieRequest): Promise<Tie> {
      const { guide, examiner } = pair.requireOpen();
      const own = forgotten;
      const { reply: giving } = guide.call('giveFrame', { watched: lastWatched() });
      const seen = await pair.within(guide, WATCH_SECONDS, giving);
      if (!seen) return 'unseen';
      // The reference face is gone as well.
      if (own !== forgotten || !examiner.isOpen()) {
        wipe(seen);
        return 'unseen';
      }
      const { reply } = examiner.call('tie', { ...seen, ...wish }, { transfer: listBuffers(seen) });
      return pair.within(examiner, WATCH_SECONDS, reply);
    },
    /** Examines and clears the kept frames. Returns null if none were kept. */
    examine: (wanted: ExamineWish): Promise<Examined | null> =>
      pair.call('examiner', EXAMINE_SECONDS, 'examine', { wanted }),
    /** Loads the encryption. Rejects if faces are measured with another model. */
    async openEncryptor(modelId: string): Promise<void> {
      await pair.call('examiner', BEGIN_SECONDS, 'openEncryptor', { modelId });
    },
    /** Encrypts the face for the service. */
    async encrypt(wish: EncryptWish): Promise<Uint8Array> {
      const { examiner } = pair.requireOpen();
      // Transfers a copy, which the worker overwrites.
      const face = wish.face.slice();
      const { reply } = examiner.call('encrypt', { ...wish, face }, { transfer: [face.buffer] });
      return pair.within(examiner, ENCRYPT_SECONDS, reply);
    },
    /** Overwrites and drops all frames and all data of a document. */
    forget(): void {
      forgotten += 1;
      for (const line of pair.listWorkers()) line.notify({ name: 'forget' });
      sender.clear();
    },
    /** Changes when a worker was replaced, which loses the known person. Work must restart. */
    epoch: (): number => pair.epoch,
    close: (): void => pair.close(),
    /** Describes what runs where, for support and the benchmark. */
    async describe(): Promise<EngineDescription> {
      pair.requireOpen();
      return joinDescriptions(await Promise.all(pair.listWorkers().map((line) => line.call('describe', {}).reply)));
    },
  };
}

type FrameCall = 'watch' | 'lookAtDocument' | 'readDocumentFile' | 'lightDocument';

/** Sends frames to a worker, one at a time. */
function createFrameSender(pair: WorkerPair) {
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
    async send<Name extends FrameCall>(
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

/** Both workers may run a role: portraits are found where documents are read. */
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
