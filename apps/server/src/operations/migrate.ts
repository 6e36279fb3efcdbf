// `limen migrate`: applies the schema in two phases, additions before a start and removals after an upgrade.
import type { Command } from 'commander';
import { type Cli, CommandError, examples } from '../command-line/command.ts';
import { withContext } from '../command-line/context.ts';
import { withDatabaseForReading } from '../command-line/read-only.ts';
import { StartError } from '../platform/base/errors.ts';
import { hasTable, migrate, planMigrations } from '../platform/database/migrate.ts';
import type { Migration } from '../platform/database/migrations/migrations.ts';
import { livingProcesses, nameProcess } from '../platform/database/processes.ts';
import { migrationNote } from '../platform/sealing/keyring.ts';

export function addMigrateCommand(program: Command, cli: Cli): void {
  program
    .command('migrate')
    .description('Migrate the schema, as a start does; with --contract, finish an upgrade')
    .option('--plan', 'print the pending migrations and the running processes, and change nothing')
    .option('--contract', 'also remove what only earlier versions need; refused while one of them runs')
    .addHelpText('after', examples('limen migrate --plan', 'limen migrate', 'limen migrate --contract'))
    .action((options: { plan?: true; contract?: true }) => (options.plan ? printPlan(cli) : run(cli, options)));
}

async function run(cli: Cli, { contract = false }: { contract?: boolean }): Promise<void> {
  const { print } = cli.terminal;
  await withContext(cli, async ({ database, keyring, record }) => {
    const { later } = await planMigrations(database);
    const names = later.map(({ name }) => name).join(', ');
    if (later.length === 0) return print('The schema is up to date.');
    if (!contract) {
      return print(
        `The schema is up to date. Once no earlier version runs, "limen migrate --contract" applies: ${names}.`,
      );
    }
    await record('schema.contract', names);
    await migrate(database, cli.clock, migrationNote(keyring), { contract }).catch((error: unknown) => {
      throw error instanceof StartError ? new CommandError(error.message) : error;
    });
    print(`Applied: ${names}. Earlier versions no longer start on this database.`);
  });
}

function printPlan(cli: Cli): Promise<void> {
  const { print } = cli.terminal;
  const printAll = (migrations: readonly Migration[], when: string) => {
    for (const { name, phase } of migrations) print(`${name} (${phase}; ${when})`);
  };
  return withDatabaseForReading(cli, async (database) => {
    if (!database || !(await hasTable(database, 'schema_migrations')))
      return print('There are no tables yet; the first start creates all of them.');
    const { atStart, later } = await planMigrations(database);
    if (atStart.length + later.length === 0) print('Nothing is pending: the schema is up to date.');
    printAll(atStart, 'at the next start, or with: limen migrate');
    printAll(later, 'with: limen migrate --contract');
    const processes = await livingProcesses(database, cli.clock.now());
    if (processes.length === 0) print('No process works on the database.');
    for (const running of processes) {
      const seenAt = new Date(running.seen_at).toISOString();
      print(
        `Running: ${nameProcess(running)}, version ${running.version}, knows up to ${running.knows}, last seen ${seenAt}`,
      );
    }
  });
}
