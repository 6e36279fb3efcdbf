// Which parts are ready to work. A part that loads behind the start (lists, models, indexes) reports itself here.
import type { Readiness } from '@limen/contract';

export const READY = 'ready';

/** Returns `ready`, or says what the part is still doing. `ready; …` is ready, and worth a look. */
export type ReadinessCheck = () => Promise<string> | string;

export interface ReadinessChecks {
  add(part: string, check: ReadinessCheck): void;
  /** Reported like the others, but nothing waits for it: the service can do without for a while. */
  addOptional(part: string, check: ReadinessCheck): void;
  report(): Promise<Readiness>;
}

export function createReadiness(): ReadinessChecks {
  const checks = new Map<string, ReadinessCheck>();
  const optional = new Set<string>();
  return {
    add(part, check) {
      checks.set(part, check);
    },
    addOptional(part, check) {
      checks.set(part, check);
      optional.add(part);
    },
    async report() {
      const states = await Promise.all([...checks].map(async ([part, check]) => [part, await check()] as const));
      const ready = states.every(([part, state]) => isReady(state) || optional.has(part));
      return { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(states) };
    },
  };
}

export function isReady(state: string): boolean {
  return state === READY || state.startsWith(`${READY}; `);
}
