// The key that development has by itself: printed at the start, used by the demo.
import type { ApiKeyRecord, ApiKeys } from './api-keys.ts';

export interface DevelopmentKeySettings {
  production: boolean;
  /** The key itself, if the settings name one. */
  named: string | undefined;
  /** Whether others may use the database too. */
  isShared: boolean;
}

/** Undefined in production, and on a database that may be shared unless a key was named. */
export async function findDevelopmentKey(
  { production, named, isShared }: DevelopmentKeySettings,
  apiKeys: Pick<ApiKeys, 'ensureDevelopmentKey'>,
): Promise<ApiKeyRecord | undefined> {
  return production || (isShared && named === undefined) ? undefined : apiKeys.ensureDevelopmentKey(named);
}
