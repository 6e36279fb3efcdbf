// Compares a finished check with earlier ones: bursts from one address and step logs that came before. Also notices missing
// browser data.
import type { Indicators } from '@limen/contract';
import type { ApiKeys } from '../../../platform/api-keys/api-keys.ts';
import { nameOf } from '../../../platform/api-keys/owner.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { AnySession } from '../../lifecycle/session.ts';
import type { Finding } from '../table.ts';
import type { CheckStore } from './store.ts';

/** How a device brought a session to its end. */
export interface FinishedCheck {
  /** IPv4 address or IPv6 /64 of the client; undefined if only a proxy's is known. */
  client: string | undefined;
  /** Milliseconds between the entries of the step log that people time; empty without a face step. */
  rhythm: readonly number[];
}

interface FinishedChecksOptions {
  store: CheckStore;
  sealer: Pick<Sealer, 'digest'>;
  apiKeys: Pick<ApiKeys, 'traitsOf'>;
  clock: Clock;
  /** 0 counts nothing. */
  burstPerMinute: number;
}

const MINUTE_MS = 60_000;
/** With the interval of the purge, less than a day. */
const LOGS_KEPT_MS = 23 * 60 * MINUTE_MS;

/** A coarser step would recognize more altered copies, and take more honest people for one (honest-rhythms.test.ts). */
const RHYTHM_STEP_MS = 2;
/** Three movements: the times of fewer agree by chance between two people. */
const MIN_RHYTHM = 6;

export function createFinishedChecks(options: FinishedChecksOptions) {
  const { store, sealer, apiKeys, clock, burstPerMinute } = options;

  return {
    /**
     * Findings that come from the session's key and from earlier checks. `remember` runs first in the transaction that ends
     * the session, so that of two checks at once one is the later.
     */
    async examine(
      { owner, apiKeyId }: Pick<AnySession, 'owner' | 'apiKeyId'>,
      { client, rhythm }: FinishedCheck,
      indicators: Indicators | null,
    ): Promise<{ findings: Finding[]; remember(trx: Transaction): Promise<Finding[]> }> {
      const { nativeApp, kiosk } = await apiKeys.traitsOf(apiKeyId);
      const isCounted = client !== undefined && burstPerMinute > 0 && owner.world === 'live' && !kiosk;
      const ofClient = isCounted && sealer.digest('recent_checks/digest', `${apiKeyId}\n${client}`);
      const steps = roundRhythm(rhythm);
      const ofLog = steps && sealer.digest('recent_logs/digest', `${nameOf(owner)}\n${steps}`);
      return {
        findings: indicators === null && !nativeApp ? ['browserDataMissing'] : [],
        async remember(trx) {
          const now = clock.now();
          const window = { now, since: now - MINUTE_MS, limit: burstPerMinute };
          const isBurst = ofClient && !(await store.addCheck(trx, ofClient, window));
          const isRepeated = ofLog && !(await store.addLog(trx, ofLog, now));
          return [...(isBurst ? (['addressBurst'] as const) : []), ...(isRepeated ? (['logRepeated'] as const) : [])];
        },
      };
    },

    /** Deletes what need not be known any more, in steps of about `limit` rows; returns `limit` if there may be more. */
    async purge(limit: number): Promise<number> {
      const now = clock.now();
      const checks = await store.purge('recent_checks', now - MINUTE_MS, limit);
      return Math.max(checks, await store.purge('recent_logs', now - LOGS_KEPT_MS, limit));
    },
  };
}

export type FinishedChecks = ReturnType<typeof createFinishedChecks>;

/** One text for all logs that count as the same; undefined for a log that is too short to tell two people apart. */
export function roundRhythm(rhythm: readonly number[]): string | undefined {
  if (rhythm.length < MIN_RHYTHM) return undefined;
  return rhythm.map((ms) => Math.round(ms / RHYTHM_STEP_MS)).join();
}
