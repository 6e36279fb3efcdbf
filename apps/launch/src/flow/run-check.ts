// From the opened camera to the answer that the service took: every step of the plan, in its order.
import type { DeviceClient, DevicePlan, DeviceView, LogEntry, PlanStep } from '@limen/sdk/device';
import type { Camera } from '../camera/open-camera.ts';
import type { FrameSource } from '../camera/take-frames.ts';
import { thresholdOf } from '../face/index.ts';
import type { FaceEngine, ModelThresholds } from '../models/face-engine.ts';
import { runFaceStep } from '../steps/face-step.ts';
import { StepProblem } from '../steps/step-problem.ts';
import type { Attention } from './attention.ts';
import { createFrameTaker } from './frame-taker.ts';
import { holdCamera } from './hold-camera.ts';
import type { Platform } from './platform.ts';
import type { CaptureScreen, Screen } from './screens.ts';
import { until } from './until.ts';
import { untilAnswered } from './until-answered.ts';

type Findings = Parameters<DeviceClient['submit']>[0];
type Indicators = NonNullable<Findings['indicators']>;

export interface CameraParts {
  open(signal: AbortSignal): Promise<Camera>;
  start(video: HTMLVideoElement, stream: MediaStream, signal: AbortSignal): Promise<FrameSource>;
}

export interface CheckOptions {
  client: DeviceClient;
  plan: DevicePlan;
  engine: FaceEngine;
  /** Settles once the models are there, with their thresholds. */
  modelsReady: Promise<ModelThresholds>;
  camera: CameraParts;
  collectSignals(cameraLabel: string): Promise<Indicators>;
  platform: Platform;
  attention: Attention;
  /** The element of the capture screen, once it is shown. */
  video(): Promise<HTMLVideoElement>;
  show(screen: Screen): void;
  /** Ends the check from outside, and is how the check itself ends on what happens beside it. */
  control: AbortController;
}

const LOOK_HERE: CaptureScreen = { name: 'capture', prompt: 'guide.oval', tone: 'wait', progress: null, paused: false };

const ASKING: Screen = { name: 'permission', state: 'asking' };
/** Models that are almost there are not worth a screen. */
const LOADING_MS = 300;

export async function runCheck(options: CheckOptions): Promise<DeviceView> {
  const { client, plan, engine, camera, platform, attention, show, control } = options;
  const { signal } = control;
  const record = (event: LogEntry[0], index: number) => {
    // Not waited for: guidance goes on while the network is slow. What is refused ends the check.
    client.record(event, index).catch((error: unknown) => control.abort(toLogProblem(error)));
  };
  const findings: Findings = {};
  /** The step that was done last. Its end goes with the answer: after it is reported, a reload could not go on. */
  let done: number | undefined;
  let playing: { video: HTMLVideoElement; stream: MediaStream; frames: FrameSource } | undefined;
  const stopPlaying = () => {
    playing?.frames.stop();
    playing = undefined;
  };
  const held = holdCamera({
    ...{ open: camera.open, attention, platform, signal },
    onOff: stopPlaying,
    onLost: () => control.abort(new StepProblem('unplugged')),
  });

  /** Another screen in between takes the element away, and with it the picture: what is shown then plays on. */
  async function play(waiting: AbortSignal): Promise<FrameSource> {
    const { stream } = await until(held.get(), waiting);
    const video = await until(options.video(), waiting);
    if (playing?.video === video && playing.stream === stream) return playing.frames;
    stopPlaying();
    const frames = await camera.start(video, stream, waiting);
    playing = { video, stream, frames };
    return frames;
  }

  /** Before the camera: it is not on while nobody looks at what it sees. */
  async function waitForModels(): Promise<ModelThresholds> {
    const stop = platform.after(LOADING_MS, () => show({ name: 'loading', share: null }));
    try {
      return await until(options.modelsReady, signal);
    } finally {
      stop();
    }
  }

  try {
    for (const [index, step] of plan.steps.entries()) {
      if (!isDue(step, plan, findings)) continue;
      if (step.step !== 'face') throw new StepProblem('document');
      if (done !== undefined) record('finished', done);
      const logged = (wanted: LogEntry[0]) => client.log().some(([event, at]) => event === wanted && at === index);
      // Before a reload, or in another tab that answers just now: to begin again here would end the session.
      if (logged('finished')) throw new StepProblem('scan', { isFinal: true });
      show(ASKING);
      const thresholds = await waitForModels();
      show(ASKING);
      const { label } = await held.get();
      const signals = options.collectSignals(label);
      show(LOOK_HERE);
      const nextFrame = createFrameTaker({
        ...{ source: play, attention, signal },
        onPause() {
          engine.forget();
          show({ ...LOOK_HERE, paused: !platform.isVisible() });
        },
      });
      const { face } = await runFaceStep({
        ...{ step, index, record, show, nextFrame },
        begun: logged('started'),
        wantsEmbedding: plan.steps.some((other) => other.step === 'identity_document'),
        eye: {
          watch: (image) => until(engine.watch(image), signal),
          keep: engine.keep,
          examine: (wanted) => until(engine.examine(wanted), signal),
          forget: engine.forget,
        },
        limits: {
          live: thresholdOf({ thresholds }, 'liveness', 'live'),
          eyesClosed: thresholdOf({ thresholds }, 'eye', 'closed'),
          eyesOpen: thresholdOf({ thresholds }, 'eye', 'open'),
        },
        now: platform.now,
      });
      findings.face = face;
      findings.indicators = await signals;
      done = face.spoof ? undefined : index;
    }
  } finally {
    held.stop();
  }

  const showSending = (offline: boolean) => show({ name: 'working', doing: 'sending', offline });
  showSending(false);
  const submit = () => client.submit(findings, { finish: done }).catch((error: unknown) => throwLogProblem(error));
  return untilAnswered(submit, { platform, signal, onWaiting: showSending });
}

/** The client's word for a log that takes no more: no more attempts either. */
function toLogProblem(error: unknown): unknown {
  return error instanceof RangeError ? new StepProblem('scan', { isFinal: true, cause: error }) : error;
}

function throwLogProblem(error: unknown): never {
  throw toLogProblem(error);
}

/** After a spoof nothing else is looked at; a conditional step is due below the face step's threshold. */
function isDue(step: PlanStep, plan: DevicePlan, { face }: Findings): boolean {
  if (face?.spoof) return false;
  if (step.when === 'always') return true;
  if (!face) return false;
  if ('thresholdResult' in face) return face.thresholdResult === 'AGE_BELOW_THRESHOLD';
  const faceStep = plan.steps.find((other) => other.step === 'face');
  return faceStep !== undefined && Math.floor(face.lowerBound) < faceStep.ageThreshold;
}
