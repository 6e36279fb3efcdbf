// `limen subjects withdraw`: takes a decision on a hit back, so that it is to be decided again.
import type { Command } from 'commander';
import { type Cli, CommandFailure, examples } from '../../../command-line/command.ts';
import { toPrintable } from '../../../command-line/terminal/print-table.ts';
import { presentHit } from '../../subjects/present.ts';
import { findSubject, type HitOptions, withHitOptions, withSubjects } from './tools.ts';

export function addSubjectsWithdraw(subjects: Command, cli: Cli): void {
  withHitOptions(subjects.command('withdraw'), 'who takes it back')
    .description('Take back the decision on a hit; it is to be decided again, and both stay in the evidence')
    .addHelpText(
      'after',
      examples(
        'limen subjects withdraw customer-1071 0b6f3f9f-2f57-4c55-9d0e-5f0c8a526a3e --reason "The wrong passport was read" --author "A. Analyst" --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57',
      ),
    )
    .action((subject: string, hit: string, options: HitOptions) => withdraw(cli, subject, hit, options));
}

async function withdraw(cli: Cli, named: string, hitId: string, options: HitOptions): Promise<void> {
  const { keyId, reason, author, json } = options;
  const hit = await withSubjects(cli, keyId, async (tools) => {
    const subject = await findSubject(tools, named);
    const found = (await tools.watched.hits(subject)).find(({ row }) => row.id === hitId);
    if (!found?.decided) throw new CommandFailure('Nothing is decided on a hit with this id; see: limen subjects show');
    await tools.context.record('hit.withdraw', hitId);
    return presentHit(await tools.watched.withdraw(tools.owner, subject.row.id, hitId, { reason, author }));
  });
  const { print } = cli.terminal;
  if (json) return print(JSON.stringify(hit, null, 2));
  print(toPrintable(`To be decided again: ${hit.match.caption} (${hit.match.id}).`));
}
