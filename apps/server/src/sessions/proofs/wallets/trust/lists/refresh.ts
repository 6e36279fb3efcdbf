// Refreshes the lists of authorities once a day, one after the other.

import {
  isDue,
  type Refreshing,
  type RefreshTuning,
  startRefreshing,
} from '../../../../../platform/async/refreshing.ts';
import type { Clock } from '../../../../../platform/base/clock.ts';
import { createListOutbound } from '../../../../../platform/outbound/lists.ts';
import type { TrustFolder } from '../folder.ts';
import type { TrustListStore } from './store.ts';
import { sentenceOfTrust, syncTrustList } from './sync.ts';

export const REFRESH_HOURS = 24;

interface RefreshOptions extends RefreshTuning {
  folder: TrustFolder;
  store: TrustListStore;
  clock: Clock;
  log: {
    info(fields: Record<string, unknown>, message: string): void;
    warn(fields: Record<string, unknown>, message: string): void;
  };
}

export function startTrustRefresh(options: RefreshOptions): Refreshing {
  return startRefreshing(REFRESH_HOURS, (signal) => refreshDue(options, signal), options);
}

/** Whether every list that was due could be read. */
async function refreshDue({ folder, store, clock, log }: RefreshOptions, signal: AbortSignal): Promise<boolean> {
  const outbound = createListOutbound();
  let allWell = true;
  try {
    const { lists } = await store.read();
    for (const list of lists.filter(({ checkedAt }) => isDue(checkedAt, REFRESH_HOURS, clock.now()))) {
      signal.throwIfAborted();
      try {
        const { anchors, added, gone } = await syncTrustList(list, { folder, store, outbound, clock }, signal);
        const fields = { list: list.name, anchors, added: added.length, gone: gone.length };
        log.info(fields, 'a list of trusted authorities was refreshed');
      } catch (error) {
        signal.throwIfAborted();
        allWell = false;
        log.warn({ list: list.name, reason: reasonOf(error) }, 'a list of trusted authorities could not be refreshed');
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    allWell = false;
    log.warn({ reason: reasonOf(error) }, 'the lists of trusted authorities could not be read');
  } finally {
    await outbound.close();
  }
  return allWell;
}

/** An error that has no sentence of ours is reported by class and code only. */
function reasonOf(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  return sentenceOfTrust(error) ?? [name, code].filter(Boolean).join(' ');
}
