// Tracks whether the person can see the prompts: the page is visible and no dialog covers it.
import type { Platform } from '../platform.ts';

export interface Attention {
  isPresent(): boolean;
  /** Calls back when presence may have changed. Returns a function that removes the listener. */
  onChange(callback: () => void): () => void;
}

export interface PageAttention extends Attention {
  /** Sets whether a dialog covers the page. */
  cover(isCovered: boolean): void;
}

export function createAttention(platform: Pick<Platform, 'isVisible' | 'onVisibility'>): PageAttention {
  const callbacks = new Set<() => void>();
  let isCovered = false;
  return {
    isPresent: () => platform.isVisible() && !isCovered,
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

/** Resolves when the person is present or `signal` aborts. */
export function waitUntilPresent(attention: Attention, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = attention.onChange(finish);
    signal.addEventListener('abort', finish, { once: true });
    finish();
    function finish() {
      if (!attention.isPresent() && !signal.aborted) return;
      stop();
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
