// What the page and a worker say to each other. Every request has an id; every answer carries it.

import type { DocumentLight, LightJudgement, ShownColour } from '@limen/light';
import type { DocumentReport, DocumentWish } from '../document/kinds.ts';
import type { Examination, Frame, FrameReport, ModelRole, Thresholds, Wanted } from '../face/index.ts';
import type { LoadErrorCode } from '../loading/load-error.ts';
import type { ChallengeKey } from '../token/encrypt-face.ts';
import type { WatchedFrame } from './worker/frame-store.ts';
import type { RuntimeBuild } from './worker/runtime.ts';

export interface LoadWish {
  roles: readonly ModelRole[];
  /** Null where the plan names none: then the manifest is the one that is served. */
  manifestHash: string | null;
  /** Absolute: a worker's own address is another one. */
  modelsUrl: string;
  /** How many there are: the device's cores are shared between them. */
  workers: number;
}

/** Progress of a load that is over but for opening what came. */
export const FETCHED_SHARE = 0.99;

/** Of the models that are loaded. */
export type ModelThresholds = ReadonlyMap<ModelRole, Thresholds>;

export interface EngineDescription {
  /** Of the worker that has most. */
  threads: number;
  /** What computes each model. */
  roles: Partial<Record<ModelRole, RuntimeBuild>>;
  /** Since the worker started: how often each model ran, and how long that took together. */
  work: Partial<Record<ModelRole, { runs: number; ms: number }>>;
}

export interface WatchReport extends FrameReport {
  /** Frames repeat to the last bit, as those of a camera never do. */
  repeats?: true;
}

export interface TieWish {
  /** The face looks ahead: it is held against the stricter threshold, and the frame is kept if it is tied. */
  isAhead: boolean;
  /** By the colours of the screen: held against the same threshold, and not kept. An age is not estimated from it. */
  isLit?: true;
}

/**
 * Whether a frame shows the person of this attempt: who was there in its first frames. `unseen` where there is nothing to
 * compare: no face, more than one, or a frame that is gone.
 */
export type Tie = 'tied' | 'unlike' | 'unseen';

export interface ExamineWish extends Wanted {
  /** A JPEG of the best frame, for who asked for one. */
  selfie?: boolean;
}

export interface Examined extends Examination {
  selfie?: Uint8Array;
}

/** What a face is encrypted with, and the model that it must have been measured with. */
export interface EncryptWish {
  face: Float32Array;
  key: ChallengeKey;
  modelId: string;
}

/** What is asked and what comes back. */
export interface Calls {
  load: { request: LoadWish; reply: ModelThresholds };
  watch: { request: { frame: ImageBitmap | Frame }; reply: WatchReport };
  /** The frame of that watch, which is the worker's no more; null where it is gone, or shows nobody or two. */
  giveFrame: { request: { watched: number }; reply: WatchedFrame | null };
  /** From here on the frame is the worker's to overwrite. */
  tie: { request: WatchedFrame & TieWish; reply: Tie };
  /** Loads the analysis of light. */
  openLight: { request: object; reply: null };
  /** By the id of the watch, with when its frame was taken. */
  measureLight: { request: { watched: number; at: number }; reply: null };
  judgeLight: { request: { shown: readonly ShownColour[] }; reply: LightJudgement };
  examine: { request: { wanted: ExamineWish }; reply: Examined | null };
  beginDocument: { request: { wish: DocumentWish }; reply: null };
  lookAtDocument: { request: { frame: ImageBitmap | Frame }; reply: DocumentReport };
  readDocumentFile: { request: { frame: ImageBitmap | Frame }; reply: DocumentReport };
  /** Keeps numbers of the light in a frame, which was taken then; false where it shows another document than the last look. */
  lightDocument: { request: { frame: ImageBitmap | Frame; at: number }; reply: boolean };
  judgeDocumentLight: { request: { shown: readonly ShownColour[]; faceResponse: number }; reply: DocumentLight };
  openEncryptor: { request: { modelId: string }; reply: null };
  encrypt: { request: EncryptWish; reply: Uint8Array };
  describe: { request: object; reply: EngineDescription };
}
export type CallName = keyof Calls;

/** Said without waiting for an answer. */
export type Notice = { name: 'forget' };

export type Call = { [Name in CallName]: { id: number; name: Name } & Calls[Name]['request'] }[CallName];
export type ToWorker = Call | Notice;

export interface CallFailure {
  /** Null for what has nothing to do with loading. */
  code: LoadErrorCode | null;
  message: string;
}

export type FromWorker =
  | { id: number; value: Calls[CallName]['reply'] }
  | { id: number; failure: CallFailure }
  | { id: number; share: number };
