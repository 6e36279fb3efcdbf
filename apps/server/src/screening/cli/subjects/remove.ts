// `limen subjects remove`: stops watching subjects, and deletes all that was found for them.
import type { Command } from 'commander';
import { type Cli, CommandFailure, examples } from '../../../command-line/command.ts';
import { confirm } from '../../../command-line/terminal/confirm.ts';
import { toPrintable } from '../../../command-line/terminal/print-table.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { findSubject, SUBJECT_ARGUMENT, withKeyOption, withSubjects } from './tools.ts';

interface RemoveOptions {
  keyId: string;
  yes?: true;
  json?: true;
}

export function addSubjectsRemove(subjects: Command, cli: Cli): void {
  withKeyOption(subjects.command('remove'))
    .description('Stop watching subjects: deletes them with their hits, alerts, decisions and webhooks')
    .argument('<subject...>', SUBJECT_ARGUMENT)
    .option('--yes', 'do not ask first')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen subjects remove customer-1071 --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57'))
    .action((named: string[], options: RemoveOptions) => removeSubjects(cli, [...new Set(named)], options));
}

async function removeSubjects(cli: Cli, named: string[], { keyId, yes, json }: RemoveOptions): Promise<void> {
  const { print, complain } = cli.terminal;
  const question = `Delete ${countOf(named.length)} with all that was found? [y/N] `;
  if (!yes && process.stdin.isTTY && !(await confirm(question))) throw new CommandFailure('Nothing was deleted.');
  const removed: string[] = [];
  const notFound: string[] = [];
  await withSubjects(cli, keyId, async (tools) => {
    for (const name of named) {
      const subject = await findSubject(tools, name).catch(orNothing);
      if (subject) {
        await tools.context.record('subject.remove', subject.row.id);
        await tools.watched.remove(tools.owner, subject.row.id);
      }
      (subject ? removed : notFound).push(name);
      if (json) continue;
      if (subject) print(`Deleted ${toPrintable(name)}.`);
      else complain(`There is no watched subject ${toPrintable(name)}; see: limen subjects list`);
    }
  });
  if (json) print(JSON.stringify({ removed, notFound }, null, 2));
  if (notFound.length > 0)
    throw new CommandFailure(`Deleted ${countOf(removed.length)}; ${notFound.length} not found.`);
}

function orNothing(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error;
}

function countOf(count: number): string {
  return count === 1 ? '1 subject' : `${count} subjects`;
}
