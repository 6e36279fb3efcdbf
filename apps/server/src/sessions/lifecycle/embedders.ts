// Sites that may show the page of a session in a frame: those of the API key that created it.
import { describeForLog } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Sessions } from './sessions.ts';

export type FindEmbedders = (sessionId: string) => Promise<readonly string[]>;

/** `fallback`: origins without a session, and for keys that name no sites. */
export function createEmbedders(
  { apiKeys, log }: Pick<Context, 'apiKeys' | 'log'>,
  sessions: Pick<Sessions, 'find'>,
  fallback: readonly string[],
): FindEmbedders {
  return async (sessionId) => {
    try {
      const session = await sessions.find(sessionId as SessionId);
      if (!session) return fallback;
      const own = await apiKeys.originsOf(session.apiKeyId, session.owner);
      if (own === undefined) return [];
      return own.length > 0 ? own : fallback;
    } catch (error) {
      // The page still opens and shows the outage, but in no frame.
      log.error(describeForLog(error), 'who may embed the page of a session is not known');
      return [];
    }
  };
}
