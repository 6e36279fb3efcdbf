// The lines that a session's `debugMode` asks for: what happened, in which session and request, and nothing that tells to whom.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Session } from '../lifecycle/session.ts';

/** Written when the session asks for this level or a higher one. */
export type Debug = (
  session: Session<'verification'>,
  level: 1 | 2 | 3,
  fields: Readonly<Record<string, string | number | boolean>>,
  sentence: string,
) => void;

/** Kept beside the call: what works on it has no business with requests but for these lines. */
const requests = new AsyncLocalStorage<string>();

/** A hook for the routes whose work writes such lines. */
export function rememberRequest(request: FastifyRequest, _reply: unknown, done: () => void): void {
  requests.run(request.id, done);
}

export function createDebug(log: Pick<Logger, 'info'>): Debug {
  return (session, level, fields, sentence) => {
    const { debugLevel, type } = session.contents;
    if (debugLevel < level) return;
    log.info({ sessionId: session.id, requestId: requests.getStore(), type, ...fields }, sentence);
  };
}
