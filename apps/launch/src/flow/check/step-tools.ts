// Tools that every step of a check uses: session, models, camera and screens.
import type { LightJudgment } from '@limen/light';
import { readStanding } from '@limen/plan';
import type { DeviceClient, DevicePlan, LogEntry } from '@limen/sdk/device';
import type { Screen, TypedContact } from '../../course/screens.ts';
import type { FaceEngine, ModelThresholds } from '../../models/face-engine.ts';
import { wipe } from '../../models/wipe.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import type { KnownPeople } from '../../people/people-store.ts';
import type { DocumentChoice } from '../../steps/document/scan-document.ts';
import type { StepCourse } from '../../steps/step-course.ts';
import { StepProblem } from '../../steps/step-problem.ts';
import type { Attention } from '../camera/attention.ts';
import { type CameraParts, createStepCamera, type StepCamera, type StepLens } from '../camera/step-camera.ts';
import type { ColorChoice } from '../colour-choice.ts';
import type { Platform } from '../platform.ts';
import { until } from '../waiting/until.ts';
import type { Indicators } from './keep-findings.ts';
import type { ModelStage } from './load-models.ts';

export interface CheckOptions {
  session: CheckSession;
  models: CheckModels;
  camera: CheckCamera;
  person: PersonParts;
  light: {
    /** Whether the screen may change its color. */
    colours: Pick<ColorChoice, 'isLeftOut' | 'onLeftOut'>;
    /** Takes the measurements of a judgment, for camera diagnostics. */
    note(judgment: LightJudgment): void;
  };
  platform: Platform;
  show(screen: Screen): void;
  /** Aborts the check, from outside or from within. */
  control: AbortController;
}

interface CheckSession {
  client: DeviceClient;
  plan: DevicePlan;
  canUsePhone: boolean;
  /** Milliseconds since 1970, by the server. */
  serverNow(): number;
  timeLeftMs(): number;
}

interface CheckModels {
  engine: FaceEngine;
  /** Loads the models of a stage. Settles with their thresholds. */
  load(stage: ModelStage): Promise<ModelThresholds>;
  /** Whether the camera should wait for the models, because they load slowly. */
  isSlow(): boolean;
}

interface CheckCamera {
  parts: CameraParts;
  /** Settles once the camera is explained, or if the browser will not ask. */
  explain(signal: AbortSignal): Promise<void>;
  /** Takes the label of the current camera, or null. */
  collectSignals(label: string | null): Promise<Indicators>;
  attention: Attention;
  video(): Promise<HTMLVideoElement>;
}

/** Choices on the screens of these steps. */
export type PersonChoice = { choice: 'face' } | { choice: 'passkey' } | { choice: 'contact'; typed: TypedContact };

export interface PersonParts {
  people: KnownPeople;
  passkeys: Passkeys;
  choose(...signals: readonly AbortSignal[]): Promise<PersonChoice>;
  /** Next choice of the person in the document step. */
  chooseDocument(...signals: readonly AbortSignal[]): Promise<DocumentChoice>;
  readPicture(file: Blob): Promise<ImageBitmap>;
}

/** Adds the step's state in the log. */
export function withStanding(course: Course, { client }: Pick<CheckSession, 'client'>): StepCourse {
  return { ...course, standing: readStanding(client.log()).get(course.index) };
}

export interface Course {
  /** The step's position in the plan. */
  index: number;
  record(event: LogEntry[0], index: number): void;
}

export const ASKING: Screen = { name: 'permission', state: 'asking' };
/** Delay before the loading screen, so that short waits show none. */
const LOADING_MS = 300;

export async function withCamera<Result>(
  { camera, platform, control }: CheckOptions,
  lens: StepLens,
  onPause: () => void,
  work: (camera: StepCamera) => Promise<Result>,
): Promise<Result> {
  const { signal } = control;
  const onLost = () => control.abort(new StepProblem('unplugged'));
  const opened = createStepCamera({ ...camera, lens, platform, signal, onLost, onPause });
  try {
    return await work(opened);
  } finally {
    opened.stop();
  }
}

/** Overwrites results of the engine that arrive after the signal aborted. */
export function wipeLate(signal: AbortSignal) {
  return <Result>(reply: Promise<Result>): Promise<Result> => until(reply, signal, wipe);
}

/** Shows a screen if the work takes longer than `LOADING_MS`. */
export async function showWhileSlow<Result>(
  { platform, show, control }: Pick<CheckOptions, 'platform' | 'show' | 'control'>,
  screen: Screen,
  work: Promise<Result>,
): Promise<Result> {
  const stop = platform.after(LOADING_MS, () => show(screen));
  try {
    return await until(work, control.signal);
  } finally {
    stop();
  }
}
