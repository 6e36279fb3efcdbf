// The key that development has by itself: printed at the start, used by the demo.
import type { Config } from './config.ts';
import type { ApiKeyRecord, ApiKeys } from './platform/api-keys/api-keys.ts';

/** Undefined in production, and on a PostgreSQL that may be shared unless a key was named. */
export async function findDevelopmentKey(config: Config, apiKeys: ApiKeys): Promise<ApiKeyRecord | undefined> {
  if (config.production || (config.DATABASE_URL !== undefined && config.DEV_API_KEY === undefined)) return undefined;
  return apiKeys.ensureDevelopmentKey(config.DEV_API_KEY);
}
