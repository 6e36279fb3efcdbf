// A key-holder in the test's own thread, with controllable time and limits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import type { BudgetsPerHour, ThrottleRules } from '../../src/faces/keyholder/limits.ts';
import type { KeyHolder } from '../../src/faces/keyholder/link/calls.ts';
import { openService } from '../../src/faces/keyholder/open.ts';

interface LocalOptions {
  /** Folder; a temporary one by default */
  folder?: string;
  /** Shared database instead of a folder */
  databaseUrl?: string;
  masterKey?: Uint8Array;
  clock?: ManualClock;
  /** Milliseconds of the monotonic clock; follows `clock` by default */
  monotonic?: () => number;
  rules?: ThrottleRules;
  threshold?: number;
  /** Rate limits; effectively none by default */
  budgets?: Partial<BudgetsPerHour>;
  auditDays?: number;
}

export interface LocalKeyHolder extends KeyHolder {
  readonly folder: string;
  readonly clock: ManualClock;
  readonly warnings: string[];
}

const NO_BOUND: BudgetsPerHour = {
  sign_in: 4_000_000,
  sign_in_address: 1_000_000,
  sign_in_person: 1_000_000,
  enrol: 1_000_000,
  enrol_address: 1_000_000,
};

export async function openLocalKeyHolder(options: LocalOptions = {}): Promise<LocalKeyHolder> {
  const { masterKey = Buffer.alloc(32, 7), clock = createManualClock(), rules, threshold = 0.48 } = options;
  const budgets = { ...NO_BOUND, ...options.budgets };
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'limen-keyholder-'));
  const warnings: string[] = [];
  const service = await openService(
    {
      place: options.databaseUrl === undefined ? { folder } : { databaseUrl: options.databaseUrl },
      masterKeys: [masterKey],
      budgets,
      auditDays: options.auditDays,
      thresholdOf: () => threshold,
      warn: (sentence) => void warnings.push(sentence),
    },
    { clock, monotonic: options.monotonic ?? clock.now, ...(rules && { rules }) },
  );
  return {
    ...service.calls,
    folder,
    clock,
    warnings,
    state: () => 'ready',
    async close() {
      service.stop();
      await service.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true });
    },
  };
}
