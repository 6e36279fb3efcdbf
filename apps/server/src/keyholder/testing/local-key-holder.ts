// A key-holder in the test's own thread, with its time and its limits in the test's hands.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import type { KeyHolder } from '../../core/keyholder/keyholder.ts';
import { openService } from '../open-service.ts';
import type { ThrottleLimits } from '../throttle.ts';

interface LocalOptions {
  /** Made and removed where none is given. */
  folder?: string;
  masterKey?: Uint8Array;
  clock?: ManualClock;
  /** Milliseconds of the clock that only runs forward; without it that one follows `clock`. */
  monotonic?: () => number;
  limits?: ThrottleLimits;
  threshold?: number;
  answersPerHour?: number;
}

export interface LocalKeyHolder extends KeyHolder {
  readonly folder: string;
  readonly clock: ManualClock;
  readonly warnings: string[];
}

export async function openLocalKeyHolder(options: LocalOptions = {}): Promise<LocalKeyHolder> {
  const { masterKey = Buffer.alloc(32, 7), clock = createManualClock(), limits, threshold = 0.48 } = options;
  const { answersPerHour = 1_000_000 } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'limen-keyholder-'));
  const warnings: string[] = [];
  const service = await openService({
    folder,
    masterKey,
    clock,
    answersPerHour,
    thresholdOf: () => threshold,
    monotonic: options.monotonic ?? clock.now,
    warn: (sentence) => void warnings.push(sentence),
    ...(limits && { limits }),
  });
  return {
    ...service.calls,
    folder,
    clock,
    warnings,
    state: () => 'ready',
    async close() {
      service.stop();
      service.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true });
    },
  };
}
