// Keeps what a process holds of galleries current: reads all of them at the start, then looks after what others change.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { describeForLog } from '../../../platform/errors.ts';
import type { GalleryRow } from './face-index.ts';

const POLL_MS = 500;
/** After something could not be read at the start. */
const RETRY_MS = 2_000;
/** Galleries asked about in one statement. */
const POLL_GALLERIES = 500;

type Bring = (row: GalleryRow) => Promise<unknown>;

interface FollowOptions {
  /** Of which galleries something is held now, as their rows say. */
  heldIds(): Iterable<string>;
  listVersions(ids: readonly string[]): Promise<GalleryRow[]>;
  /** For one that is held and may have changed. */
  bring: Bring;
  /** What is held of them, for the log. */
  what: 'faces' | 'face tokens';
  log: Logger;
  pollMs?: number | undefined;
}

export interface GalleryFollower {
  /** Brings all that are listed, again and again until none is missing; from then on every change of those held. */
  begin(listAll: () => Promise<GalleryRow[]>, bringFirst: Bring): Promise<void>;
  /** Whether all that were listed at the start are here. */
  hasBegun(): boolean;
  isStopped(): boolean;
  stop(): Promise<void>;
}

export function followGalleries(options: FollowOptions): GalleryFollower {
  const { heldIds, listVersions, bring, what, log, pollMs = POLL_MS } = options;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> = Promise.resolve();
  let stopped = false;
  let begun = false;

  return {
    async begin(listAll, bringFirst) {
      while (!begun && !stopped) {
        try {
          begun = await bringAll(await listAll(), bringFirst);
        } catch (error) {
          log.warn(describeForLog(error), `loading the ${what} failed; this will be retried`);
        }
        if (!begun && !stopped) await sleep(RETRY_MS);
      }
      schedulePoll();
    },
    hasBegun: () => begun,
    isStopped: () => stopped,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await polling;
    },
  };

  /** One gallery that cannot be read keeps none of the others away; false when there was such a one. */
  async function bringAll(rows: readonly GalleryRow[], bringOne: Bring): Promise<boolean> {
    let complete = true;
    for (const row of rows) {
      if (stopped) return false;
      try {
        await bringOne(row);
      } catch (error) {
        complete = false;
        if (!stopped)
          log.warn(
            { ...describeForLog(error), gallery: row.id },
            `the ${what} of a gallery could not be read; this will be retried`,
          );
      }
    }
    return complete;
  }

  function schedulePoll(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      polling = poll().finally(schedulePoll);
    }, pollMs).unref();
  }

  async function poll(): Promise<void> {
    try {
      const ids = [...heldIds()];
      for (let at = 0; at < ids.length && !stopped; at += POLL_GALLERIES) {
        await bringAll(await listVersions(ids.slice(at, at + POLL_GALLERIES)), bring);
      }
    } catch (error) {
      if (!stopped) log.warn(describeForLog(error), 'looking for changed galleries failed; this will be retried');
    }
  }
}
