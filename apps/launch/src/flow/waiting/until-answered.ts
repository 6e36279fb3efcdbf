// Retries a call to the service until it is answered or refused.
import { isTransient } from '@limen/sdk/device';
import type { Platform } from '../platform.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

interface UntilAnsweredOptions {
  platform: Pick<Platform, 'after' | 'onOnline'>;
  signal: AbortSignal;
  /** True when it starts to wait, false after an answer. */
  onWaiting(waits: boolean): void;
}

/** Rejects with the service's refusal or the signal's reason. */
export async function untilAnswered<Result>(
  call: () => Promise<Result>,
  { platform, signal, onWaiting }: UntilAnsweredOptions,
): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    try {
      const result = await call();
      signal.throwIfAborted();
      onWaiting(false);
      return result;
    } catch (error) {
      // After a cancellation another screen is shown.
      signal.throwIfAborted();
      if (!isTransient(error)) throw error;
    }
    onWaiting(true);
    await waitForRetry(platform, waitMs, signal);
  }
}

function waitForRetry(platform: UntilAnsweredOptions['platform'], waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stops = [platform.after(waitMs, finish), platform.onOnline(finish)];
    signal.addEventListener('abort', finish, { once: true });
    function finish() {
      for (const stop of stops) stop();
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
