// `limen signing-keys`: lists, rotates and removes signing keys.
import { formatMinutes } from '@limen/contract';
import { type Command, Option } from 'commander';
import { type Cli, CommandError, examples } from '../command-line/command.ts';
import { type CommandContext, withContext } from '../command-line/context.ts';
import { withDatabaseForReading } from '../command-line/read-only.ts';
import { printTable, printTime, toPrintable } from '../command-line/terminal/print-table.ts';
import { confirm } from '../command-line/terminal/terminal.ts';
import type { World } from '../platform/base/world.ts';
import { hasTable } from '../platform/database/migrate.ts';
import { listSigningKeys, type Rotation, type SigningKeyRow, SigningKeys } from './keys.ts';
import { KEY_SET_MAX_AGE_SECONDS } from './limits.ts';
import { findKeyState, publishedUntil, WORLDS } from './rules.ts';

export function addSigningKeysCommands(program: Command, cli: Cli): void {
  const keys = program.command('signing-keys').description('Keys that sign results and receipts: list, rotate, remove');

  keys
    .command('list')
    .description('List the keys with their states; their public parts are at /.well-known/jwks.json')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen signing-keys list'))
    .action((options: { json?: true }) => listKeys(cli, options));

  keys
    .command('rotate')
    .description('Publish a new key at once, and sign with it an hour later; the old one stays published')
    .addOption(new Option('--world <world>', 'only this world; both by default').choices(['live', 'test']))
    .option('--now', 'sign with it at once: verifiers with a cached key set reject it for some minutes')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen signing-keys rotate', 'limen signing-keys rotate --world live --now'))
    .action((options: { world?: World; now?: boolean; json?: true }) => rotateKeys(cli, options));

  keys
    .command('remove')
    .description('Remove a leaked key: its signatures can no longer be verified')
    .argument('<id>', 'the key, as shown by: limen signing-keys list')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', examples('limen signing-keys remove live-dKQ3…'))
    .action((id: string, options: { yes?: true }) => removeKey(cli, id, options));
}

async function listKeys(cli: Cli, { json }: { json?: true }): Promise<void> {
  const rows = await withDatabaseForReading(cli, async (database) =>
    database && (await hasTable(database, 'signing_keys')) ? listSigningKeys(database.queries) : [],
  );
  const { print, paint } = cli.terminal;
  const keys = rows.map((row) => describeKey(row, rows, cli.clock.now()));
  if (json) return print(JSON.stringify(keys, null, 2));
  if (keys.length === 0) return print('There are no signing keys yet; the server creates them at its first start.');
  const columns = ['ID', 'WORLD', 'STATE', 'CREATED', 'SIGNS FROM', 'PUBLISHED UNTIL'];
  const cells = keys.map(({ id, world, state, createdAt, signsFrom, publishedUntil: until }) => [
    id,
    world,
    state,
    printTime(Date.parse(createdAt)),
    printTime(Date.parse(signsFrom)),
    until === null ? '-' : printTime(Date.parse(until)),
  ]);
  print(printTable(columns, cells, (text) => paint('bold', text)));
}

function describeKey(row: SigningKeyRow, rows: readonly SigningKeyRow[], now: number) {
  const until = publishedUntil(row, rows);
  return {
    id: row.id,
    world: row.world,
    state: findKeyState(row, rows, now),
    createdAt: formatTime(row.created_at),
    signsFrom: formatTime(row.signs_from),
    publishedUntil: until === undefined ? null : formatTime(until),
  };
}

async function rotateKeys(
  cli: Cli,
  { world, now: atOnce = false, json }: { world?: World; now?: boolean; json?: true },
): Promise<void> {
  const { terminal } = cli;
  const rotations: Rotation[] = await withContext(cli, async (context) => {
    const keys = openKeys(cli, context);
    await keys.ensure();
    const rotated: Rotation[] = [];
    for (const chosen of world ? [world] : WORLDS) {
      await context.record('signing-key.rotate', chosen);
      rotated.push(await keys.rotate(chosen, { atOnce }));
    }
    return rotated;
  });
  if (json) {
    const printed = rotations.map(({ key, isNew }) => {
      const { id, world, signs_from } = key;
      return { id, world, signsFrom: formatTime(signs_from), isNew };
    });
    return terminal.print(JSON.stringify(printed, null, 2));
  }
  for (const { key, isNew } of rotations) {
    const what = isNew ? 'is published' : 'was published before';
    terminal.print(`${key.id} ${what} and signs from ${printTime(key.signs_from)}.`);
  }
}

async function removeKey(cli: Cli, id: string, { yes }: { yes?: true }): Promise<void> {
  const question = 'Signatures of this key can no longer be verified. Remove it? [y/N] ';
  if (!yes && process.stdin.isTTY && !(await confirm(question))) throw new CommandError('No key was removed.');
  const removal = await withContext(cli, async (context) => {
    if (!(await listSigningKeys(context.database.queries)).some((key) => key.id === id)) return undefined;
    await context.record('signing-key.remove', id);
    return openKeys(cli, context).remove(id);
  });
  if (!removal) throw new CommandError('There is no signing key with this id; see: limen signing-keys list');
  cli.terminal.print(
    `Removed ${id}; verifiers that keep the set refuse what it signed within ${formatMinutes(KEY_SET_MAX_AGE_SECONDS * 1_000)}.`,
  );
  if (removal.replacement) cli.terminal.print(`It was the active key. ${removal.replacement.id} signs from now on.`);
}

function openKeys({ clock, terminal }: Cli, { database, sealer }: CommandContext) {
  const log = {
    error: ({ key }: { key: string }, message: string) => terminal.complain(toPrintable(`${message} (${key})`)),
    info: () => {},
  };
  return new SigningKeys({ database, sealer, clock, log });
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
