// `limen keyholder`: which key-holder a database belongs to, how it is given to another one after a loss, and its backups.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import pino from 'pino';
import { type Cli, CommandFailure, configOf, examples } from '../../command-line/command.ts';
import { type CommandContext, withContext } from '../../command-line/context.ts';
import { readNextKey } from '../../command-line/input.ts';
import { type KeepOptions, keepOption } from '../../command-line/options.ts';
import { hasFile } from '../../command-line/read-only.ts';
import { describeFailure } from '../../command-line/terminal/describe-failure.ts';
import { StartError } from '../../platform/base/errors.ts';
import { nameDatedFolder, removeOldest, takeDatedBackup } from '../../platform/files/dated-backups.ts';
import { findMisnamedSettings } from '../../platform/names/misnamed-settings.ts';
import { masterKeyFile, masterKeyId } from '../../platform/sealing/master-key.ts';
import { masterKey, oneOrTwo, postgresAddress } from '../../platform/settings/parsers.ts';
import { backUpDatabase, restoreDatabase } from '../keyholder/backup/copy-database.ts';
import { backUpFolder, restoreFolder } from '../keyholder/backup/copy-folder.ts';
import { examineFolder } from '../keyholder/backup/examine-folder.ts';
import { KEYHOLDER_BACKUPS } from '../keyholder/backup/files.ts';
import { KeyHolderUnavailable } from '../keyholder/link/calls.ts';
import { acceptKeyHolder, findKeyHolderRecord, shortIdentity } from '../keyholder/link/one.ts';
import { deriveMasterKey, keyHolderFolder, openKeyHolder } from '../keyholder/link/open.ts';
import { KEYHOLDER_SETTINGS } from '../keyholder/settings.ts';
import { keyHolderFile } from '../keyholder/store/file.ts';
import { createTables, openPostgresRows } from '../keyholder/store/postgres.ts';
import { rotateDatabase, rotateFolder } from '../keyholder/store/rotate-master-key.ts';
import type { MasterKeys } from '../keyholder/store/vault.ts';
import { keyHolderSettings } from '../settings.ts';

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

  group
    .command('migrate')
    .description(
      `Create the tables of key-holders that share a database, in the one that ${DATABASE_VARIABLE} names; a start does so too if its account may`,
    )
    .addHelpText('after', examples('limen keyholder migrate'))
    .action(() => migrateShared(cli));

  const ITS_DATABASE = `in place of a folder, the database that ${DATABASE_VARIABLE} names, for key-holders that share one`;
  const ITS_FOLDER =
    "the key-holder's folder, for one that runs by itself; KEYHOLDER_DATA_DIR or DATA_DIR/keyholder by default";
  const NEXT_KEY =
    'for the thread of the service, which is to run by itself: seal the copy under a new master key, read from standard input';
  group
    .command('backup')
    .description('Take a backup of a key-holder into a new folder, while it runs; to be run where it runs')
    .argument('<folder>', 'made if it is not there; must be empty, unless --keep is given')
    .addOption(keepOption())
    .option('--of <folder>', ITS_FOLDER)
    .option('--database', ITS_DATABASE)
    .option('--next-key-stdin', NEXT_KEY)
    .addHelpText(
      'after',
      examples(
        'limen keyholder backup /elsewhere/2026-11-17 --of ./keyholder-data',
        'limen keyholder backup /elsewhere --keep 14',
        'limen keyholder backup /elsewhere/moving --next-key-stdin < keyholder-master-key.txt',
      ),
    )
    .action((folder: string, options: KeyHolderBackupOptions) => takeBackup(cli, resolve(folder), options));

  group
    .command('restore')
    .description('Put a backup of a key-holder into an empty folder or database, before it is started')
    .argument('<folder>', 'as it was given to: limen keyholder backup')
    .option('--to <folder>', ITS_FOLDER)
    .option('--database', ITS_DATABASE)
    .addHelpText(
      'after',
      examples(
        'limen keyholder restore /elsewhere/2026-11-17 --to ./keyholder-data',
        'limen keyholder restore /elsewhere/2026-11-17 --database',
      ),
    )
    .action((folder: string, options: KeyHolderPlace & { to?: string }) =>
      options.database ? restoreShared(cli, resolve(folder)) : restore(cli, resolve(folder), options.to),
    );

  group
    .command('rotate-master-key')
    .description('Seal the data key of a key-holder under the first key of KEYHOLDER_MASTER_KEY=NEW,OLD, while it runs')
    .option('--of <folder>', ITS_FOLDER)
    .option('--database', ITS_DATABASE)
    .addHelpText(
      'after',
      examples(
        'limen keyholder rotate-master-key --of ./keyholder-data',
        'limen keyholder rotate-master-key --database',
      ),
    )
    .action((options: KeyHolderPlace & { of?: string }) => rotate(cli, options));
}

const DATABASE_VARIABLE = 'KEYHOLDER_DATABASE_URL';

interface KeyHolderPlace {
  database?: true;
}

interface KeyHolderBackupOptions extends KeyHolderPlace, KeepOptions {
  of?: string;
  nextKeyStdin?: true;
}

/** From the environment only: an argument with a password in it could be read by everybody on the machine. */
function databaseOf(cli: Cli): string {
  const given = readVariable(cli, DATABASE_VARIABLE);
  if (!given) throw new CommandFailure(`Set ${DATABASE_VARIABLE}, as the key-holders have it.`, { usage: true });
  try {
    return postgresAddress(given);
  } catch (error) {
    throw new CommandFailure(`${DATABASE_VARIABLE} ${(error as Error).message}.`, { usage: true });
  }
}

/** Reads one setting of the key-holder. Refuses a name that is nearly one, because the command would work on another place. */
function readVariable({ environment }: Cli, name: keyof typeof KEYHOLDER_SETTINGS): string | undefined {
  const problems = findMisnamedSettings(environment, KEYHOLDER_SETTINGS);
  if (problems.length > 0) throw new CommandFailure(problems.join('\n'), { usage: true });
  return environment[name]?.trim();
}

/** Work on the key-holders' database: what goes wrong there has nothing to do with the service's. */
function atTheirs<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new CommandFailure(describeFailure(error, DATABASE_VARIABLE));
  });
}

async function migrateShared(cli: Cli): Promise<void> {
  const rows = openPostgresRows(databaseOf(cli), () => {});
  try {
    const created = await atTheirs(rows.transact(createTables));
    cli.terminal.print(created.length > 0 ? `Created: ${created.join(', ')}.` : 'The tables are up to date.');
  } finally {
    await rows.close();
  }
}

async function backUpShared(cli: Cli, target: string): Promise<void> {
  const names = await atTheirs(backUpDatabase(databaseOf(cli), target, cli.clock.now()));
  cli.terminal.print(`Took the key-holders’ database into ${names.length} files in ${target}.`);
  const audit = (await examineFolder(target))?.audit;
  if (audit?.state === 'broken') {
    throw new CommandFailure(
      `The backup is complete, but of the audit line ${audit.line} ${audit.problem}: somebody changed it in the database.`,
    );
  }
  cli.terminal.print(`Each of the ${audit?.lines ?? 0} lines of the audit follows from the previous one.`);
  cli.terminal.print(KEEP_APART);
}

const ONE_MASTER_KEY =
  'KEYHOLDER_MASTER_KEY must have two keys, NEW,OLD: make a new one with "limen master-key generate", and restart every ' +
  'key-holder with both before you run this. For a key-holder without KEYHOLDER_MASTER_KEY, the old one is in the file ' +
  'master.key of its folder.';

async function rotate(cli: Cli, { database, of }: KeyHolderPlace & { of?: string }): Promise<void> {
  const masterKeys = masterKeysOf(cli);
  const hasChanged = await (database
    ? atTheirs(rotateDatabase(databaseOf(cli), masterKeys))
    : rotateFolder(presentFolder(folderOf(cli, of, '--of')), masterKeys, cli.clock));
  const [first, second] = masterKeys.map((key) => masterKeyId(key).toString('hex'));
  if (hasChanged) {
    cli.terminal.print(
      `The key-holder’s data key was sealed under key ${second}, the second in KEYHOLDER_MASTER_KEY, and is now sealed under ` +
        `key ${first}, the first. Running key-holders go on.`,
    );
  } else {
    cli.terminal.print(
      `The key-holder’s data key is already sealed under key ${first}, the first in KEYHOLDER_MASTER_KEY; nothing was changed.`,
    );
  }
  cli.terminal.print(
    `If ${first} is the new key (limen master-key id names a key), restart every key-holder with it alone in ` +
      'KEYHOLDER_MASTER_KEY, and keep the old key for as long as you keep older backups.',
  );
  cli.terminal.print(
    'If it is the old key, the order is wrong: set KEYHOLDER_MASTER_KEY=NEW,OLD and run this again before you restart anything.',
  );
}

/** From the environment only, as the key-holder has them. */
function masterKeysOf(cli: Cli): MasterKeys {
  const given = readVariable(cli, 'KEYHOLDER_MASTER_KEY');
  let keys: readonly Uint8Array[] = [];
  try {
    if (given) keys = oneOrTwo(masterKey)(given);
  } catch (error) {
    throw new CommandFailure(`KEYHOLDER_MASTER_KEY ${(error as Error).message}.`, { usage: true });
  }
  const [next, present] = keys;
  if (!next || !present) throw new CommandFailure(ONE_MASTER_KEY, { usage: true });
  return [next, present];
}

async function restoreShared(cli: Cli, source: string): Promise<void> {
  const takenAt = await atTheirs(restoreDatabase(source, databaseOf(cli)));
  cli.terminal.print(
    `Restored the key-holder of ${takenAt} into the database. Start all key-holders with the master key that it had.`,
  );
}

const KEEP_APART = 'Keep it apart from the backup of the database, and its master key apart from both.';

async function takeBackup(cli: Cli, target: string, options: KeyHolderBackupOptions): Promise<void> {
  const { database, of, nextKeyStdin, keep } = options;
  if (nextKeyStdin) {
    if (database || of !== undefined) throw new CommandFailure(ONLY_THE_THREAD, { usage: true });
    if (keep !== undefined) throw new CommandFailure(NOT_TO_KEEP, { usage: true });
    return handOver(cli, target);
  }
  const take = (folder: string) => (database ? backUpShared(cli, folder) : backUp(cli, folder, of));
  if (keep === undefined) return take(target);
  const folder = nameDatedFolder(target, KEYHOLDER_BACKUPS, cli.clock.now());
  const say = cli.terminal.print;
  await takeDatedBackup(folder, KEYHOLDER_BACKUPS, say, () => take(folder));
  removeOldest(folder, KEYHOLDER_BACKUPS, { keep, isOwn: () => true, say });
}

const NOT_TO_KEEP = '--next-key-stdin takes one copy that moves the key-holder, so --keep does not go with it.';

const ONLY_THE_THREAD =
  '--next-key-stdin is for the thread of the service alone: a key-holder that runs by itself is moved with its master key.';

async function backUp(cli: Cli, target: string, of: string | undefined): Promise<void> {
  const folder = presentFolder(folderOf(cli, of, '--of'));
  const names = await backUpFolder(folder, target, cli.clock.now());
  cli.terminal.print(`Took ${names.length} files of ${folder} into ${target}.`);
  cli.terminal.print(KEEP_APART);
}

const NOT_ITS_OWN =
  'The new master key is one that the service has: whoever got hold of it would have tokens and keys. Make another one with ' +
  '"limen master-key generate"; nothing was taken.';

/** The thread's master key is derived from what the service has, so its keys leave under one that the service has never had. */
async function handOver(cli: Cli, target: string): Promise<void> {
  const { DATA_DIR } = configOf(cli);
  const folder = presentFolder(keyHolderFolder(DATA_DIR));
  const next = await readNextKey(cli);
  await withContext(cli, async ({ sealer, keyring, record }) => {
    const present = deriveMasterKey(sealer);
    const known = [present, keyring.masterKey, masterKeyFile(DATA_DIR).read()].flat();
    if (known.some((key) => key !== undefined && next.equals(key))) throw new CommandFailure(NOT_ITS_OWN);
    await record('keyholder.hand-over');
    await backUpFolder(folder, target, cli.clock.now(), { present: [present], next });
  });
  cli.terminal.print(`Took the key-holder of ${folder} into ${target}, sealed under the new master key.`);
  cli.terminal.print(
    'Stop the service before you take the copy that counts: what its thread does later stays behind. Restore it where the ' +
      'key-holder will run (limen keyholder restore), start that with KEYHOLDER_MASTER_KEY set to the new key, and the ' +
      `service with KEYHOLDER_URL. Then delete ${folder} and its backups: the service’s own keys still open those.`,
  );
}

/** Where a key-holder runs by itself, the service's settings are not there, and its master key must not be asked for. */
function folderOf(cli: Cli, given: string | undefined, option: string): string {
  if (given !== undefined) return resolve(given);
  if (readVariable(cli, DATABASE_VARIABLE)) {
    throw new CommandFailure(
      `${DATABASE_VARIABLE} is set: add --database for the database that it names, or name a folder with ${option}.`,
      { usage: true },
    );
  }
  const own = readVariable(cli, 'KEYHOLDER_DATA_DIR');
  if (own) return resolve(own);
  try {
    return resolve(keyHolderFolder(configOf(cli).DATA_DIR));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new CommandFailure(
      `Name the key-holder’s folder with ${option}, or add --database: without them it is the one in DATA_DIR, and the service’s settings are not all here.`,
      { usage: true },
    );
  }
}

function presentFolder(folder: string): string {
  if (!hasFile(keyHolderFile(folder)))
    throw new CommandFailure(`There is no key-holder in ${folder}; name its folder with --of, or add --database.`);
  return folder;
}

async function restore(cli: Cli, source: string, to: string | undefined): Promise<void> {
  const folder = folderOf(cli, to, '--to');
  const takenAt = await restoreFolder(source, folder);
  cli.terminal.print(`Restored the key-holder of ${takenAt} into ${folder}. Start it with the master key that it had.`);
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

async function identityOf({ config, sealer }: CommandContext): Promise<Uint8Array> {
  const keyHolder = openKeyHolder({ sealer, log: pino({ level: 'silent' }) }, keyHolderSettings(config));
  try {
    return await keyHolder.identity();
  } catch (error) {
    if (!(error instanceof KeyHolderUnavailable)) throw error;
    throw new CommandFailure(`No key-holder: ${keyHolder.state()}; start it and check KEYHOLDER_URL.`);
  } finally {
    await keyHolder.close();
  }
}
