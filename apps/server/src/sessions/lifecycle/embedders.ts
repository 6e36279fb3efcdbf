// Who may show the page of a session in a frame: the sites of the key that made it.
import type { Logger } from 'pino';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import { describeForLog } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Sessions } from './sessions.ts';

/** Origins, as browsers write them. */
export type Embedders = (sessionId: string) => Promise<readonly string[]>;

interface EmbeddersOptions {
  sessions: Pick<Sessions, 'find'>;
  apiKeys: Pick<ApiKeys, 'originsOf'>;
  /** Of a key that names no sites, and where there is no session. */
  otherwise: readonly string[];
  log: Pick<Logger, 'error'>;
}

export function createEmbedders({ sessions, apiKeys, otherwise, log }: EmbeddersOptions): Embedders {
  return async (sessionId) => {
    try {
      const session = await sessions.find(sessionId as SessionId);
      if (!session) return otherwise;
      const own = await apiKeys.originsOf(session.apiKeyId, session.owner);
      if (own === undefined) return [];
      return own.length > 0 ? own : otherwise;
    } catch (error) {
      // The page is shown all the same, and says itself that the service is out of reach; in no frame, though.
      log.error(describeForLog(error), 'who may embed the page of a session is not known');
      return [];
    }
  };
}
