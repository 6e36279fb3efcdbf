// `limen keys development`: the key that the embedded default has by itself, for a shell to read.
import type { Command } from 'commander';
import { type Cli, examples } from '../../command-line/command.ts';
import { revealDevelopmentKey, withContext } from '../../command-line/context.ts';

export function addKeysDevelopment(keys: Command, cli: Cli): void {
  keys
    .command('development')
    .description('Print the development key that npm start shows, and nothing else')
    .addHelpText('after', examples('limen keys development'))
    .action(async () => cli.terminal.print(await withContext(cli, revealDevelopmentKey)));
}
