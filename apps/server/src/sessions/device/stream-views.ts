// A session's view as server-sent events: once at the start, then whenever it changed, until the session has ended.
import { Readable } from 'node:stream';
import type { DeviceView } from '@limen/contract';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Follow } from './follow.ts';

/** Well below the server's own limit for a connection that stands still, and below that of common proxies. */
const HEARTBEAT_MS = 15_000;
/** A reader that has left this much lying does not read. */
const MAX_UNREAD_BYTES = 16 * 1024;

interface ViewStream {
  follow: Follow;
  sessionId: SessionId;
  deviceKey: string;
  read(): Promise<DeviceView>;
  heartbeatMs?: number;
}

export function streamViews({ follow, sessionId, deviceKey, read, heartbeatMs = HEARTBEAT_MS }: ViewStream): Readable {
  const stream = new Readable({ read() {} });
  let shown: string | undefined;
  let reading = false;
  let changedMeanwhile = false;
  let finished = false;

  const unwatch = follow.watch(sessionId, deviceKey, { changed: () => void refresh(), stop: finish });
  const heartbeat = setInterval(() => write(':\n\n'), heartbeatMs);
  stream.once('close', () => {
    clearInterval(heartbeat);
    unwatch();
  });
  void refresh();
  return stream;

  function write(text: string): void {
    if (finished || stream.destroyed) return;
    stream.push(text);
    if (stream.readableLength > MAX_UNREAD_BYTES) stream.destroy();
  }

  function finish(): void {
    if (finished || stream.destroyed) return;
    finished = true;
    clearInterval(heartbeat);
    unwatch();
    stream.push(null);
  }

  /** One reading at a time; changes that come meanwhile are seen by one more. */
  async function refresh(): Promise<void> {
    changedMeanwhile = true;
    if (reading) return;
    reading = true;
    try {
      while (changedMeanwhile && !finished && !stream.destroyed) {
        changedMeanwhile = false;
        show(await read());
      }
    } catch {
      // Deleted, or the database does not answer: whoever asks again is told which.
      finish();
    } finally {
      reading = false;
    }
  }

  function show(view: DeviceView): void {
    const { serverTime: _ticks, ...lasting } = view;
    const now = JSON.stringify(lasting);
    if (now === shown) return;
    shown = now;
    write(`event: view\ndata: ${JSON.stringify(view)}\n\n`);
    if (view.end) finish();
  }
}
