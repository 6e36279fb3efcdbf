// Readiness of the parts. A part that loads after the start (lists, models, indexes) reports itself here.
import type { Readiness } from '@limen/contract';

export const READY = 'ready';

/** Returns `ready`, `ready; …` with a warning, or what the part is still doing. */
type ReadinessCheck = () => Promise<string> | string;

export type ReadinessChecks = ReturnType<typeof createReadiness>;

export function createReadiness() {
  const checks = new Map<string, ReadinessCheck>();
  const optional = new Set<string>();
  return {
    add(part: string, check: ReadinessCheck): void {
      checks.set(part, check);
    },
    /** Adds a part that is reported but does not count: the service can do without it for a while. */
    addOptional(part: string, check: ReadinessCheck): void {
      checks.set(part, check);
      optional.add(part);
    },
    async report(): Promise<Readiness> {
      const states = await Promise.all([...checks].map(async ([part, check]) => [part, await check()] as const));
      const ready = states.every(([part, state]) => isReady(state) || optional.has(part));
      return { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(states) };
    },
  };
}

export function isReady(state: string): boolean {
  return state === READY || state.startsWith(`${READY}; `);
}
