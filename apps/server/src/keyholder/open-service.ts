// Puts the key-holder together from a folder and a master key; worker thread, process and tests share it.
import type { Clock } from '../platform/clock.ts';
import { systemClock } from '../platform/clock.ts';
import { ANSWERS_PER_HOUR, createAnswers } from './answers.ts';
import { createAudit } from './audit.ts';
import { createEpochs } from './epochs.ts';
import { openIdentity } from './identity.ts';
import { type Maths, realMaths } from './maths.ts';
import { createKeyHolderService, type KeyHolderCalls } from './service.ts';
import { openKeyHolderStore } from './store.ts';
import { createThrottle, THROTTLE_LIMITS, type ThrottleLimits } from './throttle.ts';

/** Keys of challenges that nobody came back for are gone soon after their time. */
const SWEEP_MS = 5_000;

export interface OpenServiceOptions {
  folder: string;
  masterKey: Uint8Array;
  thresholdOf: (modelVersion: string, rows: number) => number;
  /** Most answers about a customer's tokens in an hour. */
  answersPerHour?: number | undefined;
  /** What an operator should know. */
  warn: (sentence: string) => void;
  /** For tests. */
  clock?: Clock;
  monotonic?: () => number;
  maths?: Maths;
  limits?: ThrottleLimits;
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
  const { monotonic = () => performance.now(), limits = THROTTLE_LIMITS } = options;
  const store = openKeyHolderStore(folder, masterKey);
  const onCut = () => warn('the audit file of the key-holder lacks lines that had been written; see: limen doctor');
  const onNewFile = () => warn('a new audit file begins: the one before it was put away, or deleted');
  const audit = createAudit({ store, clock, onCut, onNewFile });
  const perHour = options.answersPerHour ?? ANSWERS_PER_HOUR;
  const answers = createAnswers({ store, audit, clock, perHour, warn });
  const stopping = new AbortController();
  const epochs = createEpochs({ store, audit, maths, clock, stopping: stopping.signal });
  const throttle = createThrottle(store, clock, limits);
  const identity = await openIdentity(store, maths);
  const service = createKeyHolderService({
    ...{ store, audit, epochs, throttle, answers, identity, maths, thresholdOf, clock, monotonic },
  });
  const sweeper = setInterval(service.sweep, SWEEP_MS).unref();
  return {
    calls: service.calls,
    identity: identity.publicKey,
    stop: () => stopping.abort(),
    close() {
      clearInterval(sweeper);
      epochs.close();
      store.close();
    },
  };
}
