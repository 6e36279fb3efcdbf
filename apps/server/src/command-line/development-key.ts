// The development key, for commands.
import { findDevelopmentKey } from '../platform/api-keys/development-key.ts';
import { developmentKeySettings } from '../platform/settings/for-platform.ts';
import { CommandFailure } from './command.ts';
import type { CommandContext } from './context.ts';

/** Makes it where the service was never started. */
export async function revealDevelopmentKey({ config, apiKeys }: CommandContext): Promise<string> {
  const record = await findDevelopmentKey(developmentKeySettings(config), apiKeys);
  const key = record && (await apiKeys.reveal(record.id));
  if (key !== undefined) return key;
  throw new CommandFailure(
    config.production
      ? 'There is no development key in production; create one for an application with: limen keys create'
      : 'On PostgreSQL there is a development key only with DEV_API_KEY; create another with: limen keys create --kind test',
  );
}
