// `limen keyholder`: which key-holder a database belongs to, and how it is given to another one after a loss.
import type { Command } from 'commander';
import pino from 'pino';
import { KeyHolderUnavailable } from '../../core/keyholder/keyholder.ts';
import { acceptKeyHolder, findKeyHolderRecord, shortIdentity } from '../../core/keyholder/one-key-holder.ts';
import { openKeyHolder } from '../../core/keyholder/open-key-holder.ts';
import { keyHolderSettings } from '../../part-settings.ts';
import { type Cli, CommandFailure, examples } from '../command.ts';
import { type Context, withContext } from '../open-context.ts';

export function addKeyHolderCommands(program: Command, cli: Cli): void {
  const group = program.command('keyholder').description('The holder of the keys that faces are encrypted under');

  group
    .command('show')
    .description('Show which key-holder the database belongs to and which one the settings name')
    .addHelpText('after', examples('limen keyholder show'))
    .action(() => show(cli));

  group
    .command('accept')
    .description('Give the database to the key-holder that the settings name, after the previous one was lost')
    .option('--yes', 'confirm: people who enrolled with another one have to enrol again')
    .addHelpText('after', examples('limen keyholder accept --yes'))
    .action((options: { yes?: true }) => accept(cli, options.yes === true));
}

async function show(cli: Cli): Promise<void> {
  await withContext(cli, async (context) => {
    const record = await findKeyHolderRecord(context.database);
    const present = await identityOf(context);
    cli.terminal.print(`database    ${record ? shortIdentity(record.identity) : 'none yet'}`);
    cli.terminal.print(`key-holder  ${shortIdentity(present)}`);
    if (record && !Buffer.from(record.identity).equals(present)) {
      throw new CommandFailure('They are not the same: nobody can enrol or sign in through the service.');
    }
  });
}

async function accept(cli: Cli, isSure: boolean): Promise<void> {
  await withContext(cli, async (context) => {
    const present = await identityOf(context);
    const record = await findKeyHolderRecord(context.database);
    if (record && Buffer.from(record.identity).equals(present)) {
      cli.terminal.print(`The database already belongs to this key-holder (${shortIdentity(present)}).`);
      return;
    }
    if (record && !isSure) {
      throw new CommandFailure(
        `The database belongs to ${shortIdentity(record.identity)}, whose keys this one does not have: everybody would have to enrol again. Restore its folder, or confirm with --yes.`,
        { usage: true },
      );
    }
    await context.record('keyholder.accept', shortIdentity(present));
    await acceptKeyHolder(context.database, present, cli.clock);
    cli.terminal.print(`From now on the database belongs to the key-holder ${shortIdentity(present)}.`);
  });
}

async function identityOf({ config, sealer }: Context): Promise<Uint8Array> {
  const keyHolder = openKeyHolder({
    ...keyHolderSettings(config),
    sealer,
    log: pino({ level: 'silent' }),
  });
  try {
    return await keyHolder.identity();
  } catch (error) {
    if (!(error instanceof KeyHolderUnavailable)) throw error;
    throw new CommandFailure(`No key-holder: ${keyHolder.state()}; start it and check KEYHOLDER_URL.`);
  } finally {
    await keyHolder.close();
  }
}
