// The key of development, created at the start and used by the demo.
import type { ApiKeyRecord, ApiKeys } from './api-keys.ts';

export interface DevelopmentKeySettings {
  production: boolean;
  named: string | undefined;
  /** Whether others may use the database too */
  isShared: boolean;
}

/** Returns undefined in production, and on a shared database unless the settings name a key. */
export async function findDevelopmentKey(
  { production, named, isShared }: DevelopmentKeySettings,
  apiKeys: Pick<ApiKeys, 'ensureDevelopmentKey'>,
): Promise<ApiKeyRecord | undefined> {
  return production || (isShared && named === undefined) ? undefined : apiKeys.ensureDevelopmentKey(named);
}
