// `limen migrate`: the schema in two phases. What a start adds, ahead of it; what an upgrade takes away, after it; and both on paper.
import type { Command } from 'commander';
import { hasTable, migrate, planMigrations } from '../../platform/database/migrate.ts';
import type { Migration } from '../../platform/database/migrations/migration.ts';
import { livingProcesses, nameProcess } from '../../platform/database/processes.ts';
import { readStatements } from '../../platform/database/statements.ts';
import { StartError } from '../../platform/errors.ts';
import { keysForMigrations } from '../../platform/keyring.ts';
import { TABLES_OF_FIXED_COLUMNS } from '../../platform/sealing/sealed-tables.ts';
import { type Cli, CommandFailure, configOf, examples } from '../command.ts';
import { withContext } from '../open-context.ts';
import { withDatabaseForReading } from '../open-for-reading.ts';

export function addMigrateCommand(program: Command, cli: Cli): void {
  program
    .command('migrate')
    .description('Bring the schema up to date, as a start does; with --contract, end an upgrade')
    .option('--plan', 'print what would be done, statement by statement, and change nothing')
    .option('--contract', 'also take away what only earlier versions need; refused while one of them runs')
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
        `The schema is up to date. Once no earlier version runs any more, "limen migrate --contract" applies: ${names}.`,
      );
    }
    await record('schema.contract', names);
    await migrate(database, cli.clock, keysForMigrations(keyring), { contract }).catch((error: unknown) => {
      throw error instanceof StartError ? new CommandFailure(error.message) : error;
    });
    print(`Applied: ${names}. Earlier versions do not start on this database any more.`);
  });
}

function printPlan(cli: Cli): Promise<void> {
  const { print } = cli.terminal;
  const engine = configOf(cli).DATABASE_URL === undefined ? 'sqlite' : 'postgres';
  const printAll = async (migrations: readonly Migration[], when: string) => {
    for (const migration of migrations) {
      const { name, phase } = migration;
      print(`${name} (${phase ?? 'from before there were phases: every process has to be stopped'}; ${when})`);
      if (!phase) continue;
      const statements = await readStatements(migration, { engine, sealedTables: TABLES_OF_FIXED_COLUMNS });
      if (statements.length === 0) print('  no statement: it only keeps its place in the order');
      for (const { sql, effect } of statements) print(`  ${sql}\n    ${effect}`);
    }
  };
  return withDatabaseForReading(cli, async (database) => {
    if (!database || !(await hasTable(database, 'schema_migrations')))
      return print('There are no tables yet; the first start creates all of them.');
    const { atStart, later } = await planMigrations(database);
    if (atStart.length + later.length === 0) print('Nothing is pending: the schema is up to date.');
    await printAll(atStart, 'at the next start, or with: limen migrate');
    await printAll(later, 'with: limen migrate --contract');
    if (!(await hasTable(database, 'processes'))) return;
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
