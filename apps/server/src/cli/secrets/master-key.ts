// `limen master-key`: changes The key that everything sensitive is sealed under, and makes new ones.
import type { Command } from 'commander';
import { rotateMasterKey } from '../../platform/keyring.ts';
import { generateMasterKey, masterKeyFile } from '../../platform/sealing/master-key.ts';
import { type Cli, CommandFailure, configOf, examples } from '../command.ts';
import { withContext } from '../open-context.ts';
import { readNextKey } from './read-next-key.ts';

export function addMasterKeyCommands(program: Command, cli: Cli): void {
  const group = program.command('master-key').description('The key that everything sensitive is sealed under');

  group
    .command('generate')
    .description('Print a new random key in base64, for MASTER_KEY; nothing is stored')
    .addHelpText('after', examples('limen master-key generate'))
    .action(() => cli.terminal.print(generateMasterKey().toString('base64')));

  group
    .command('rotate')
    .description('Seal the data keys under a new master key; a running server is not disturbed')
    .option('--next-key-stdin', 'read the new key from standard input (required if MASTER_KEY is set)')
    .addHelpText(
      'after',
      examples('limen master-key rotate', 'limen master-key rotate --next-key-stdin < next-master-key.txt'),
    )
    .action((options: { nextKeyStdin?: true }) => rotate(cli, options.nextKeyStdin === true));
}

async function rotate(cli: Cli, fromInput: boolean): Promise<void> {
  const { MASTER_KEY, DATA_DIR } = configOf(cli);
  if (MASTER_KEY && !fromInput) {
    throw new CommandFailure(
      'MASTER_KEY is set, so only you can replace it: make a new key with "limen master-key generate", ' +
        'store it safely, and pass it on standard input with --next-key-stdin.',
      { usage: true },
    );
  }
  const next = fromInput ? await readNextKey(cli) : undefined;
  await withContext(cli, async ({ keyring, database, record }) => {
    const present = keyring.masterKey ?? masterKeyFile(DATA_DIR).read();
    if (next && present?.equals(next)) {
      throw new CommandFailure('The new master key is the current one; nothing was changed.');
    }
    await record('master-key.rotate');
    await rotateMasterKey(keyring, next);
    // The rows as the old key sealed them are still in the write-ahead log until it is emptied.
    await database.checkpoint();
  });
  cli.terminal.print(
    MASTER_KEY
      ? 'The database is sealed under the new master key. Set MASTER_KEY to it before the next start: with the old one ' +
          'the server and this command refuse to start. A running server goes on.'
      : `The database is sealed under a new master key, now in ${masterKeyFile(DATA_DIR).path}; back that file up. ` +
          'A running server goes on.',
  );
  cli.terminal.print('Keep the old key for as long as you keep older backups of the database.');
}
