// Writes the log lines that a session's `debugMode` asks for. They identify session and request, but no person.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Session } from '../lifecycle/session.ts';

/** Ids of requests, stored apart from the calls because only these lines need them. */
const requests = new AsyncLocalStorage<string>();

/** Hook for the routes whose work writes such lines. */
export function rememberRequest(request: FastifyRequest, _reply: unknown, done: () => void): void {
  requests.run(request.id, done);
}

/** Returns the function that writes a line if the session asks for this level or a higher one. */
export function createDebug(log: Pick<Logger, 'info'>) {
  return (
    session: Session<'verification'>,
    level: 1 | 2,
    fields: Readonly<Record<string, string | number | boolean>>,
    sentence: string,
  ) => {
    const { debugLevel, type } = session.contents;
    if (debugLevel < level) return;
    log.info({ sessionId: session.id, requestId: requests.getStore(), type, ...fields }, sentence);
  };
}

export type Debug = ReturnType<typeof createDebug>;
