// The tools of a check that every step works with: its session, its models, its camera, its screens.
import type { LightJudgement } from '@limen/light';
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
import type { ColourChoice } from '../colour-choice.ts';
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
    /** Whether the screen may change its colour. */
    colours: Pick<ColourChoice, 'isLeftOut' | 'onLeftOut'>;
    /** Takes the numbers behind a finding, for whoever measures cameras. */
    note(judgement: LightJudgement): void;
  };
  platform: Platform;
  show(screen: Screen): void;
  /** Ends the check from outside, and is how the check itself ends on what happens beside it. */
  control: AbortController;
}

interface CheckSession {
  client: DeviceClient;
  plan: DevicePlan;
  /** Whether the check can be continued on a phone. */
  canUsePhone: boolean;
  /** The server's time, in milliseconds since 1970. */
  serverNow(): number;
  /** Time left of the session, in milliseconds. */
  timeLeftMs(): number;
}

interface CheckModels {
  engine: FaceEngine;
  /** Brings the models of a stage; settles once they are there, with their thresholds. */
  load(stage: ModelStage): Promise<ModelThresholds>;
  /** Whether the models come so slowly that the camera should wait for all that the first movement needs. */
  isSlow(): boolean;
}

interface CheckCamera {
  parts: CameraParts;
  /** Settles once the person knows why the browser is going to ask for the camera, or it will not ask. */
  explain(signal: AbortSignal): Promise<void>;
  /** Takes the label of the camera in use, or null. */
  collectSignals(label: string | null): Promise<Indicators>;
  attention: Attention;
  /** The element of the capture screen, once it is shown. */
  video(): Promise<HTMLVideoElement>;
}

/** What a person can do on the screens of these steps. */
export type PersonChoice = { choice: 'face' } | { choice: 'passkey' } | { choice: 'contact'; typed: TypedContact };

export interface PersonParts {
  people: KnownPeople;
  passkeys: Passkeys;
  choose(...signals: readonly AbortSignal[]): Promise<PersonChoice>;
  /** What the person does next on a screen of the document step. */
  chooseDocument(...signals: readonly AbortSignal[]): Promise<DocumentChoice>;
  readPicture(file: Blob): Promise<ImageBitmap>;
}

/** Adds the step's standing in the log. */
export function withStanding(course: Course, { client }: Pick<CheckSession, 'client'>): StepCourse {
  return { ...course, standing: readStanding(client.log()).get(course.index) };
}

export interface Course {
  /** The step's position in the plan. */
  index: number;
  record(event: LogEntry[0], index: number): void;
}

export const ASKING: Screen = { name: 'permission', state: 'asking' };
/** What is almost there is not worth a screen. */
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

/** What the engine tells of a person after nobody wanted it any more is overwritten. */
export function wipeLate(signal: AbortSignal) {
  return <Result>(reply: Promise<Result>): Promise<Result> => until(reply, signal, wipe);
}

/** Shows a screen while something takes its time. */
export async function slowly<Result>(
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
