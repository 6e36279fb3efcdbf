// From the opened camera to the answer that the service took: every step of the plan, in its order.
import type { DeviceClient, DevicePlan, DeviceView, LogEntry, PlanStep } from '@limen/sdk/device';
import type { Camera } from '../camera/open-camera.ts';
import type { FrameSource } from '../camera/take-frames.ts';
import { thresholdOf } from '../face/index.ts';
import type { FaceEngine, ModelThresholds } from '../models/face-engine.ts';
import { runFaceStep } from '../steps/face-step.ts';
import { StepProblem } from '../steps/step-problem.ts';
import { createFrameTaker } from './frame-taker.ts';
import type { Platform } from './platform.ts';
import type { CaptureScreen, Screen } from './screens.ts';
import { until } from './until.ts';
import { untilAnswered } from './until-answered.ts';

type Findings = Parameters<DeviceClient['submit']>[0];
type Indicators = NonNullable<Findings['indicators']>;

export interface CameraParts {
  open(signal: AbortSignal): Promise<Camera>;
  start(video: HTMLVideoElement, stream: MediaStream): Promise<FrameSource>;
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
  /** The element of the capture screen, once it is shown. */
  video(): Promise<HTMLVideoElement>;
  show(screen: Screen): void;
  /** Ends the check from outside, and is how the check itself ends on what happens beside it. */
  control: AbortController;
}

const LOOK_HERE: CaptureScreen = { name: 'capture', prompt: 'guide.oval', tone: 'wait', progress: null, paused: false };

export async function runCheck(options: CheckOptions): Promise<DeviceView> {
  const { client, plan, engine, camera, platform, show, control } = options;
  const { signal } = control;
  const record = (event: LogEntry[0], index: number) => {
    // Not waited for: guidance goes on while the network is slow. What is refused ends the check.
    client.record(event, index).catch((error: unknown) => control.abort(error));
  };
  const findings: Findings = {};
  let opened: Camera | undefined;
  let frames: FrameSource | undefined;
  let playing: HTMLVideoElement | undefined;

  /** Another screen in between takes the element away, and with it the picture: what is shown then plays on. */
  async function playIn(shown: Promise<HTMLVideoElement>, stream: MediaStream): Promise<FrameSource> {
    const video = await until(shown, signal);
    if (frames && video === playing) return frames;
    frames?.stop();
    frames = undefined;
    playing = video;
    const starting = camera.start(video, stream);
    // Given up before it began, it is nobody's any more.
    starting.then((late) => signal.aborted && late.stop()).catch(() => undefined);
    frames = await until(starting, signal);
    return frames;
  }

  try {
    for (const [index, step] of plan.steps.entries()) {
      if (!isDue(step, plan, findings)) continue;
      if (step.step !== 'face') throw new StepProblem('document');
      const logged = (wanted: LogEntry[0]) => client.log().some(([event, at]) => event === wanted && at === index);
      // Before a reload, or in another tab that answers just now: to begin again here would end the session.
      if (logged('finished')) throw new RangeError('The step is finished in the log, and what was found is not here');
      if (!opened) {
        show({ name: 'permission', state: 'asking' });
        opened = await camera.open(signal);
        opened.onLost(() => control.abort(new StepProblem('unplugged')));
      }
      const signals = options.collectSignals(opened.label);
      show({ name: 'loading', share: null });
      const thresholds = await until(options.modelsReady, signal);
      show(LOOK_HERE);
      const { stream } = opened;
      const nextFrame = createFrameTaker({
        source: () => playIn(options.video(), stream),
        platform,
        signal,
        onPause: () => show({ ...LOOK_HERE, paused: true }),
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
      if (!face.spoof) record('finished', index);
    }
  } finally {
    frames?.stop();
    opened?.stop();
  }

  const showSending = (offline: boolean) => show({ name: 'working', doing: 'sending', offline });
  showSending(false);
  return untilAnswered(() => client.submit(findings), { platform, signal, onWaiting: showSending });
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
