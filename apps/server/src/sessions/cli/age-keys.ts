// `limen age-keys`: deletes the age keys that sessions of one API key earned.
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, CommandError, examples } from '../../command-line/command.ts';
import { withContext } from '../../command-line/context.ts';
import { parseShortText } from '../../command-line/options.ts';
import { toPrintable } from '../../command-line/terminal/print-table.ts';
import { confirm } from '../../command-line/terminal/terminal.ts';
import { formatMonth, monthsSince } from '../proofs/age-keys/rules.ts';
import { createAgeKeyStore } from '../proofs/age-keys/store.ts';

interface RevokeOptions extends Partial<Record<'dryRun' | 'yes' | 'json', true>> {
  key: string;
  since: string;
}

const BATCH = 500;

export function addAgeKeysCommands(program: Command, cli: Cli): void {
  const ageKeys = program.command('age-keys').description('Age keys: revoke those of a farm');

  ageKeys
    .command('revoke')
    .description('Delete all age keys that sessions of one API key earned; the people need another check')
    .requiredOption('--key <id>', 'id of the API key, also of a revoked one; see: limen keys list', parseShortText)
    .requiredOption('--since <month>', 'first month whose age keys are deleted, such as 2026-03', parseMonth)
    .option('--dry-run', 'only count them')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen age-keys revoke --key 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 --since 2026-03'))
    .action((options: RevokeOptions) => revokeAgeKeys(cli, options));
}

async function revokeAgeKeys(cli: Cli, { key, since, dryRun, yes, json }: RevokeOptions): Promise<void> {
  const { print, complain } = cli.terminal;
  const now = cli.clock.now();
  if (since > formatMonth(now)) {
    const sentence = `${since} has not begun: --since must be the current month, ${formatMonth(now)}, or earlier.`;
    throw new CommandError(sentence, { usage: true });
  }
  await withContext(cli, async ({ database, sealer, apiKeys, record }) => {
    const store = createAgeKeyStore(database, sealer);
    const months = monthsSince(since, now);
    const found = await store.countMinted(key, months);
    const which = `${found} age key${found === 1 ? '' : 's'} that API key ${toPrintable(key)} made since ${since}`;
    const apiKey = (await apiKeys.list()).find(({ id }) => id === key);
    if (!apiKey) complain(`No API key has the id ${toPrintable(key)}; age keys of a deleted API key are still found.`);
    if (apiKey?.status === 'active')
      complain(`The API key can still make age keys; end that with: limen keys revoke ${key}`);
    if (dryRun) return print(json ? JSON.stringify({ found, deleted: 0 }, null, 2) : `Found ${which}.`);
    if (found > 0 && !yes && process.stdin.isTTY && !(await confirm(`Delete ${which}? [y/N] `))) {
      throw new CommandError('No age key was deleted.');
    }
    if (found > 0) await record('age-keys.revoke', `${key} since ${since}`);
    let deleted = 0;
    for (let batch = BATCH; found > 0 && batch === BATCH; deleted += batch) {
      batch = await store.removeMinted(key, months, BATCH);
    }
    print(json ? JSON.stringify({ found, deleted }, null, 2) : `Deleted ${which}.`);
  });
}

function parseMonth(text: string): string {
  if (!/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('It is not a month such as 2026-03.');
  return text;
}
