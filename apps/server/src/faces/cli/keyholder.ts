// `limen keyholder`: shows and changes the key-holder of a database, and backs key-holders up.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import pino from 'pino';
import { type Cli, CommandError, examples, requireConfig } from '../../command-line/command.ts';
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
import { KeyHolderUnavailableError } from '../keyholder/link/calls.ts';
import { acceptKeyHolder, findKeyHolderRecord, shortIdentity } from '../keyholder/link/one.ts';
import { deriveMasterKey, keyHolderFolder, openKeyHolder } from '../keyholder/link/open.ts';
import { KEYHOLDER_SETTINGS } from '../keyholder/settings.ts';
import { keyHolderFile, rotateFolder } from '../keyholder/store/file.ts';
import { createTables, openPostgresRows, rotateDatabase } from '../keyholder/store/postgres.ts';
import { keyHolderSettings } from '../settings.ts';

const DATABASE_VARIABLE = 'KEYHOLDER_DATABASE_URL';
const KEYS_VARIABLE = 'KEYHOLDER_MASTER_KEY';
const KEEP_APART = 'Keep it apart from the backup of the database, and its master key apart from both.';

export function addKeyHolderCommands(program: Command, cli: Cli): void {
  const group = program.command('keyholder').description('The holder of the keys that faces are encrypted under');

  group
    .command('show')
    .description('Show the key-holder that the database is bound to and the configured one')
    .addHelpText('after', examples('limen keyholder show'))
    .action(() => show(cli));

  group
    .command('accept')
    .description('Give the database to the key-holder that the settings name, after the previous one was lost')
    .option('--yes', 'confirm: people who enrolled with another one have to enroll again')
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
    .argument('<folder>', 'created if missing; must be empty, unless --keep is given')
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
    .action((folder: string, options: { database?: true; to?: string }) => restore(cli, resolve(folder), options));

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
    .action((options: { database?: true; of?: string }) => rotate(cli, options));
}

interface KeyHolderBackupOptions extends KeepOptions {
  database?: true;
  of?: string;
  nextKeyStdin?: true;
}

function wrongUsage(sentence: string): CommandError {
  return new CommandError(sentence, { usage: true });
}

/** Reads a setting from the environment only, because all users of the machine see arguments. */
function readSetting<T>({ environment }: Cli, name: keyof typeof KEYHOLDER_SETTINGS, parse: (text: string) => T) {
  const problems = findMisnamedSettings(environment, KEYHOLDER_SETTINGS);
  if (problems.length > 0) throw wrongUsage(problems.join('\n'));
  const text = environment[name]?.trim();
  try {
    return text ? parse(text) : undefined;
  } catch (error) {
    throw wrongUsage(`${name} ${(error as Error).message}.`);
  }
}

function requireDatabase(cli: Cli): string {
  const url = readSetting(cli, DATABASE_VARIABLE, postgresAddress);
  if (!url) throw wrongUsage(`Set ${DATABASE_VARIABLE}, as the key-holders have it.`);
  return url;
}

/** Describes failures by the key-holders' database instead of the service's. */
function onTheirDatabase<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new CommandError(describeFailure(error, DATABASE_VARIABLE));
  });
}

async function migrateShared(cli: Cli): Promise<void> {
  const rows = openPostgresRows(requireDatabase(cli), () => {});
  try {
    const created = await onTheirDatabase(rows.transact(createTables));
    cli.terminal.print(created.length > 0 ? `Created: ${created.join(', ')}.` : 'The tables are up to date.');
  } finally {
    await rows.close();
  }
}

async function rotate(cli: Cli, { database, of }: { database?: true; of?: string }): Promise<void> {
  const { print } = cli.terminal;
  const [next, present] = readSetting(cli, KEYS_VARIABLE, oneOrTwo(masterKey)) ?? [];
  if (!next || !present) {
    throw wrongUsage(
      `${KEYS_VARIABLE} must have two keys, NEW,OLD: make a new one with "limen master-key generate", and restart every ` +
        `key-holder with both before you run this. For a key-holder without ${KEYS_VARIABLE}, the old one is in the file ` +
        'master.key of its folder.',
    );
  }
  const hasChanged = await (database
    ? onTheirDatabase(rotateDatabase(requireDatabase(cli), [next, present]))
    : rotateFolder(presentFolder(cli, of), [next, present], cli.clock));
  const [first, second] = [next, present].map((key) => masterKeyId(key).toString('hex'));
  print(
    hasChanged
      ? `The key-holder’s data key was sealed under key ${second}, the second in ${KEYS_VARIABLE}, and is now sealed under ` +
          `key ${first}, the first. Running key-holders go on.`
      : `The key-holder’s data key is already sealed under key ${first}, the first in ${KEYS_VARIABLE}; nothing was changed.`,
  );
  print(
    `If ${first} is the new key (limen master-key id names a key), restart every key-holder with it alone in ` +
      `${KEYS_VARIABLE}, and keep the old key for as long as you keep older backups.`,
  );
  print(
    `If it is the old key, the order is wrong: set ${KEYS_VARIABLE}=NEW,OLD and run this again before you restart anything.`,
  );
}

async function takeBackup(cli: Cli, target: string, options: KeyHolderBackupOptions): Promise<void> {
  const { database, of, nextKeyStdin, keep } = options;
  if (nextKeyStdin) {
    if (database || of !== undefined) {
      throw wrongUsage(
        '--next-key-stdin is for the thread of the service alone: a key-holder that runs by itself is moved with its master key.',
      );
    }
    if (keep !== undefined) {
      throw wrongUsage('--next-key-stdin takes one copy that moves the key-holder, so --keep does not go with it.');
    }
    return handOver(cli, target);
  }
  const take = (folder: string) => (database ? backUpShared(cli, folder) : backUp(cli, folder, of));
  if (keep === undefined) return take(target);
  const folder = nameDatedFolder(target, KEYHOLDER_BACKUPS, cli.clock.now());
  const say = cli.terminal.print;
  await takeDatedBackup(folder, KEYHOLDER_BACKUPS, say, () => take(folder));
  removeOldest(folder, KEYHOLDER_BACKUPS, { keep, isOwn: () => true, say });
}

async function backUp(cli: Cli, target: string, of: string | undefined): Promise<void> {
  const folder = presentFolder(cli, of);
  const names = await backUpFolder(folder, target, cli.clock.now());
  cli.terminal.print(`Took ${names.length} files of ${folder} into ${target}.`);
  cli.terminal.print(KEEP_APART);
}

async function backUpShared(cli: Cli, target: string): Promise<void> {
  const { print } = cli.terminal;
  const names = await onTheirDatabase(backUpDatabase(requireDatabase(cli), target, cli.clock.now()));
  print(`Took the key-holders’ database into ${names.length} files in ${target}.`);
  const audit = (await examineFolder(target))?.audit;
  if (audit?.state === 'broken') {
    throw new CommandError(
      `The backup is complete, but audit line ${audit.line} was changed in the database: ${audit.problem}.`,
    );
  }
  print(`Each of the ${audit?.lines ?? 0} lines of the audit follows from the previous one.`);
  print(KEEP_APART);
}

/** Copies the service's thread under a master key that the service never had. */
async function handOver(cli: Cli, target: string): Promise<void> {
  const { DATA_DIR } = requireConfig(cli);
  const folder = requireKeyHolder(keyHolderFolder(DATA_DIR));
  const next = await readNextKey(cli);
  await withContext(cli, async ({ sealer, keyring, record }) => {
    const present = deriveMasterKey(sealer);
    const known = [present, keyring.masterKey, masterKeyFile(DATA_DIR).read()].flat();
    if (known.some((key) => key !== undefined && next.equals(key))) {
      throw new CommandError(
        'The service has this master key too, so one leak would expose both tokens and keys. Make another one with ' +
          '"limen master-key generate". Nothing was changed.',
      );
    }
    await record('keyholder.hand-over');
    await backUpFolder(folder, target, cli.clock.now(), { present: [present], next });
  });
  cli.terminal.print(`Took the key-holder of ${folder} into ${target}, sealed under the new master key.`);
  cli.terminal.print(
    'Stop the service before you take the copy that counts: what its thread does later stays behind. Restore it where the ' +
      `key-holder will run (limen keyholder restore), start that with ${KEYS_VARIABLE} set to the new key, and the ` +
      `service with KEYHOLDER_URL. Then delete ${folder} and its backups: the service’s own keys still open those.`,
  );
}

async function restore(cli: Cli, source: string, { database, to }: { database?: true; to?: string }): Promise<void> {
  if (database) {
    const takenAt = await onTheirDatabase(restoreDatabase(source, requireDatabase(cli)));
    cli.terminal.print(
      `Restored the key-holder of ${takenAt} into the database. Start all key-holders with the master key that it had.`,
    );
    return;
  }
  const folder = chooseFolder(cli, to, '--to');
  const takenAt = await restoreFolder(source, folder);
  cli.terminal.print(`Restored the key-holder of ${takenAt} into ${folder}. Start it with the master key that it had.`);
}

/** Reads the service's settings last, because a key-holder that runs by itself lacks them. */
function chooseFolder(cli: Cli, folder: string | undefined, option: string): string {
  if (folder !== undefined) return resolve(folder);
  if (readSetting(cli, DATABASE_VARIABLE, String)) {
    throw wrongUsage(
      `${DATABASE_VARIABLE} is set: add --database for the database that it names, or name a folder with ${option}.`,
    );
  }
  const own = readSetting(cli, 'KEYHOLDER_DATA_DIR', String);
  if (own) return resolve(own);
  try {
    return resolve(keyHolderFolder(requireConfig(cli).DATA_DIR));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw wrongUsage(
      `Name the key-holder’s folder with ${option}, or add --database: without them it is the one in DATA_DIR, and the service’s settings are not all here.`,
    );
  }
}

function presentFolder(cli: Cli, folder: string | undefined): string {
  return requireKeyHolder(chooseFolder(cli, folder, '--of'));
}

function requireKeyHolder(folder: string): string {
  if (hasFile(keyHolderFile(folder))) return folder;
  throw new CommandError(`There is no key-holder in ${folder}; name its folder with --of, or add --database.`);
}

async function show(cli: Cli): Promise<void> {
  await withContext(cli, async (context) => {
    const { recorded, present, isSame } = await identify(context);
    cli.terminal.print(`database    ${recorded ? shortIdentity(recorded) : 'none yet'}`);
    cli.terminal.print(`key-holder  ${shortIdentity(present)}`);
    if (recorded && !isSame) {
      throw new CommandError('They differ, so no one can enroll or sign in through the service.');
    }
  });
}

async function accept(cli: Cli, isSure: boolean): Promise<void> {
  const { print } = cli.terminal;
  await withContext(cli, async (context) => {
    const { recorded, present, isSame } = await identify(context);
    if (isSame) return print(`The database is already bound to this key-holder (${shortIdentity(present)}).`);
    if (recorded && !isSure) {
      throw wrongUsage(
        `The database is bound to ${shortIdentity(recorded)}, whose keys this key-holder lacks: everyone would have to enroll again. Restore its folder, or confirm with --yes.`,
      );
    }
    await context.record('keyholder.accept', shortIdentity(present));
    await acceptKeyHolder(context.database, present, cli.clock);
    print(`The database is now bound to the key-holder ${shortIdentity(present)}.`);
  });
}

/** Returns the key-holder of the database, and the one that the settings name. */
async function identify({ config, sealer, database }: CommandContext) {
  const keyHolder = openKeyHolder({ sealer, log: pino({ level: 'silent' }) }, keyHolderSettings(config));
  try {
    const present = await keyHolder.identity();
    const recorded = (await findKeyHolderRecord(database))?.identity;
    return { present, recorded, isSame: recorded !== undefined && Buffer.from(recorded).equals(present) };
  } catch (error) {
    if (!(error instanceof KeyHolderUnavailableError)) throw error;
    throw new CommandError(`No key-holder: ${keyHolder.state()}; start it and check KEYHOLDER_URL.`);
  } finally {
    await keyHolder.close();
  }
}
