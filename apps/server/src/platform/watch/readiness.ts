// Which parts are ready to work. A part that loads behind the start (lists, models, indexes) reports itself here.
import { Readiness, ref } from '@limen/contract';
import type { HttpServer } from '../http/types.ts';

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

export function registerReadyRoute(app: HttpServer, readiness: ReadinessChecks): void {
  app.get(
    '/ready',
    {
      config: { unlimited: true },
      schema: {
        tags: ['Operation'],
        summary: 'Whether every part is ready',
        description:
          '200 when all parts are ready; 503 while one is still loading, the database does not answer or is read-only, the disk is full or the clock is wrong. `ready; …` says what will need more room soon, which lists cannot be read, or which were not refreshed for too long. `models` and `keyholder` are reported but do not count: without the key-holder, sign-ins and enrollments by face get 503 and everything else is served.',
        response: {
          200: ref(Readiness, 'All parts that count are ready.'),
          503: ref(Readiness, 'At least one is not.'),
        },
      },
    },
    async (_request, reply) => {
      const report = await readiness.report();
      return reply.code(report.status === 'ready' ? 200 : 503).send(report);
    },
  );
}
