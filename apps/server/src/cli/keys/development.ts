// `limen keys development`: the key that the embedded default has by itself, for a shell to read.
import type { Command } from 'commander';
import { findDevelopmentKey } from '../../development-key.ts';
import { type Cli, CommandFailure, examples } from '../command.ts';
import { type Context, withContext } from '../open-context.ts';

export function addKeysDevelopment(keys: Command, cli: Cli): void {
  keys
    .command('development')
    .description('Print the development key that npm start shows, and nothing else')
    .addHelpText('after', examples('limen keys development'))
    .action(async () => cli.terminal.print(await withContext(cli, revealDevelopmentKey)));
}

/** Makes it where the service was never started. */
export async function revealDevelopmentKey({ config, apiKeys }: Context): Promise<string> {
  const record = await findDevelopmentKey(config, apiKeys);
  const key = record && (await apiKeys.reveal(record.id));
  if (key !== undefined) return key;
  throw new CommandFailure(
    config.production
      ? 'There is no development key in production; create one for an application with: limen keys create'
      : 'On PostgreSQL there is a development key only with DEV_API_KEY; create another with: limen keys create --kind test',
  );
}
