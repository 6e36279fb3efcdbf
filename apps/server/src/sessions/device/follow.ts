// Notifies the streams that follow a session of its changes by any process. One poller serves all of them.
import { Readable } from 'node:stream';
import type { DeviceView } from '@limen/contract';
import type { Clock } from '../../platform/base/clock.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { isOpen } from '../lifecycle/rules.ts';
import { MAX_WATCHERS } from '../limits.ts';
import type { ChannelStore, Sighting } from './store.ts';

const POLL_EVERY_MS = 1_000;

export interface ViewWatcher {
  changed(): void;
  /** Called when a newer watcher replaces this one, or the service stops. */
  stop(): void;
}

interface WatchedSession {
  watchers: Map<string, ViewWatcher>;
  seen: string | undefined;
}

export function createFollow({
  look,
  clock,
  pollEveryMs = POLL_EVERY_MS,
  maxWatchers = MAX_WATCHERS,
}: {
  look: ChannelStore['look'];
  clock: Clock;
  pollEveryMs?: number;
  maxWatchers?: number;
}) {
  const watched = new Map<SessionId, WatchedSession>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  return {
    /** Keeps the newest watcher per device and session. Returns the function that ends it. */
    watch(sessionId: SessionId, deviceKey: string, watcher: ViewWatcher) {
      const entry = watched.get(sessionId) ?? { watchers: new Map<string, ViewWatcher>(), seen: undefined };
      const before = entry.watchers.get(deviceKey);
      if (closed || (!before && count >= maxWatchers)) {
        throw new AppError('unavailable', 'Too many pages are following sessions; ask for the view instead.', {
          headers: { 'retry-after': '5' },
        });
      }
      watched.set(sessionId, entry);
      entry.watchers.set(deviceKey, watcher);
      if (before) before.stop();
      else count += 1;
      timer ??= setTimeout(poll, pollEveryMs);
      return () => {
        if (entry.watchers.get(deviceKey) !== watcher) return;
        entry.watchers.delete(deviceKey);
        count -= 1;
        if (entry.watchers.size === 0) watched.delete(sessionId);
      };
    },

    /** Reports a change by this process, which need not wait for the poller. */
    nudge: (sessionId: SessionId) => notify(watched.get(sessionId)),
    watchers: () => count,

    close() {
      closed = true;
      clearTimeout(timer);
      for (const { watchers } of watched.values()) for (const watcher of [...watchers.values()]) watcher.stop();
    },
  };

  function poll(): void {
    void lookAround().finally(() => {
      timer = closed || watched.size === 0 ? undefined : setTimeout(poll, pollEveryMs);
    });
  }

  async function lookAround(): Promise<void> {
    if (watched.size === 0) return;
    // Other parts report a database that does not answer. The next poll comes soon.
    const sightings = await look([...watched.keys()]).catch(() => undefined);
    if (!sightings) return;
    const found = new Map(sightings.map((sighting) => [sighting.id, sighting]));
    for (const [sessionId, entry] of watched) {
      const looks = describe(found.get(sessionId));
      if (looks === entry.seen) continue;
      entry.seen = looks;
      notify(entry);
    }
  }

  /** Includes the expiry, because the next reader ends a session that is past its time. */
  function describe(sighting: Sighting | undefined): string {
    if (!sighting) return 'gone';
    const { state, revision, expires_at: expiresAt } = sighting;
    return `${state}/${revision}/${isOpen(state) && expiresAt <= clock.now()}`;
  }
}

export type ViewFollower = ReturnType<typeof createFollow>;

function notify(entry: WatchedSession | undefined): void {
  for (const watcher of [...(entry?.watchers.values() ?? [])]) watcher.changed();
}

/** Well below the idle timeouts of the server and of common proxies. */
const HEARTBEAT_MS = 15_000;
/** A reader with this much unread is treated as gone. */
const MAX_UNREAD_BYTES = 16 * 1024;

interface ViewStream {
  follow: ViewFollower;
  sessionId: SessionId;
  deviceKey: string;
  read(): Promise<DeviceView>;
  heartbeatMs?: number;
}

export function streamViews({ follow, sessionId, deviceKey, read, heartbeatMs = HEARTBEAT_MS }: ViewStream): Readable {
  const stream = new Readable({ read() {} });
  let shown: string | undefined;
  let reading = false;
  let hasChanged = false;
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

  /** Reads the view, one read at a time. Changes during a read cause one more read. */
  async function refresh(): Promise<void> {
    hasChanged = true;
    if (reading) return;
    reading = true;
    try {
      while (hasChanged && !finished && !stream.destroyed) {
        hasChanged = false;
        show(await read());
      }
    } catch {
      // The session was deleted or the database does not answer. The next request shows which.
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
