// `limen rows`: lists rows that were edited in the database, and accepts those that an operator has looked at.
import { Argument, type Command } from 'commander';
import {
  acceptRow,
  findEditedRows,
  SEALED_TABLE_NAMES,
  type SealedTable,
} from '../../platform/sealing/sealed-tables.ts';
import { type Cli, CommandFailure, examples } from '../command.ts';
import { withContext } from '../open-context.ts';
import { confirm } from '../terminal/confirm.ts';
import { toPrintable } from '../terminal/print-table.ts';

/** More than anyone reads at once. */
const MAX_LISTED = 500;

export function addRowsCommands(program: Command, cli: Cli): void {
  const rows = program.command('rows').description('Rows that were edited in the database: list, accept');

  rows
    .command('list')
    .description('List rows whose seal does not hold, which count as absent; reads every sealed row')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen rows list'))
    .action((options: { json?: true }) => listRows(cli, options));

  rows
    .command('accept')
    .description('Seal rows as they are now, once you have checked what is in them; they count again')
    .addArgument(new Argument('<table>', 'their table').choices(SEALED_TABLE_NAMES))
    .argument('<id...>', 'rows, as shown by: limen rows list')
    .option('--yes', 'do not ask first')
    .addHelpText('after', examples('limen rows accept galleries 019a8561-8a2f-7000-a5c5-3c0f8d1a2b4e'))
    .action((table: SealedTable, ids: string[], options: { yes?: true }) => acceptRows(cli, table, ids, options));
}

async function listRows(cli: Cli, { json }: { json?: true }): Promise<void> {
  const { looked, edited, isWhole } = await withContext(cli, ({ database, sealer }) =>
    findEditedRows(database.queries, sealer, (sofar) => sofar.edited.length < MAX_LISTED),
  );
  const { print, complain } = cli.terminal;
  if (json) return print(JSON.stringify({ looked, complete: isWhole, edited }, null, 2));
  if (edited.length === 0) return print(`All ${looked} rows are as they were written.`);
  for (const { table, id, columns } of edited) print(toPrintable(`${table} ${id} ${JSON.stringify(columns)}`));
  if (!isWhole) complain('There may be more; only the first are listed.');
}

async function acceptRows(cli: Cli, table: SealedTable, ids: string[], { yes }: { yes?: true }): Promise<void> {
  const question = `Accept ${ids.length} of ${table} as they are in the database now? [y/N] `;
  if (!yes && process.stdin.isTTY && !(await confirm(question))) throw new CommandFailure('No row was accepted.');
  const refused: string[] = [];
  await withContext(cli, async ({ database, sealer, record }) => {
    for (const id of new Set(ids)) {
      await record('row.accept', `${table} ${id}`);
      if (await acceptRow(database, sealer, table, id)) cli.terminal.print(toPrintable(`Accepted ${table} ${id}.`));
      else refused.push(id);
    }
  });
  if (refused.length === 0) return;
  throw new CommandFailure(toPrintable(`Not there, or not edited: ${refused.join(', ')}; see: limen rows list`));
}
