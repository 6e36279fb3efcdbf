// Gives the database new data keys while processes work on it (docs/decisions.md#new-data-keys). All processes learn the new keys, then all
// seal with them. Everything under the earlier keys is then sealed again, and finally these keys are destroyed.
//
// Only the database keeps the progress. An interruption at any moment leaves keys that open everything, and the next call
// continues.
import { setTimeout as pause } from 'node:timers/promises';
import { livingProcesses, type ProcessRow, possibleProcesses } from '../../platform/database/processes.ts';
import {
  addDataKeys,
  destroyEarlierDataKeys,
  readDataKeyState,
  useNextDataKeys,
} from '../../platform/sealing/keyring.ts';
import type { Storage } from '../../platform/storage.ts';
import { resealAll } from './reseal.ts';

export interface RotationOptions extends Pick<Storage, 'database' | 'sealer' | 'keyring' | 'keys'> {
  /** The process that is not waited for, because it changes its keys itself */
  presence: Pick<Storage['presence'], 'id'>;
  onStep(step: RotationStep): void;
  /** Stops between two steps or batches. */
  signal: AbortSignal;
  /** Time for values under the earlier keys to turn up, if other processes run */
  quietMs?: number;
  pollMs?: number;
  /** Whether the earlier keys are destroyed although some values do not open */
  leavesUnreadable?: boolean;
}

export type RotationStep =
  | { step: 'made' }
  | { step: 'waiting'; until: 'known' | 'used'; processes: ProcessRow[] }
  | { step: 'resealing'; table: string; changed: number }
  | { step: 'quiet'; untilMs: number };

/** Longest time until a value under an earlier key comes back, such as the cookie of a sign-in */
const QUIET_MS = 16 * 60_000;
const POLL_MS = 1_000;

/** Destroys the earlier keys unless some values do not open. */
export async function rotateDataKeys(options: RotationOptions) {
  const { keyring, keys, onStep, quietMs = QUIET_MS, signal } = options;
  let state = await readDataKeyState(keyring);
  // Creates keys unless an earlier rotation has not ended.
  if (!state.isNext && !state.hasEarlier) {
    await addDataKeys(keyring);
    onStep({ step: 'made' });
    state = await readDataKeyState(keyring);
  }
  const { newest, isNext } = state;
  if (isNext) {
    await waitForAllProcesses(options, 'known', ({ opens_with }) => opens_with !== null && opens_with >= newest);
    await useNextDataKeys(keyring);
  }
  await keys.refresh();
  await waitForAllProcesses(options, 'used', ({ seals_with }) => seals_with !== null && seals_with >= newest);

  let changed = 0;
  let hasBeenQuiet = false;
  for (;;) {
    const pass = await resealAll({
      ...options,
      onProgress: (table, count) => onStep({ step: 'resealing', table, changed: changed + count }),
    });
    changed += pass.changed;
    // Includes processes that were cut off: they may return with values and keys that they had read.
    const isAlone = (await listOthers(options, possibleProcesses)).length === 0;
    const isDestroyed = pass.unreadable.size === 0 || options.leavesUnreadable === true;
    // A pass that changes nothing is the last. If other processes run, it must follow a quiet time of this very call,
    // because an earlier call may have been stopped a moment ago.
    if (pass.changed === 0 && (isAlone || hasBeenQuiet || !isDestroyed)) {
      if (isDestroyed) await destroyEarlierDataKeys(keyring, newest);
      await keys.refresh();
      return { changed, unreadable: pass.unreadable, isDestroyed };
    }
    if (isAlone) continue;
    onStep({ step: 'quiet', untilMs: keyring.clock.now() + quietMs });
    await pause(quietMs, undefined, { signal });
    hasBeenQuiet = true;
  }
}

async function waitForAllProcesses(
  options: RotationOptions,
  until: 'known' | 'used',
  isReady: (row: ProcessRow) => boolean,
) {
  const { onStep, signal, pollMs = POLL_MS } = options;
  for (;;) {
    const late = (await listOthers(options)).filter((row) => !isReady(row));
    if (late.length === 0) return;
    onStep({ step: 'waiting', until, processes: late });
    await pause(pollMs, undefined, { signal });
  }
}

async function listOthers({ database, keyring, presence }: RotationOptions, list = livingProcesses) {
  return (await list(database, keyring.clock.now())).filter(({ id }) => id !== presence.id);
}
