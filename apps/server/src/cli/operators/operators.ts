// `limen operators`: who may use the console.
import { type Command, Option } from 'commander';
import { createOperators, INVITE_MINUTES, inviteLink, type Operators } from '../../core/operators/operators.ts';
import { createOperatorStore } from '../../core/operators/store.ts';
import { consoleAddressOf } from '../../part-settings.ts';
import { AppError } from '../../platform/errors.ts';
import { ROLES, type Role } from '../../platform/roles.ts';
import { type Cli, CommandFailure, configOf, examples } from '../command.ts';
import { type Context, tellOfEdits, withContext } from '../open-context.ts';
import { parseShortText } from '../parse-options.ts';
import { printTable, printTime } from '../terminal/print-table.ts';

export function addOperatorsCommands(program: Command, cli: Cli): void {
  const operators = program.command('operators').description('Who may use the console: invite, list, sign out, remove');

  operators
    .command('invite')
    .description('Print a link with which somebody registers a passkey; for somebody known, another passkey')
    .argument('<name>', 'name that the audit log knows them by', parseShortText)
    .addOption(new Option('--role <role>', 'what they may do; reviewer unless said').choices([...ROLES]))
    .addHelpText('after', examples('limen operators invite "Ada Lovelace" --role admin'))
    .action((name: string, options: { role?: Role }) => invite(cli, name, options.role));

  operators
    .command('list')
    .description('List operators, their roles and where they are signed in')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen operators list'))
    .action((options: { json?: true }) => list(cli, options));

  operators
    .command('sign-out')
    .description('End all sessions of an operator; they can sign in again')
    .argument('<name>', 'name, as shown by: limen operators list')
    .addHelpText('after', examples('limen operators sign-out "Ada Lovelace"'))
    .action((name: string) => signOut(cli, name));

  operators
    .command('remove')
    .description('Remove an operator with passkeys and sessions; what they did stays in the audit log')
    .argument('<name>', 'name, as shown by: limen operators list')
    .addHelpText('after', examples('limen operators remove "Ada Lovelace"'))
    .action((name: string) => remove(cli, name));
}

/** With `act` it is on record before it is done, as what is done in the console is. */
function withOperators<T>(
  cli: Cli,
  act: { name: string; about: string } | undefined,
  work: (operators: Operators) => Promise<T>,
): Promise<T> {
  return withContext(cli, async (context) => {
    if (act) await context.record(act.name, act.about);
    return work(openOperators(cli, context));
  });
}

function openOperators({ clock, terminal }: Cli, { database, sealer, ids }: Context): Operators {
  const store = createOperatorStore(database, sealer, tellOfEdits(terminal));
  return createOperators({ database, store, sealer, clock, ids });
}

async function invite(cli: Cli, name: string, role: Role | undefined): Promise<void> {
  const consoleUrl = consoleAddressOf(configOf(cli));
  if (consoleUrl === undefined) {
    throw new CommandFailure('The settings serve no console: set CONSOLE_URL, and have console in SERVE.');
  }
  const made = await withContext(cli, async (context) => {
    const operators = openOperators(cli, context);
    await context.record(await operators.inviteActOf(name), name);
    return operators.invite(name, role);
  }).catch((error: unknown) => {
    throw error instanceof AppError ? new CommandFailure(`The ${error.message}.`) : error;
  });
  if (!made) throw new CommandFailure('They have another role already; remove them first, then invite them anew.');
  const { print, paint } = cli.terminal;
  print(`Invited ${made.operator.name} as ${made.operator.role}. Hand this link over where nobody else reads it:\n`);
  print(`  ${inviteLink(consoleUrl, made)}\n`);
  print(paint('yellow', `It is good for ${INVITE_MINUTES} minutes and one passkey.`));
}

async function list(cli: Cli, { json }: { json?: true }): Promise<void> {
  const rows = await withOperators(cli, undefined, (operators) => operators.list());
  const { print, paint } = cli.terminal;
  if (json) return print(JSON.stringify(rows, null, 2));
  if (rows.length === 0) return print('There are no operators yet; invite one with: limen operators invite');
  const columns = [
    { heading: 'NAME' },
    { heading: 'ROLE' },
    { heading: 'SIGNS IN BY' },
    { heading: 'PASSKEYS' },
    { heading: 'SIGNED IN' },
    { heading: 'SINCE' },
  ];
  const cells = rows.map(({ name, role, isProvided, passkeys, sessions, createdAt }) => [
    name,
    role,
    isProvided ? 'provider' : 'passkey',
    String(passkeys),
    String(sessions),
    printTime(createdAt),
  ]);
  print(printTable(columns, cells, (text) => paint('bold', text)));
}

async function signOut(cli: Cli, name: string): Promise<void> {
  const ended = await withOperators(cli, { name: 'operator.sign-out', about: name }, (operators) =>
    operators.signOut(name),
  );
  if (ended === undefined) throw nobody();
  cli.terminal.print(ended === 0 ? `${name} was not signed in.` : `Signed ${name} out everywhere.`);
}

async function remove(cli: Cli, name: string): Promise<void> {
  const act = { name: 'operator.remove', about: name };
  if (!(await withOperators(cli, act, (operators) => operators.remove(name)))) throw nobody();
  cli.terminal.print(`Removed ${name}; their sessions are over.`);
}

function nobody(): CommandFailure {
  return new CommandFailure('There is no operator of this name; see: limen operators list');
}
