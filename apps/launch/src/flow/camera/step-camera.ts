// The camera of one step: opens it while the person is present and plays it in the shown element.
import type { Camera, Facing } from '../../camera/open-camera.ts';
import { CameraStalledError, type FrameSource } from '../../camera/take-frames.ts';
import type { StreamListener } from '../../camera/witness/camera-witness.ts';
import type { FrameMark } from '../../camera/witness/frame-mark.ts';
import type { TakenFrame } from '../../steps/face/follow-person.ts';
import { StepProblem } from '../../steps/step-problem.ts';
import type { Platform } from '../platform.ts';
import { until } from '../waiting/until.ts';
import { type Attention, waitUntilPresent } from './attention.ts';
import { holdCamera } from './hold-camera.ts';

export interface CameraParts {
  open(facing: Facing, signal: AbortSignal): Promise<Camera>;
  start(
    video: HTMLVideoElement,
    stream: MediaStream,
    signal: AbortSignal,
    shorterSide: number,
    onMark?: (mark: FrameMark) => void,
  ): Promise<FrameSource>;
}

/** Camera selection and frame size of a step. */
export interface StepLens {
  facing: Facing;
  /** Maximum pixels of the frames' shorter side. */
  shorterSide: number;
  /** Observes the stream and all its frames. */
  witness?: StreamListener | undefined;
}

interface StepCameraOptions {
  parts: CameraParts;
  lens: StepLens;
  attention: Attention;
  platform: Pick<Platform, 'after'>;
  signal: AbortSignal;
  /** Resolves with the capture screen's element once it is shown. */
  video(): Promise<HTMLVideoElement>;
  onLost(): void;
  /** Called when the person leaves. */
  onPause(): void;
}

export type StepCamera = ReturnType<typeof createStepCamera>;

export function createStepCamera(options: StepCameraOptions) {
  const { parts, attention, platform, signal, video, onLost, onPause } = options;
  const { facing, shorterSide, witness } = options.lens;
  let playing: { video: HTMLVideoElement; stream: MediaStream; frames: FrameSource } | undefined;
  const stopPlaying = () => {
    playing?.frames.stop();
    playing = undefined;
  };
  const open = (waiting: AbortSignal) => parts.open(facing, waiting);
  const held = holdCamera({ open, attention, platform, signal, onOff: stopPlaying, onLost });

  /** Plays the stream in the current element. Screens in between replace the element. */
  async function play(waiting: AbortSignal): Promise<FrameSource> {
    const { stream } = await until(held.get(), waiting);
    const element = await until(video(), waiting);
    if (playing?.video === element && playing.stream === stream) return playing.frames;
    stopPlaying();
    witness?.begin(stream);
    const frames = await parts.start(element, stream, waiting, shorterSide, witness?.note);
    playing = { video: element, stream, frames };
    return frames;
  }

  return {
    get: held.get,
    nextFrame: createFrameTaker({ source: play, attention, signal, onPause }),
    rest: held.rest,
    stop: held.stop,
  };
}

interface FrameTakerOptions {
  source(signal: AbortSignal): Promise<FrameSource>;
  attention: Attention;
  signal: AbortSignal;
  onPause(): void;
}

/**
 * Creates a function that takes frames only while the person can see the prompt. It marks the first
 * frame after a pause, so that nothing begun before the pause counts.
 */
function createFrameTaker({ source, attention, signal, onPause }: FrameTakerOptions): () => Promise<TakenFrame> {
  return async () => {
    let afterPause = false;
    for (;;) {
      signal.throwIfAborted();
      if (!attention.isPresent()) {
        afterPause = true;
        onPause();
        await waitUntilPresent(attention, signal);
        signal.throwIfAborted();
      }
      const waiting = new AbortController();
      const giveUp = () => waiting.abort();
      const stop = attention.onChange(giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        const frames = await source(waiting.signal);
        return { image: await frames.next(waiting.signal), afterPause };
      } catch (error) {
        signal.throwIfAborted();
        // Checked first, because a camera stalls on a hidden page.
        if (waiting.signal.aborted) afterPause = true;
        else if (error instanceof CameraStalledError) throw new StepProblem('unplugged');
        else throw error;
      } finally {
        stop();
        signal.removeEventListener('abort', giveUp);
      }
    }
  };
}
