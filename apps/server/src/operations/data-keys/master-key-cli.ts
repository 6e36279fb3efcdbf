// `limen master-key`: changes the key that wraps the data keys, and generates new keys.
import type { Command } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../command-line/command.ts';
import { withContext } from '../../command-line/context.ts';
import { readNextKey } from '../../command-line/input.ts';
import type { Config } from '../../config.ts';
import { findMasterKey, rotateMasterKey } from '../../platform/sealing/keyring.ts';
import { generateMasterKey, masterKeyFile, masterKeyId } from '../../platform/sealing/master-key.ts';

export function addMasterKeyCommands(program: Command, cli: Cli): void {
  const group = program.command('master-key').description('Manage the key that seals all sensitive data');

  group
    .command('generate')
    .description('Print a new random key in base64, for MASTER_KEY; nothing is stored')
    .addHelpText('after', examples('limen master-key generate'))
    .action(() => cli.terminal.print(generateMasterKey().toString('base64')));

  group
    .command('id')
    .description('Print the id of a key, as used in error messages; reads the key from standard input')
    .option('--configured', 'the ids of the keys in MASTER_KEY, or of the key file, one per line')
    .addHelpText('after', examples('limen master-key id < master-key.txt', 'limen master-key id --configured'))
    .action((options: { configured?: true }) => printIds(cli, options));

  group
    .command('rotate')
    .description('Seal the data keys under a new master key, without downtime')
    .option(
      '--next-key-stdin',
      'read the new key from standard input; if MASTER_KEY has two keys, it is the first of them',
    )
    .addHelpText(
      'after',
      examples('limen master-key rotate', 'limen master-key rotate --next-key-stdin < next-master-key.txt'),
    )
    .action((options: { nextKeyStdin?: true }) => rotate(cli, options.nextKeyStdin === true));
}

async function printIds(cli: Cli, { configured }: { configured?: true }): Promise<void> {
  const keys = configured ? configuredKeys(requireConfig(cli)) : [await readNextKey(cli)];
  for (const key of keys) cli.terminal.print(masterKeyId(key).toString('hex'));
}

function configuredKeys({ MASTER_KEY, DATA_DIR }: Config): readonly Buffer[] {
  if (MASTER_KEY) return MASTER_KEY;
  const file = masterKeyFile(DATA_DIR);
  const key = file.read();
  if (!key) throw new CommandError(`MASTER_KEY is not set, and there is no file ${file.path}.`);
  return [key];
}

async function rotate(cli: Cli, fromInput: boolean): Promise<void> {
  const { MASTER_KEY, DATA_DIR } = requireConfig(cli);
  if (MASTER_KEY?.length === 1 && !fromInput) {
    throw new CommandError(
      'MASTER_KEY has one key, so only you can replace it: make a new one with "limen master-key generate", store it ' +
        'safely, and set MASTER_KEY=NEW,OLD, or pass the new one on standard input with --next-key-stdin.',
      { usage: true },
    );
  }
  const next = fromInput ? await readNextKey(cli) : MASTER_KEY?.[0];
  await withContext(cli, async ({ keyring, database, record }) => {
    if (next?.equals(await findMasterKey(keyring))) {
      throw new CommandError('The new master key is the current one; nothing was changed.');
    }
    await record('master-key.rotate');
    await rotateMasterKey(keyring, next);
    await database.checkpoint(); // rows under the old key are in the write-ahead log until then
  });
  cli.terminal.print(describeRotation(next, { MASTER_KEY, DATA_DIR }));
  cli.terminal.print('Keep the old key for as long as you keep older backups of the database.');
}

function describeRotation(next: Buffer | undefined, { MASTER_KEY, DATA_DIR }: Pick<Config, 'MASTER_KEY' | 'DATA_DIR'>) {
  if (!MASTER_KEY) {
    return (
      `The database is sealed under a new master key, now in ${masterKeyFile(DATA_DIR).path}; back that file up. ` +
      'A running server goes on.'
    );
  }
  return MASTER_KEY.some((key) => next?.equals(key))
    ? 'The database is sealed under the new master key, which MASTER_KEY has: servers go on, and start again. Once this holds ' +
        'for all of them, take the old key out of MASTER_KEY.'
    : 'The database is sealed under the new master key. Set MASTER_KEY to it before the next start: with the old one ' +
        'the server and this command refuse to start. A running server goes on.';
}
