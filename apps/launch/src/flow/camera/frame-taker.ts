// Hands out frames while somebody is there to be seen.
import { CameraStalledError } from '../../camera/await-picture.ts';
import type { FrameSource } from '../../camera/take-frames.ts';
import type { TakenFrame } from '../../steps/face/face-step.ts';
import { StepProblem } from '../../steps/step-problem.ts';
import { type Attention, untilThere } from './attention.ts';

interface FrameTakerOptions {
  source(signal: AbortSignal): Promise<FrameSource>;
  attention: Attention;
  signal: AbortSignal;
  onPause(): void;
}

/** Nobody is looked at who cannot see what is asked, and what was begun before does not count after. */
export function createFrameTaker({ source, attention, signal, onPause }: FrameTakerOptions): () => Promise<TakenFrame> {
  return async () => {
    let afterPause = false;
    for (;;) {
      signal.throwIfAborted();
      if (!attention.isThere()) {
        afterPause = true;
        onPause();
        await untilThere(attention, signal);
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
        // First: a camera stands still on a page that is hidden.
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
