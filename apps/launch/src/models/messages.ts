// Messages between the page and a worker. Every request has an id that its replies carry.

import type { DocumentLight, LightJudgment, ShownColor } from '@limen/light';
import type { DocumentReport, DocumentWish } from '../document/kinds.ts';
import type { Examination, Frame, FrameReport, ModelRole, Thresholds, Wanted } from '../face/index.ts';
import type { LoadErrorCode } from '../loading/load-error.ts';
import type { ChallengeKey } from '../token/encrypt-face.ts';
import type { WatchedFrame } from './worker/frame-store.ts';
import type { RuntimeBuild } from './worker/runtime.ts';

export interface LoadWish {
  roles: readonly ModelRole[];
  /** Null if the plan names none; then the currently served manifest is used. */
  manifestHash: string | null;
  /** Absolute, because the worker's own address differs. */
  modelsUrl: string;
  /** Number of workers that share the device's cores. */
  workers: number;
}

/** Progress when everything is fetched but not yet opened. */
export const FETCHED_SHARE = 0.99;

/** Thresholds of the loaded models. */
export type ModelThresholds = ReadonlyMap<ModelRole, Thresholds>;

export interface EngineDescription {
  /** Maximum of the workers. */
  threads: number;
  /** Runtime of each model. */
  roles: Partial<Record<ModelRole, RuntimeBuild>>;
  /** Number of runs and total time of each model since the worker started. */
  work: Partial<Record<ModelRole, { runs: number; ms: number }>>;
}

export interface WatchReport extends FrameReport {
  /** Set if frames repeat bit by bit, as a camera's never do. */
  repeats?: true;
}

export interface TieRequest {
  /** The face looks ahead: compared with the stricter threshold, and kept if it matches. */
  isAhead: boolean;
  /** Lit by the colors: the stricter threshold too, but not kept for the age. */
  isLit?: true;
}

/** Whether a frame shows this attempt's person. `unseen`: no single face, or no frame. */
export type Tie = 'tied' | 'unlike' | 'unseen';

export interface ExamineWish extends Wanted {
  /** A JPEG of the best frame, if requested. */
  selfie?: boolean;
}

export interface Examined extends Examination {
  selfie?: Uint8Array;
}

/** A face, its encryption key, and the model that must have measured it. */
export interface EncryptWish {
  face: Float32Array;
  key: ChallengeKey;
  modelId: string;
}

export interface Calls {
  load: { request: LoadWish; reply: ModelThresholds };
  watch: { request: { frame: ImageBitmap | Frame }; reply: WatchReport };
  /** Releases the frame of that watch; null if it is gone or shows no single face. */
  giveFrame: { request: { watched: number }; reply: WatchedFrame | null };
  /** Hands the frame to the worker, which overwrites it. */
  tie: { request: WatchedFrame & TieRequest; reply: Tie };
  openLight: { request: object; reply: null };
  /** `watched`: id of the watch. `at`: capture time of its frame. */
  measureLight: { request: { watched: number; at: number }; reply: null };
  judgeLight: { request: { shown: readonly ShownColor[] }; reply: LightJudgment };
  examine: { request: { wanted: ExamineWish }; reply: Examined | null };
  beginDocument: { request: { wish: DocumentWish }; reply: null };
  lookAtDocument: { request: { frame: ImageBitmap | Frame }; reply: DocumentReport };
  readDocumentFile: { request: { frame: ImageBitmap | Frame }; reply: DocumentReport };
  /** Measures the light at `at`; false if the frame shows another document. */
  lightDocument: { request: { frame: ImageBitmap | Frame; at: number }; reply: boolean };
  judgeDocumentLight: { request: { shown: readonly ShownColor[]; faceResponse: number }; reply: DocumentLight };
  openEncryptor: { request: { modelId: string }; reply: null };
  encrypt: { request: EncryptWish; reply: Uint8Array };
  describe: { request: object; reply: EngineDescription };
}
export type CallName = keyof Calls;

export type Notice = { name: 'forget' };

export type Call = { [Name in CallName]: { id: number; name: Name } & Calls[Name]['request'] }[CallName];
export type ToWorker = Call | Notice;

export interface CallFailure {
  /** Null if the failure is unrelated to loading. */
  code: LoadErrorCode | null;
  message: string;
}

export type FromWorker =
  | { id: number; value: Calls[CallName]['reply'] }
  | { id: number; failure: CallFailure }
  | { id: number; share: number };
