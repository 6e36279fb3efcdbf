// `limen subjects decide`: says whether a subject is the listed entity of one of its hits.
import type { DecideHitRequest } from '@limen/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, CommandFailure, examples } from '../../../command-line/command.ts';
import { toPrintable } from '../../../command-line/terminal/print-table.ts';
import { presentHit } from '../../subjects/present.ts';
import { findSubject, type HitOptions, withHitOptions, withSubjects } from './tools.ts';

interface DecideOptions extends HitOptions {
  decision: DecideHitRequest['decision'];
  entry: string;
}

export function addSubjectsDecide(subjects: Command, cli: Cli): void {
  withHitOptions(subjects.command('decide'), 'who decided it')
    .description('Decide on a hit; the decision holds until the entry or the strength of the match changes')
    .addOption(
      new Option('--decision <decision>', 'whether it is the listed entity')
        .choices(['confirmed', 'not_this_subject'])
        .makeOptionMandatory(),
    )
    .requiredOption('--entry <hash>', 'the ENTRY that you looked at, or the whole hash', parseEntry)
    .addHelpText(
      'after',
      examples(
        'limen subjects decide customer-1071 0b6f3f9f-2f57-4c55-9d0e-5f0c8a526a3e --decision not_this_subject --reason "Another date of birth" --author "A. Analyst" --entry 4f1c0de2a9b7 --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57',
      ),
    )
    .action((subject: string, hit: string, options: DecideOptions) => decide(cli, subject, hit, options));
}

async function decide(cli: Cli, named: string, hitId: string, options: DecideOptions): Promise<void> {
  const { keyId, decision, reason, author, entry, json } = options;
  const decided = await withSubjects(cli, keyId, async (tools) => {
    const subject = await findSubject(tools, named);
    const hit = (await tools.watched.hits(subject)).find(({ row }) => row.id === hitId);
    if (!hit) throw new CommandFailure('The subject has no hit with this id; see: limen subjects show');
    if (!hit.entryHash.startsWith(entry)) {
      throw new CommandFailure('The listed entry is another one by now; look at it again: limen subjects show');
    }
    await tools.context.record(`hit.${decision}`, hitId);
    const request = { decision, reason, author, entryHash: hit.entryHash };
    return presentHit(await tools.watched.decide(tools.owner, subject.row.id, hitId, request));
  });
  const { print } = cli.terminal;
  if (json) return print(JSON.stringify(decided, null, 2));
  print(toPrintable(`Decided: ${decision}, ${decided.match.caption} (${decided.match.id}).`));
}

function parseEntry(text: string): string {
  if (/^[0-9a-f]{8,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 8 to 64 characters of the hash, as limen subjects show has them.');
}
