// The page's side of the face work: a worker that sees the frames and guides, and beside it, where there are cores for both, one that
// knows whose face it is and how old. Else one does both.
import type { DocumentLight, DocumentReport, DocumentWish } from '../document/kinds.ts';
import type { LightJudgement, ModelRole, ShownColour } from '../face/index.ts';
import { type LoadErrorCode, ModelLoadError } from '../loading/load-error.ts';
import { type After, startTimer } from '../loading/start-timer.ts';
import { connectWorker, type WorkerLike, type WorkerLine } from './call-worker.ts';
import { limitSilence } from './limit-silence.ts';
import {
  type CallName,
  type Calls,
  type EncryptWish,
  type EngineDescription,
  type Examined,
  type ExamineWish,
  FETCHED_SHARE,
  type ModelThresholds,
  type Tie,
  type TieWish,
  type WatchReport,
} from './messages.ts';
import { canReadInWorker, createPixelReader } from './read-frame.ts';
import { buffersOf, wipe } from './wipe.ts';

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
export { type LoadErrorCode, ModelLoadError };

export interface LoadRequest {
  roles: readonly ModelRole[];
  /** Null where the plan names none. */
  manifestHash: string | null;
  onProgress?(share: number): void;
}

interface Lines {
  /** Finds a face and follows it. */
  guide: WorkerLine;
  /** Has what takes longer: whose face it is, how old, whether it is one at all, and documents. */
  examiner: WorkerLine;
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
  /** What those numbers say, given the colours that were shown. They stay for the next colours, until the next `forget`. */
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
  /**
   * Another number once a worker was started in the place of one that is gone. With that went whoever was known in it: what was
   * begun before has to be begun anew.
   */
  epoch(): number;
  close(): void;
  /** For support and the benchmark: what runs where. */
  describe(): Promise<EngineDescription>;
}

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
/** Without any progress, and longer while loading as everything is. */
const LOAD_SECONDS = 20;
/** For each frame. */
const EXAMINE_SECONDS = 30;
/** Also brings the reader of barcodes, or the library for tokens: longer than a file is asked for in vain, so that it is said why. */
const BEGIN_SECONDS = 125;
const FILE_SECONDS = 60;
const ENCRYPT_SECONDS = 20;

export function createFaceEngine(options: FaceEngineOptions = {}): FaceEngine {
  const { startWorker = startFaceWorker, after = startTimer } = options;
  const { cores = navigator.hardwareConcurrency } = options;
  /** Those that have brought anything yet. */
  const proven = new WeakSet<WorkerLine>();
  let lines: Lines | undefined;
  /** Not where the second one never came to life: a device may have no room for it. */
  let mayBeTwo = cores >= 2;
  let epoch = 0;
  const { within, withinLoad } = limitSilence(after);
  /** What loads before fetch for guidance is there, or will not come. Over a slow link nothing holds it up. */
  let guidanceFetched: Promise<void> = Promise.resolve();
  /** Counts: what comes late is of an attempt that is over. */
  let forgotten = 0;
  let isWatching = false;
  let watched = 0;
  let pagePixels: ReturnType<typeof createPixelReader> | undefined;

  /** One that is gone is replaced, and the other one stays. */
  function reach(): Lines {
    const open = findOpen();
    if (open) return open;
    if (lines && hasComeToLife(lines.guide) && !hasComeToLife(lines.examiner)) mayBeTwo = false;
    const guide = lines?.guide.isOpen() ? lines.guide : connectWorker(startWorker());
    const examiner = lines?.examiner.isOpen() ? lines.examiner : mayBeTwo ? connectWorker(startWorker()) : guide;
    lines = { guide, examiner };
    epoch += 1;
    watched = 0;
    return lines;
  }

  function findOpen(): Lines | undefined {
    return lines?.guide.isOpen() && lines.examiner.isOpen() ? lines : undefined;
  }

  async function load(want: LoadRequest): Promise<ModelThresholds> {
    const { roles, manifestHash, onProgress } = want;
    const to = reach();
    const before = guidanceFetched;
    const modelsUrl = options.modelsUrl ?? new URL('launch/models/', location.href).href;
    const tell = createJointProgress(onProgress);
    const workers = to.guide === to.examiner ? 1 : 2;
    const bring = async (line: WorkerLine, some: readonly ModelRole[], onProgress: (share: number) => void) => {
      const { reply } = line.call('load', { roles: some, manifestHash, modelsUrl, workers }, { onProgress });
      try {
        const thresholds = await withinLoad(line, LOAD_SECONDS, reply);
        proven.add(line);
        return thresholds;
      } catch (error) {
        // What failed at the first go may be stuck in the worker, a script that did not arrive say. The next go gets a new one.
        // Not where the service has nothing to give yet: it is asked again, and the other worker guides on meanwhile.
        const mayBeStuck = !(error instanceof ModelLoadError && error.code === 'unready');
        if (mayBeStuck && !proven.has(line)) line.end(error instanceof Error ? error : new Error(NOT_LOADED));
        throw error;
      }
    };
    const guiding = workers === 1 ? roles : roles.filter((role) => isGuiding(role, roles));
    const others = roles.filter((role) => !guiding.includes(role));
    const parts: Promise<ModelThresholds>[] = [];
    if (guiding.length > 0) {
      const tellShare = tell();
      let endFetching = () => {};
      const fetching = new Promise<void>((resolve) => {
        endFetching = resolve;
      });
      const guided = bring(to.guide, guiding, (share) => {
        if (share >= FETCHED_SHARE) endFetching();
        tellShare(share);
      });
      guided.then(endFetching, endFetching);
      guidanceFetched = Promise.all([before, fetching]).then(() => undefined);
      parts.push(guided);
    }
    if (others.length > 0) {
      const tellShare = tell();
      parts.push(before.then(() => bring(to.examiner, others, tellShare)));
    }
    const thresholds = await Promise.all(parts);
    return new Map(thresholds.flatMap((some) => [...some]));
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
    const to = findOpen();
    if (isWatching || !to) {
      if ('close' in frame) frame.close();
      throw new Error(isWatching ? 'A frame is being watched already' : NOT_LOADED);
    }
    isWatching = true;
    try {
      const { frame: given, transfer } = prepare(frame);
      const line = name === 'watch' ? to.guide : to.examiner;
      const { id, reply } = line.call(name, { frame: given, ...more } as Calls[Name]['request'], { transfer });
      return { id, report: await within(line, seconds, reply) };
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
      await ask('examiner', BEGIN_SECONDS, 'beginDocument', { wish });
    },
    lookAtDocument: async (frame) => (await handOver('lookAtDocument', frame, EXAMINE_SECONDS, {})).report,
    readDocumentFile: async (frame) => (await handOver('readDocumentFile', frame, FILE_SECONDS, {})).report,
    lightDocument: async (frame, at) => (await handOver('lightDocument', frame, WATCH_SECONDS, { at })).report,
    judgeDocumentLight: (shown, faceResponse) =>
      ask('examiner', WATCH_SECONDS, 'judgeDocumentLight', { shown, faceResponse }),
    async measureLight(at) {
      await ask('guide', WATCH_SECONDS, 'measureLight', { watched, at });
    },
    judgeLight: (shown) => ask('guide', WATCH_SECONDS, 'judgeLight', { shown }),
    async tie(wish) {
      const { guide, examiner } = both();
      const own = forgotten;
      const seen = await within(guide, WATCH_SECONDS, guide.call('giveFrame', { watched }).reply);
      if (!seen) return 'unseen';
      // With it went whoever it would be compared with.
      if (own !== forgotten || !examiner.isOpen()) {
        wipe(seen);
        return 'unseen';
      }
      const { reply } = examiner.call('tie', { ...seen, ...wish }, { transfer: buffersOf(seen) });
      return within(examiner, WATCH_SECONDS, reply);
    },
    examine: (wanted) => ask('examiner', EXAMINE_SECONDS, 'examine', { wanted }),
    async openEncryptor(modelId) {
      await ask('examiner', BEGIN_SECONDS, 'openEncryptor', { modelId });
    },
    async encrypt(wish) {
      const { examiner } = both();
      // A copy of its own, which is there and nowhere else once it is handed over: the worker overwrites it.
      const face = wish.face.slice();
      const { reply } = examiner.call('encrypt', { ...wish, face }, { transfer: [face.buffer] });
      return within(examiner, ENCRYPT_SECONDS, reply);
    },
    forget() {
      forgotten += 1;
      for (const line of all()) line.tell({ name: 'forget' });
      pagePixels?.clear();
    },
    epoch: () => epoch,
    close() {
      for (const line of all()) line.end(new Error('The face engine was closed'));
      lines = undefined;
    },
    async describe() {
      both();
      const described = await Promise.all(all().map((line) => line.call('describe', {}).reply));
      return joinDescriptions(described);
    },
  };

  function both(): Lines {
    const open = findOpen();
    if (!open) throw new Error(NOT_LOADED);
    return open;
  }

  /** Each once. */
  function all(): WorkerLine[] {
    return [...new Set(lines && [lines.guide, lines.examiner])];
  }

  async function ask<Name extends CallName>(
    whom: keyof Lines,
    seconds: number,
    name: Name,
    request: Calls[Name]['request'],
  ): Promise<Calls[Name]['reply']> {
    const line = both()[whom];
    return within(line, seconds, line.call(name, request).reply);
  }
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

/** As far as anybody knows: one that was asked for nothing yet has nothing to say. */
function hasComeToLife(line: WorkerLine): boolean {
  return line.hasSpoken() || line.isOpen();
}

/** A document is read in one place: its portrait is found and measured there. */
function isGuiding(role: ModelRole, together: readonly ModelRole[]): boolean {
  return GUIDING.has(role) && !together.includes('document_text');
}

/** The smaller share of the two, where both workers bring something. */
function createJointProgress(onProgress: LoadRequest['onProgress']) {
  const shares: number[] = [];
  let told = -1;
  return () => {
    const index = shares.push(0) - 1;
    return (share: number) => {
      shares[index] = share;
      const least = Math.min(...shares);
      if (least <= told) return;
      told = least;
      onProgress?.(least);
    };
  };
}

const GUIDING: ReadonlySet<ModelRole> = new Set(['detect', 'landmarks', 'eye']);

const NOT_LOADED = 'The face models are not loaded';

function startFaceWorker(): WorkerLike {
  return new Worker(new URL('./worker/face-worker.ts', import.meta.url), { type: 'module', name: 'limen-face' });
}
