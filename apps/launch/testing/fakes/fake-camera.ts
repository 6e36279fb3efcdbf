// A fake camera that shows scripted frames, and an engine that reads them.

import type { LightJudgment, ShownColor } from '@limen/light';
import type { Camera, Facing } from '../../src/camera/open-camera.ts';
import type { CameraStalledError, FrameSource } from '../../src/camera/take-frames.ts';
import type { DocumentReport, DocumentWish } from '../../src/document/kinds.ts';
import type {
  EncryptWish,
  Examined,
  FaceEngine,
  LoadRequest,
  ModelThresholds,
  WatchReport,
} from '../../src/models/face-engine.ts';
import { untilAborted } from './fake-device-client.ts';
import type { FakePlatform } from './fake-platform.ts';
import { createReport, FRAME_SIZE, type Look } from './fake-reports.ts';

/** Interval between frames on the platform's clock. */
export const FRAME_MS = 100;

/** Fake of the capture screen's element. */
export interface FakeVideo {
  /** Browsers pause an element that is removed from the page. */
  isShown: boolean;
}

/** A face, or the worker's report about a document. */
type Sight = Look | DocumentReport;

interface FakeFrame {
  width: number;
  height: number;
  look: Sight;
}

export interface FakeCamera {
  open(facing: Facing, signal: AbortSignal): Promise<Camera>;
  start(video: HTMLVideoElement, stream: MediaStream, signal: AbortSignal): Promise<FrameSource>;
  isAllowed(): Promise<boolean>;
  /** Sets the results of the next opens, one each. Later opens succeed. */
  meet(...mishaps: (Error | (() => Promise<unknown>))[]): void;
  /** Sets the results of the next stream starts, one each. */
  meetAtStart(...mishaps: (Error | (() => Promise<unknown>))[]): void;
  allow(): void;
  /** Appends frames. */
  put(...looks: readonly Sight[]): void;
  /** Adds a track to the stream. */
  track(track: Partial<MediaStreamTrack>): void;
  /** Removes all remaining frames. */
  clear(): void;
  unplug(): void;
  /** Stalls the camera; null resumes it. */
  stall(error: CameraStalledError | null): void;
  readonly opened: number;
  /** Facing modes of the opened cameras, in order. */
  readonly facings: readonly Facing[];
  /** Cameras that are open. */
  readonly running: number;
  /** Streams that are playing. */
  readonly playing: number;
  /** Frames that were not taken yet. */
  readonly left: number;
}

export function createFakeCamera(platform: FakePlatform): FakeCamera {
  const looks: Sight[] = [];
  const facings: Facing[] = [];
  const tracks: Partial<MediaStreamTrack>[] = [];
  const mishaps: (Error | (() => Promise<unknown>))[] = [];
  const startMishaps: (Error | (() => Promise<unknown>))[] = [];
  const lost = new Set<() => void>();
  const sources = new Set<FrameSource>();
  let [opened, running] = [0, 0];
  let isAllowed = false;
  let stalled: Error | null = null;
  const wake: (() => void)[] = [];
  const wakeAll = () => {
    for (const resolve of wake.splice(0)) resolve();
  };

  async function meetOne(list: (Error | (() => Promise<unknown>))[]): Promise<void> {
    const mishap = list.shift();
    if (mishap instanceof Error) throw mishap;
    await mishap?.();
  }

  return {
    async open(facing, signal) {
      await meetOne(mishaps);
      signal.throwIfAborted();
      opened += 1;
      facings.push(facing);
      running += 1;
      let isRunning = true;
      return {
        stream: { getVideoTracks: () => tracks } as unknown as MediaStream,
        label: 'FaceTime HD Camera',
        onLost: (callback) => lost.add(callback),
        stop() {
          if (isRunning) running -= 1;
          isRunning = false;
          lost.clear();
        },
      };
    },
    async start(video, _stream, starting) {
      await untilAborted(meetOne(startMishaps), starting);
      const element = video as unknown as FakeVideo;
      const source: FrameSource = {
        async next(signal) {
          for (;;) {
            signal.throwIfAborted();
            if (stalled) throw stalled;
            const look = element.isShown ? looks.shift() : undefined;
            if (look) {
              platform.pass(FRAME_MS);
              const frame: FakeFrame = { ...FRAME_SIZE, look };
              return frame as unknown as ImageBitmap;
            }
            await untilAborted(new Promise<void>((resolve) => wake.push(resolve)), signal);
          }
        },
        stop: () => void sources.delete(source),
      };
      sources.add(source);
      return source;
    },
    isAllowed: async () => isAllowed,
    meet: (...more) => void mishaps.push(...more),
    meetAtStart: (...more) => void startMishaps.push(...more),
    allow() {
      isAllowed = true;
    },
    put(...more) {
      looks.push(...more);
      wakeAll();
    },
    track: (track) => void tracks.push(track),
    clear: () => void looks.splice(0),
    unplug() {
      for (const callback of [...lost]) callback();
    },
    stall(error) {
      stalled = error;
      wakeAll();
    },
    facings,
    get opened() {
      return opened;
    },
    get running() {
      return running;
    },
    get playing() {
      return sources.size;
    },
    get left() {
      return looks.length;
    },
  };
}

/** Measurements of a lit face. */
const LIT: LightJudgment['figures'] = {
  frames: 30,
  response: 0.1,
  deviation: 0.01,
  byChannel: [0.1, 0.1, 0.1],
  lagMs: 100,
  explained: 0.9,
  explainedByOthers: 0.1,
  better: 0,
  isOtherOrder: false,
  hasRoom: true,
  shape: { looks: 'head', spread: 0.2, noise: 0.02, sides: 3 },
};

export const THRESHOLDS: ModelThresholds = new Map([
  ['liveness', { live: 0.5 }],
  ['eye', { closed: 0.6, open: 0.2 }],
  ['embedding', { falseMatch1In100000: 0.48 }],
]);

export interface FakeEngine extends FaceEngine {
  /** Sets the results of the next examinations, one each. Later ones find a person of thirty. */
  find(...examinations: (Partial<Examined> | null)[]): void;
  /** Sets the results of the next files, one each. */
  findInFiles(...reports: DocumentReport[]): void;
  meetAtLoad(...mishaps: (Error | (() => Promise<unknown>))[]): void;
  /** Kills the worker. Nothing works until the next load. */
  die(): void;
  readonly loads: readonly LoadRequest[];
  readonly kept: number;
  /** Number of measured faces. */
  readonly measured: number;
  /** People in the frames of each examination. */
  readonly examined: readonly (readonly string[])[];
  /** Documents that were started. */
  readonly wishes: readonly DocumentWish[];
  /** Whether data of a document has not been forgotten. */
  readonly hasDocument: boolean;
  readonly isClosed: boolean;
  /** Capture times of frames measured for light, and the colors of each judgment. */
  readonly lit: readonly number[];
  readonly judged: readonly (readonly ShownColor[])[];
  /** Encryption requests, with a copy of their faces. */
  readonly encrypted: readonly EncryptWish[];
  /** Makes documents look like screens. */
  shineDocuments(): void;
  /** Colors of each document judgment. */
  readonly documentLights: readonly (readonly string[])[];
}

export function createFakeEngine(): FakeEngine {
  const loads: LoadRequest[] = [];
  const loadMishaps: (Error | (() => Promise<unknown>))[] = [];
  const found: (Partial<Examined> | null)[] = [];
  const inFiles: DocumentReport[] = [];
  const documentLights: string[][] = [];
  let documentShines = false;
  const wishes: DocumentWish[] = [];
  const encrypted: EncryptWish[] = [];
  let hasDocument = false;
  const [live, dead] = [true, false];
  let worker = dead;
  let epoch = 0;
  const examined: string[][] = [];
  const lit: number[] = [];
  const judged: ShownColor[][] = [];
  let kept: string[] = [];
  let measured = 0;
  let watched: Look | null = null;
  let known: string | null = null;
  let isClosed = false;
  const age = { age: 30, lowerBound: 25 } as Examined['age'];
  const requireWorker = () => {
    if (worker === dead) throw new Error('The face models are not loaded');
  };
  return {
    async load(want) {
      loads.push(want);
      if (worker === dead) epoch += 1;
      const mishap = loadMishaps.shift();
      if (mishap instanceof Error) throw mishap;
      await mishap?.();
      worker = live;
      return THRESHOLDS;
    },
    async watch(frame): Promise<WatchReport> {
      requireWorker();
      watched = (frame as unknown as FakeFrame).look as Look;
      return { ...createReport(watched), ...(watched.repeats && { repeats: true }) };
    },
    async tie({ isAhead, isLit }) {
      requireWorker();
      if (!watched || (watched.people ?? 1) !== 1) return 'unseen';
      measured += 1;
      const { who = 'somebody' } = watched;
      if (isAhead) known ??= who;
      if (known !== who) return 'unlike';
      if (isAhead && !isLit) kept.push(who);
      return 'tied';
    },
    async openLight() {
      requireWorker();
    },
    async measureLight(atMs) {
      requireWorker();
      lit.push(atMs);
    },
    async judgeLight(shown) {
      requireWorker();
      judged.push([...shown]);
      return { finding: 'lit', because: 'lit as drawn', figures: LIT };
    },
    lit,
    judged,
    async examine(wanted) {
      requireWorker();
      const next = found.length > 0 ? found.shift()! : {};
      const hadSome = kept.length > 0;
      examined.push(kept);
      kept = [];
      known = null;
      const embedding = wanted.embedding ? Float32Array.of(1, 0) : null;
      const selfie = wanted.selfie && { selfie: Uint8Array.of(0xff, 0xd8) };
      if (!hadSome || !next) return null;
      return { liveness: 0.9, age: wanted.age ? age : null, embedding, ...selfie, ...next };
    },
    async openEncryptor() {
      requireWorker();
    },
    async encrypt(wish) {
      requireWorker();
      encrypted.push({ ...wish, face: Float32Array.from(wish.face) });
      return Uint8Array.from('probe', (letter) => letter.charCodeAt(0));
    },
    encrypted,
    async beginDocument(wish) {
      requireWorker();
      wishes.push(wish);
      hasDocument = true;
    },
    async lookAtDocument(frame) {
      requireWorker();
      return (frame as unknown as FakeFrame).look as DocumentReport;
    },
    async readDocumentFile() {
      requireWorker();
      return inFiles.shift()!;
    },
    async lightDocument() {
      requireWorker();
      return true;
    },
    async judgeDocumentLight(shown) {
      requireWorker();
      documentLights.push(shown.map(({ colour: color }) => color));
      return documentShines ? 'shines' : 'reflects';
    },
    documentLights,
    shineDocuments() {
      documentShines = true;
    },
    forget() {
      kept = [];
      known = null;
      watched = null;
      hasDocument = false;
    },
    close() {
      worker = dead;
      kept = [];
      isClosed = true;
    },
    describe: () => Promise.reject(new Error('not asked for')),
    findInFiles: (...more) => void inFiles.push(...more),
    wishes,
    get hasDocument() {
      return hasDocument;
    },
    find: (...more) => void found.push(...more),
    meetAtLoad: (...more) => void loadMishaps.push(...more),
    die() {
      worker = dead;
      kept = [];
      known = null;
      watched = null;
    },
    epoch: () => epoch,
    loads,
    get kept() {
      return kept.length;
    },
    examined,
    get measured() {
      return measured;
    },
    get isClosed() {
      return isClosed;
    },
  };
}
