// The lines that a session's `debugMode` asks for: what happened, and nothing that tells to whom.
import type { Logger } from 'pino';
import type { Session } from '../../core/sessions/sessions.ts';
import { contentsOf } from './contents.ts';

/** Written when the session asks for this level or a higher one. */
export type Debug = (
  session: Session,
  level: 1 | 2 | 3,
  fields: Readonly<Record<string, string | number | boolean>>,
  sentence: string,
) => void;

export function createDebug(log: Pick<Logger, 'info'>): Debug {
  return (session, level, fields, sentence) => {
    const { debugLevel, type } = contentsOf(session);
    if (debugLevel >= level) log.info({ type, ...fields }, sentence);
  };
}
