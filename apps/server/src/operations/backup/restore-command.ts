// `limen restore`: checks a backup and puts it into an empty database of either engine.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../command-line/command.ts';
import { withContext } from '../../command-line/context.ts';
import { progressOnTerminal } from '../../command-line/terminal/progress.ts';
import { storageSettings } from '../../config.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { BackupError } from './format.ts';
import { checkBackup, restoreBackup } from './restore.ts';

export function addRestoreCommand(program: Command, cli: Cli): void {
  program
    .command('restore')
    .description('Restore a backup into an empty database of either engine')
    .argument('<folder>', 'as it was given to: limen backup')
    .option('--check', 'only check that the backup is complete and that the master key opens it')
    .addHelpText('after', examples('limen restore --check /backups/2026-11-17', 'limen restore /backups/2026-11-17'))
    .action((folder: string, { check = false }: { check?: boolean }) => restore(cli, resolve(folder), check));
}

async function restore(cli: Cli, folder: string, onlyCheck: boolean): Promise<void> {
  const { print } = cli.terminal;
  const { tables, takenAt, limen } = await readBackup(cli, folder, onlyCheck).catch((error: unknown) => {
    throw error instanceof BackupError ? new CommandError(error.message) : error;
  });
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const what = `${rows} rows of ${tables.length} tables, taken at ${takenAt} by Limen ${limen}`;
  if (onlyCheck) return print(`The backup is whole: ${what}.`);
  await withContext(cli, ({ record }) => record('backup.restore', `taken ${takenAt}`));
  print(`Restored ${what}.`);
  print('Next: restore the key-holder (limen keyholder restore FOLDER), then start the service.');
  print('Data deleted since the backup is back. Delete it again.');
}

async function readBackup(cli: Cli, folder: string, onlyCheck: boolean) {
  const settings = storageSettings(requireConfig(cli));
  const progress = progressOnTerminal();
  const showing = (verb: string) => (table: string, rows: number) =>
    progress.show({ label: `${verb} ${table}`, done: rows, unit: 'rows' });
  try {
    const manifest = await checkBackup(folder, settings, showing('Checking'));
    if (onlyCheck) return manifest;
    const database = openDatabase(settings);
    try {
      await restoreBackup(folder, manifest, database, showing('Restoring'));
    } finally {
      await database.close();
    }
    return manifest;
  } finally {
    progress.clear();
  }
}
