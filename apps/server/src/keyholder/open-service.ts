// Puts the key-holder together from a folder and a master key; worker thread, process and tests share it.
import type { Clock } from '../platform/clock.ts';
import { systemClock } from '../platform/clock.ts';
import { createAudit, DEFAULT_AUDIT_DAYS } from './audit/audit.ts';
import { type Maths, realMaths } from './compare/maths.ts';
import { createEpochs } from './keys/epochs.ts';
import { openIdentity } from './keys/identity.ts';
import { createKeyHolderService, type KeyHolderCalls } from './service.ts';
import { openKeyHolderStore } from './store.ts';
import { createHourlyBudgets } from './throttle/hourly-budgets.ts';
import { createThrottle } from './throttle/throttle.ts';
import {
  type BudgetsPerHour,
  DEFAULT_BUDGETS,
  shareOut,
  THROTTLE_RULES,
  type ThrottleRules,
} from './throttle/throttle-rules.ts';

/** Keys of challenges that nobody came back for are gone soon after their time. */
const SWEEP_MS = 5_000;
/** Lines end also where nobody signs in any more. */
const TIDY_MS = 3_600_000;

export interface OpenServiceOptions {
  folder: string;
  masterKey: Uint8Array;
  thresholdOf: (modelVersion: string, rows: number) => number;
  /** Where they are not the default ones. */
  budgets?: Partial<BudgetsPerHour> | undefined;
  /** How long lines of the audit are kept. */
  auditDays?: number | undefined;
  /** What an operator should know. */
  warn: (sentence: string) => void;
  /** For tests. */
  clock?: Clock;
  monotonic?: () => number;
  maths?: Maths;
  rules?: ThrottleRules;
}

export interface OpenedService {
  calls: KeyHolderCalls;
  /** The public key that challenges are signed with. */
  identity: Uint8Array;
  /** Lets nothing wait any longer; what is under way comes to its end. */
  stop(): void;
  close(): void;
}

export async function openService(options: OpenServiceOptions): Promise<OpenedService> {
  const { folder, masterKey, thresholdOf, warn, clock = systemClock, maths = realMaths } = options;
  const { monotonic = () => performance.now(), rules = THROTTLE_RULES } = options;
  const store = openKeyHolderStore(folder, masterKey);
  const onCut = () => warn('the key-holder’s audit file lacks lines that had been written; see: limen doctor');
  const onNewFile = () => warn('a new audit file begins: the previous one was moved or deleted');
  const days = options.auditDays ?? DEFAULT_AUDIT_DAYS;
  const audit = createAudit({ store, clock, days, onCut, onNewFile });
  if (!audit.renewOld()) {
    warn('audit lines from an earlier version could not be rewritten and stay as they are; see: limen doctor');
  }
  const perHour = shareOut({ ...DEFAULT_BUDGETS, ...options.budgets });
  const budgets = createHourlyBudgets({ store, audit, clock, perHour, warn });
  const stopping = new AbortController();
  const epochs = createEpochs({ store, audit, maths, clock, stopping: stopping.signal });
  const throttle = createThrottle(store, clock, rules);
  const identity = await openIdentity(store, maths);
  const service = createKeyHolderService({
    store,
    audit,
    epochs,
    throttle,
    budgets,
    identity,
    maths,
    thresholdOf,
    clock,
    monotonic,
  });
  const tidy = () => {
    try {
      audit.tidy();
    } catch {
      warn('old audit files could not be put away or deleted; this is retried within the hour');
    }
  };
  tidy();
  const timers = [setInterval(service.sweep, SWEEP_MS).unref(), setInterval(tidy, TIDY_MS).unref()];
  return {
    calls: service.calls,
    identity: identity.publicKey,
    stop: () => stopping.abort(),
    close() {
      for (const timer of timers) clearInterval(timer);
      epochs.close();
      store.close();
    },
  };
}
