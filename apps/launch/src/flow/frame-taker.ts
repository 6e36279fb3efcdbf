// Hands out frames while the page is seen.
import { CameraStalledError, type FrameSource } from '../camera/take-frames.ts';
import type { TakenFrame } from '../steps/face-step.ts';
import { StepProblem } from '../steps/step-problem.ts';
import type { Platform } from './platform.ts';

interface FrameTakerOptions {
  source(): Promise<FrameSource>;
  platform: Platform;
  signal: AbortSignal;
  onPause(): void;
}

/** Hidden pages get none, and what was begun before does not count after. */
export function createFrameTaker({ source, platform, signal, onPause }: FrameTakerOptions): () => Promise<TakenFrame> {
  return async () => {
    let afterPause = false;
    for (;;) {
      signal.throwIfAborted();
      if (!platform.isVisible()) {
        afterPause = true;
        onPause();
        await untilSeen(platform, signal);
      }
      const waiting = new AbortController();
      const giveUp = () => waiting.abort();
      const stop = platform.onVisibility(giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        const frames = await source();
        return { image: await frames.next(waiting.signal), afterPause };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof CameraStalledError) throw new StepProblem('unplugged');
        if (!waiting.signal.aborted) throw error;
        afterPause = true;
      } finally {
        stop();
        signal.removeEventListener('abort', giveUp);
      }
    }
  };
}

function untilSeen(platform: Platform, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = platform.onVisibility(finish);
    signal.addEventListener('abort', finish, { once: true });
    function finish() {
      if (!platform.isVisible() && !signal.aborted) return;
      stop();
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
