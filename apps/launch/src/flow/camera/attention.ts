// Whether the person can see what they are asked to do: not on a hidden page, and not behind a dialog.
import type { Platform } from '../platform.ts';

export interface Attention {
  isThere(): boolean;
  /** Whenever that may have changed; the result stops it. */
  onChange(callback: () => void): () => void;
}

export interface PageAttention extends Attention {
  /** A dialog was opened, or closed. */
  cover(isCovered: boolean): void;
}

export function createAttention(platform: Pick<Platform, 'isVisible' | 'onVisibility'>): PageAttention {
  const callbacks = new Set<() => void>();
  let isCovered = false;
  return {
    isThere: () => platform.isVisible() && !isCovered,
    onChange(callback) {
      const own = () => callback();
      callbacks.add(own);
      const stop = platform.onVisibility(own);
      return () => {
        callbacks.delete(own);
        stop();
      };
    },
    cover(value) {
      if (value === isCovered) return;
      isCovered = value;
      for (const callback of [...callbacks]) callback();
    },
  };
}

/** Resolves at once when they are there, and when `signal` is heard. */
export function untilThere(attention: Attention, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = attention.onChange(finish);
    signal.addEventListener('abort', finish, { once: true });
    finish();
    function finish() {
      if (!attention.isThere() && !signal.aborted) return;
      stop();
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
