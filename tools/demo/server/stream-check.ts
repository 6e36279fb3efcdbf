// Streams a check as server-sent events: once at the start, then at every change.
import { Readable } from 'node:stream';
import type { CheckView } from './check-view.ts';

/** Heartbeat interval, well below the server's idle timeout. */
const HEARTBEAT_MS = 15_000;
/** Unread bytes from which a reader counts as stalled. */
const MAX_UNREAD_BYTES = 2 * 1024 * 1024;

interface CheckStream {
  /** Throws if the check does not exist. */
  view(): CheckView;
  watch(changed: () => void): () => void;
}

export interface LiveCheck {
  stream: Readable;
  /** Ends the stream. */
  end(): void;
}

export function streamCheck({ view, watch }: CheckStream): LiveCheck {
  const stream = new Readable({ read() {} });
  let ended = false;
  const first = view();
  const unwatch = watch(() => write(() => `data: ${JSON.stringify(view())}\n\n`));
  const heartbeat = setInterval(() => write(() => ':\n\n'), HEARTBEAT_MS);
  stream.once('close', () => {
    clearInterval(heartbeat);
    unwatch();
  });
  stream.push(`retry: 1000\ndata: ${JSON.stringify(first)}\n\n`);
  return {
    stream,
    end() {
      if (!ended) stream.push(null);
      ended = true;
    },
  };

  function write(text: () => string): void {
    if (ended || stream.destroyed) return;
    try {
      stream.push(text());
      if (stream.readableLength > MAX_UNREAD_BYTES) stream.destroy();
    } catch {
      stream.destroy(); // the check has been forgotten
    }
  }
}
