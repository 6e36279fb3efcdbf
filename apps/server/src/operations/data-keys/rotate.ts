// Gives the database new data keys while processes work on it: they learn the new ones, then all seal with them, then what the earlier
// ones have sealed is sealed anew, and when nothing is left those are destroyed (docs/adr/0024).
//
// How far it has come stands in the database alone. Whoever is interrupted, at whatever moment, leaves keys that open everything, and
// the next call goes on from there.
import { setTimeout as pause } from 'node:timers/promises';
import { livingProcesses, type ProcessRow, possibleProcesses } from '../../platform/database/processes.ts';
import {
  addDataKeys,
  destroyEarlierDataKeys,
  readDataKeyState,
  useNextDataKeys,
} from '../../platform/sealing/keyring.ts';
import type { Storage } from '../../platform/storage.ts';
import { type ResealReport, resealAll } from './reseal.ts';

/** The keys of this process change first, and its own row among the processes is not waited for. */
export interface RotationOptions extends Pick<Storage, 'database' | 'sealer' | 'keyring' | 'keys'> {
  presence: Pick<Storage['presence'], 'id'>;
  onStep(step: RotationStep): void;
  /** Between two steps or batches. */
  signal: AbortSignal;
  /** How long nothing under the earlier keys may turn up, where other processes run, before those are destroyed. */
  quietMs?: number;
  pollMs?: number;
  /** Whether the earlier keys are destroyed although values were found that do not open. */
  leavesUnreadable?: boolean;
}

export type RotationStep =
  | { step: 'made' }
  | { step: 'waiting'; until: 'known' | 'used'; processes: ProcessRow[] }
  | { step: 'resealing'; table: string; changed: number }
  | { step: 'quiet'; untilMs: number };

export interface RotationReport {
  changed: number;
  unreadable: ResealReport['unreadable'];
  /** False where the earlier keys stay, because of what does not open. */
  isDestroyed: boolean;
}

/**
 * What was read before it was sealed anew may be written back as it was: a webhook's body after an attempt, within a minute or two. What is
 * out of the house for longest is the cookie of a sign-in at an identity provider, a quarter of an hour.
 */
const QUIET_MS = 16 * 60_000;
const POLL_MS = 1_000;

export async function rotateDataKeys(options: RotationOptions): Promise<RotationReport> {
  const { keyring, keys, onStep, quietMs = QUIET_MS, signal } = options;
  const { newest } = await begin(options);
  if ((await readDataKeyState(keyring)).isNext) {
    await untilAll(options, 'known', ({ opens_with }) => opens_with !== null && opens_with >= newest);
    await useNextDataKeys(keyring);
  }
  await keys.refresh();
  await untilAll(options, 'used', ({ seals_with }) => seals_with !== null && seals_with >= newest);

  let changed = 0;
  let hasBeenQuiet = false;
  for (;;) {
    const pass = await resealAll({
      ...options,
      onProgress: (table, count) => onStep({ step: 'resealing', table, changed: changed + count }),
    });
    changed += pass.changed;
    // One that was cut off comes back with what it had read, and for a few seconds with the key that it had.
    const isAlone = (await others(options, possibleProcesses)).length === 0;
    const isDestroyed = pass.unreadable.size === 0 || options.leavesUnreadable === true;
    // A pass that finds nothing ends it. Beside others it must come after a quiet time of this very call: whoever was stopped in an earlier
    // one may have been so a moment ago.
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

/** Goes on with a change that was begun before; only where there is none are keys made. */
async function begin({ keyring, onStep }: RotationOptions) {
  const found = await readDataKeyState(keyring);
  if (found.isNext || found.hasEarlier) return found;
  await addDataKeys(keyring);
  onStep({ step: 'made' });
  return readDataKeyState(keyring);
}

async function untilAll(
  options: RotationOptions,
  until: 'known' | 'used',
  isThere: (row: ProcessRow) => boolean,
): Promise<void> {
  const { onStep, signal, pollMs = POLL_MS } = options;
  for (;;) {
    const late = (await others(options)).filter((row) => !isThere(row));
    if (late.length === 0) return;
    onStep({ step: 'waiting', until, processes: late });
    await pause(pollMs, undefined, { signal });
  }
}

async function others({ database, keyring, presence }: RotationOptions, list = livingProcesses): Promise<ProcessRow[]> {
  const found = await list(database, keyring.clock.now());
  return found.filter(({ id }) => id !== presence.id);
}
