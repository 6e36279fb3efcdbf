// `limen backup`: takes a backup of the database while the service runs.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../command-line/command.ts';
import { type KeepOptions, keepOption } from '../../command-line/options.ts';
import { hasFile } from '../../command-line/read-only.ts';
import { describeFailure } from '../../command-line/terminal/describe-failure.ts';
import { progressOnTerminal } from '../../command-line/terminal/progress.ts';
import { storageSettings } from '../../config.ts';
import { createIds } from '../../platform/base/ids.ts';
import { openDatabase, sqliteFile } from '../../platform/database/database.ts';
import { areBeforeBaseline, hasTable, unknownMigrations } from '../../platform/database/migrate.ts';
import { nameDatedFolder, removeOldest, takeDatedBackup } from '../../platform/files/dated-backups.ts';
import { formatBytes } from '../../platform/files/free-space.ts';
import { readKeyring } from '../../platform/sealing/keyring.ts';
import type { Act } from '../../records/audit/acts.ts';
import { createActRecorder, THIS_MACHINE } from '../../records/audit/log.ts';
import { openAudit } from '../../records/audit/open.ts';
import { BACKUPS, BackupError, isGenuine, MANIFEST_FILE, readManifest } from './format.ts';
import { takeBackup } from './take.ts';

export function addBackupCommand(program: Command, cli: Cli): void {
  program
    .command('backup')
    .description('Take a backup of the database into a new folder, while the service runs')
    .argument('<folder>', 'created if missing; must be empty, unless --keep is given')
    .addOption(keepOption())
    .addHelpText('after', examples('limen backup /backups/2026-11-17', 'limen backup /backups --keep 14'))
    .action((folder: string, { keep }: KeepOptions) => backUp(cli, resolve(folder), keep));
}

async function backUp(cli: Cli, parent: string, keep: number | undefined): Promise<void> {
  const { clock, terminal } = cli;
  const { print } = terminal;
  const folder = keep === undefined ? parent : nameDatedFolder(parent, BACKUPS, clock.now());
  const taking =
    keep === undefined ? take(cli, folder) : takeDatedBackup(folder, BACKUPS, print, () => take(cli, folder));
  const { tables, sealer } = await taking.catch((error: unknown) => {
    throw error instanceof BackupError ? new CommandError(error.message) : error;
  });
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  print(`Took ${rows} rows of ${tables.length} tables: ${formatBytes(bytes)} in ${folder}.`);
  print(
    'The backup does not include the master key and the key-holder (limen keyholder backup FOLDER). A restore needs both.',
  );
  print('Store the three in separate places: together they open all data.');
  // Two databases may be backed up into one folder by mistake.
  const isOwn = (path: string) => {
    const manifest = readManifest(readFileSync(join(path, MANIFEST_FILE), 'utf8'));
    return manifest !== undefined && isGenuine(manifest, sealer);
  };
  if (keep !== undefined) removeOldest(folder, BACKUPS, { keep, isOwn, say: print });
}

/** Applies no migrations, because operators take a backup before those. */
async function take(cli: Cli, folder: string) {
  const settings = storageSettings(requireConfig(cli));
  const { clock } = cli;
  const nothing = () => new BackupError('There is no database to back up yet.');
  if (settings.url === undefined && !hasFile(sqliteFile(settings.dataDir))) throw nothing();
  const database = openDatabase(settings);
  const progress = progressOnTerminal();
  try {
    if (!(await hasTable(database, 'data_keys'))) throw nothing();
    const unknown = await unknownMigrations(database);
    if (unknown.length > 0)
      throw new BackupError(
        areBeforeBaseline(unknown)
          ? 'The database was made by a version before 0.1.0, which this version cannot read; take the backup with that version.'
          : `A newer Limen works on the database (migration ${unknown[0]}): take the backup with that version, which knows all of its tables.`,
      );
    const keyring = { ...settings, database, clock, ids: createIds(clock) };
    const record = (act: Act) =>
      readKeyring(keyring, async (trx, sealer) => {
        const { audit } = openAudit({ database, sealer, clock });
        await createActRecorder(audit, THIS_MACHINE, act, folder)(trx);
      });
    const sealer = await record('backup.take');
    if (!sealer) throw nothing();
    const tables = await takeBackup(folder, {
      ...settings,
      database,
      sealer,
      clock,
      onProgress: (table, rows) => progress.show({ label: table, done: rows, unit: 'rows' }),
    });
    await record('backup.finish').catch((error: unknown) => {
      const sentence = 'The backup is complete, but could not be recorded, so metrics do not count it:';
      cli.terminal.complain(`${sentence} ${describeFailure(error)}`);
    });
    return { tables, sealer };
  } finally {
    progress.clear();
    await database.close();
  }
}
