// The demo's checks, in memory only: the latest few, for a limited time, under unguessable ids.
import type { Clock } from '../../../apps/server/src/platform/base/clock.ts';
import type { SessionId } from '../../../apps/server/src/platform/base/ids.ts';
import { CHECK_MINUTES, type CheckView, MAX_CHECKS } from './check-view.ts';

export interface Check extends CheckView {
  /** Credential for the result. Stays on the server. */
  token: string | null;
  /** Key that created the session and signs its webhooks. */
  apiKey: string;
  sessionId: SessionId | null;
  /** By position of their webhook. */
  pictures: Map<number, Buffer>;
}

export interface CheckList {
  add(check: Check): void;
  find(id: string): Check | undefined;
  findBySession(sessionId: SessionId): Check | undefined;
}

export function createCheckList(clock: Clock): CheckList {
  const checks = new Map<string, Check>();
  return {
    add(check) {
      forgetOld();
      checks.set(check.id, check);
      for (const id of checks.keys()) {
        if (checks.size <= MAX_CHECKS) break;
        checks.delete(id);
      }
    },
    find(id) {
      forgetOld();
      return checks.get(id);
    },
    findBySession: (sessionId) => checks.values().find((check) => check.sessionId === sessionId),
  };

  /** In order of arrival, so the first recent one ends the search. */
  function forgetOld(): void {
    for (const [id, { createdAt }] of checks) {
      if (createdAt > clock.now() - CHECK_MINUTES * 60_000) return;
      checks.delete(id);
    }
  }
}
