// `limen operators`: manages the operators of the console.
import { type Command, Option } from 'commander';
import { type Cli, CommandError, examples, requireConfig } from '../../command-line/command.ts';
import { withContext } from '../../command-line/context.ts';
import { parseShortText } from '../../command-line/options.ts';
import { printTable, printTime } from '../../command-line/terminal/print-table.ts';
import { AppError } from '../../platform/base/errors.ts';
import { ROLES, type Role } from '../../platform/base/roles.ts';
import type { RecordAct } from '../../records/audit/log.ts';
import { INVITE_MINUTES } from '../limits.ts';
import { createOperators, inviteLink, type ListedOperator, type Operators } from '../operators/operators.ts';
import { findConsole } from '../settings.ts';

export function addOperatorsCommands(program: Command, cli: Cli): void {
  const operators = program
    .command('operators')
    .description('Manage console operators and their passkeys: invite, list, sign out, remove');

  operators
    .command('invite')
    .description('Print a link for registering a passkey, or another passkey if the operator exists')
    .argument('<name>', 'name of the operator in the audit log', parseShortText)
    .addOption(new Option('--role <role>', 'role of the operator; default: reviewer').choices([...ROLES]))
    .addHelpText('after', examples('limen operators invite "Ada Lovelace" --role admin'))
    .action((name: string, { role }: { role?: Role }) => invite(cli, name, role));

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
    .command('passkeys')
    .description('List the passkeys of an operator')
    .argument('<name>', 'name, as shown by: limen operators list')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen operators passkeys "Ada Lovelace"'))
    .action((name: string, options: { json?: true }) => listPasskeys(cli, name, options));

  operators
    .command('remove-passkey')
    .description('Remove one passkey of an operator, who is signed out everywhere')
    .argument('<name>', 'name, as shown by: limen operators list')
    .argument('<passkey>', 'its id or how it begins, as shown by: limen operators passkeys')
    .allowUnknownOption() // one id in 64 begins with a dash
    .addHelpText('after', examples('limen operators remove-passkey "Ada Lovelace" k3V9xQ2m'))
    .action((name: string, passkey: string) => removePasskey(cli, name, passkey));

  operators
    .command('remove')
    .description('Remove an operator with passkeys and sessions; what they did stays in the audit log')
    .argument('<name>', 'name, as shown by: limen operators list')
    .option('--yes', 'also the last admin who can sign in')
    .addHelpText('after', examples('limen operators remove "Ada Lovelace"'))
    .action((name: string, options: { yes?: true }) => remove(cli, name, options));
}

/** `work` records each act before it happens, once it is sure that the act is possible. */
function withOperators<T>(cli: Cli, work: (operators: Operators, record: RecordAct) => Promise<T>): Promise<T> {
  return withContext(cli, (context) => work(createOperators(context), context.record));
}

async function invite(cli: Cli, name: string, role: Role | undefined): Promise<void> {
  const config = requireConfig(cli);
  const address = await findConsole(config);
  if (address === undefined) {
    throw new CommandError('No console is configured: set CONSOLE_URL and include console in SERVE.');
  }
  const made = await withOperators(cli, async (operators, record) => {
    const known = (await operators.list()).find((operator) => operator.name === name);
    if (known && role !== undefined && known.role !== role) return undefined;
    await record(await operators.inviteActOf(name), name);
    return operators.invite(name, role);
  }).catch((error: unknown) => {
    throw error instanceof AppError ? new CommandError(`The ${error.message}.`) : error;
  });
  if (!made)
    throw new CommandError('This operator has another role; remove the operator first, then invite them again.');
  const { print, paint } = cli.terminal;
  print(`Invited ${made.operator.name} as ${made.operator.role}. Send this link over a private channel:\n`);
  print(`  ${inviteLink(address, made)}\n`);
  print(paint('yellow', `It expires after ${INVITE_MINUTES} minutes and registers one passkey.`));
}

async function list(cli: Cli, { json }: { json?: true }): Promise<void> {
  const rows = await withOperators(cli, (operators) => operators.list());
  const { print, paint } = cli.terminal;
  if (json) return print(JSON.stringify(rows, null, 2));
  if (rows.length === 0) return print('There are no operators yet; invite one with: limen operators invite');
  const columns = ['NAME', 'ROLE', 'SIGNS IN BY', 'PASSKEYS', 'SIGNED IN', 'SINCE'];
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
  const ended = await withOperators(cli, async (operators, record) => {
    await find(operators, name);
    await record('operator.sign-out', name);
    return operators.signOut(name);
  });
  cli.terminal.print(ended === 0 ? `${name} was not signed in.` : `Signed ${name} out everywhere.`);
}

async function listPasskeys(cli: Cli, name: string, { json }: { json?: true }): Promise<void> {
  const passkeys = await withOperators(cli, async (operators) =>
    operators.passkeysOf((await find(operators, name)).id),
  );
  const { print, paint } = cli.terminal;
  if (json) return print(JSON.stringify(passkeys, null, 2));
  if (passkeys.length === 0) return print(`${name} has no passkey; make a link for one with: limen operators invite`);
  const columns = ['PASSKEY', 'MADE', 'LAST USED'];
  const cells = passkeys.map(({ id, createdAt, usedAt }) => [
    id,
    printTime(createdAt),
    usedAt === null ? 'never' : printTime(usedAt),
  ]);
  print(printTable(columns, cells, (text) => paint('bold', text)));
}

async function removePasskey(cli: Cli, name: string, begins: string): Promise<void> {
  await withOperators(cli, async (operators, record) => {
    const { id: operatorId } = await find(operators, name);
    const [found, ...more] = (await operators.passkeysOf(operatorId)).filter(({ id }) => id.startsWith(begins));
    if (!found) throw new CommandError('The operator has no such passkey; see: limen operators passkeys');
    if (more.length > 0) throw new CommandError('Several passkeys start with this id; enter more characters.');
    const lastOne = new CommandError(
      'It is the last passkey of an admin; invite another admin first, or remove the operator.',
    );
    if (await operators.isLastAdmin(operatorId, found.id)) throw lastOne;
    await record('passkey.remove', name);
    if ((await operators.removePasskey(operatorId, found.id)) === 'last admin') throw lastOne;
    await operators.signOut(name);
  });
  cli.terminal.print(`Removed a passkey of ${name} and signed them out everywhere.`);
}

async function find(operators: Operators, name: string): Promise<ListedOperator> {
  const operator = (await operators.list()).find((listed) => listed.name === name);
  if (!operator) throw noSuchOperator();
  return operator;
}

async function remove(cli: Cli, name: string, { yes }: { yes?: true }): Promise<void> {
  await withOperators(cli, async (operators, record) => {
    if (!(await operators.isKnown(name))) throw noSuchOperator();
    const known = (await operators.list()).find((operator) => operator.name === name);
    const lastOne = new CommandError(
      'This is the last admin who can sign in: without one, operators and API keys cannot be managed in the console. Invite another admin first, or confirm with --yes.',
    );
    if (known && !yes && (await operators.isLastAdmin(known.id))) throw lastOne;
    await record('operator.remove', name);
    // An operator who is not listed has an edited row, which is removed by name.
    if (!known || yes) await operators.remove(name);
    else if ((await operators.removeUnlessLast(known.id)) === 'last admin') throw lastOne;
  });
  cli.terminal.print(`Removed ${name} and ended their sessions.`);
}

function noSuchOperator(): CommandError {
  return new CommandError('No operator has this name; see: limen operators list');
}
