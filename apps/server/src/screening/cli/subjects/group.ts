// `limen subjects`: imports watched subjects, and works through the hits that were found for them.
import type { DecideHitRequest, WatchedHit } from '@limen/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, CommandError, examples } from '../../../command-line/command.ts';
import { findTarget, openOutput } from '../../../command-line/outputs.ts';
import { toPrintable } from '../../../command-line/terminal/print-table.ts';
import { confirm } from '../../../command-line/terminal/terminal.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { renderStandalonePage } from '../../../platform/http/pages/standalone.ts';
import { formatCount } from '../../../platform/text/count-of.ts';
import { collectEvidence, writeEvidence } from '../../subjects/evidence/collect.ts';
import { evidencePage } from '../../subjects/evidence/page.ts';
import { presentHit } from '../../subjects/present.ts';
import { addSubjectsImport } from './import.ts';
import { addSubjectsAlerts, addSubjectsList, addSubjectsShow } from './show.ts';
import {
  EXAMPLE_KEY,
  findSubject,
  type HitOptions,
  type KeyOptions,
  type SubjectTools,
  withHitOptions,
  withSubjectArgument,
  withSubjects,
} from './tools.ts';

export function addSubjectsCommands(program: Command, cli: Cli): void {
  const subjects = program
    .command('subjects')
    .description('Watched subjects: import, list, show, decide, withdraw, alerts, evidence, remove');
  addSubjectsImport(subjects, cli);
  addSubjectsList(subjects, cli);
  addSubjectsShow(subjects, cli);
  addSubjectsDecide(subjects, cli);
  addSubjectsWithdraw(subjects, cli);
  addSubjectsAlerts(subjects, cli);
  addSubjectsEvidence(subjects, cli);
  addSubjectsRemove(subjects, cli);
}

interface DecideOptions extends HitOptions {
  decision: DecideHitRequest['decision'];
  entry: string;
}

function addSubjectsDecide(subjects: Command, cli: Cli): void {
  withHitOptions(subjects.command('decide'), 'who decided it')
    .description('Decide on a hit; the decision holds until the entry or the strength of the match changes')
    .addOption(
      new Option('--decision <decision>', 'whether the subject is the listed entity')
        .choices(['confirmed', 'not_this_subject'])
        .makeOptionMandatory(),
    )
    .requiredOption('--entry <hash>', 'the ENTRY that you looked at, or the whole hash', parseEntry)
    .addHelpText(
      'after',
      examples(
        `limen subjects decide customer-1071 0b6f3f9f-2f57-4c55-9d0e-5f0c8a526a3e --decision not_this_subject --reason "Another date of birth" --author "A. Analyst" --entry 4f1c0de2a9b7 --key-id ${EXAMPLE_KEY}`,
      ),
    )
    .action(async (named: string, hitId: string, options: DecideOptions) => {
      const { keyId, decision, reason, author, entry, json } = options;
      const decided = await withSubjects(cli, keyId, async (tools) => {
        const { subjectId, hit } = await findHit(tools, named, hitId);
        if (!hit) throw new CommandError('The subject has no hit with this id; see: limen subjects show');
        if (!hit.entryHash.startsWith(entry)) {
          throw new CommandError('The listed entry has changed; look at it again: limen subjects show');
        }
        await tools.context.record(`hit.${decision}`, hitId);
        const request = { decision, reason, author, entryHash: hit.entryHash };
        return presentHit(await tools.watched.hits.decide(tools.owner, subjectId, hitId, request));
      });
      printHit(cli, decided, `Decided: ${decision},`, json);
    });
}

function addSubjectsWithdraw(subjects: Command, cli: Cli): void {
  withHitOptions(subjects.command('withdraw'), 'who withdraws it')
    .description('Withdraw the decision on a hit, so that it must be decided again; both stay in the evidence')
    .addHelpText(
      'after',
      examples(
        `limen subjects withdraw customer-1071 0b6f3f9f-2f57-4c55-9d0e-5f0c8a526a3e --reason "The wrong passport was read" --author "A. Analyst" --key-id ${EXAMPLE_KEY}`,
      ),
    )
    .action(async (named: string, hitId: string, { keyId, reason, author, json }: HitOptions) => {
      const open = await withSubjects(cli, keyId, async (tools) => {
        const { subjectId, hit } = await findHit(tools, named, hitId);
        if (!hit?.decided)
          throw new CommandError('There is no decision on a hit with this id; see: limen subjects show');
        await tools.context.record('hit.withdraw', hitId);
        return presentHit(await tools.watched.hits.withdraw(tools.owner, subjectId, hitId, { reason, author }));
      });
      printHit(cli, open, 'To be decided again:', json);
    });
}

async function findHit(tools: SubjectTools, named: string, hitId: string) {
  const subject = await findSubject(tools, named);
  const hit = (await tools.watched.hits.list(subject.row)).find(({ row }) => row.id === hitId);
  return { subjectId: subject.row.id, hit };
}

function printHit({ terminal }: Cli, hit: WatchedHit, outcome: string, json: true | undefined): void {
  const { caption, id } = hit.match;
  terminal.print(json ? JSON.stringify(hit, null, 2) : toPrintable(`${outcome} ${caption} (${id}).`));
}

function parseEntry(text: string): string {
  if (/^[0-9a-f]{8,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 8 to 64 characters of the hash, as limen subjects show has them.');
}

function addSubjectsEvidence(subjects: Command, cli: Cli): void {
  withSubjectArgument(subjects.command('evidence'))
    .description('Write the evidence for a watched subject: as a page to read, print or file, or as JSON')
    .option('--html <file>', 'self-contained page; - is standard output')
    .option('--json <file>', 'JSON of the service’s reply; - is standard output')
    .addHelpText(
      'after',
      examples(`limen subjects evidence customer-1071 --key-id ${EXAMPLE_KEY} --html evidence.html`),
    )
    .action(async (named: string, { keyId, html, json }: { keyId: string; html?: string; json?: string }) => {
      if (html === undefined && json === undefined)
        throw new CommandError('Say where it goes: --html FILE, --json FILE, or both.', { usage: true });
      await withSubjects(cli, keyId, async (tools) => {
        const collect = async () => collectEvidence(tools.watched, await findSubject(tools, named), cli.clock.now());
        if (html !== undefined) await writePieces(cli, html, renderStandalonePage(evidencePage(await collect())));
        if (json !== undefined) await writePieces(cli, json, writeEvidence(await collect()));
      });
    });
}

async function writePieces(cli: Cli, name: string, pieces: AsyncIterable<string>): Promise<void> {
  const output = await openOutput(await findTarget(name), cli.terminal);
  try {
    for await (const piece of pieces) await output.write(piece);
    await output.finish();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

function addSubjectsRemove(subjects: Command, cli: Cli): void {
  withSubjectArgument(subjects.command('remove'), 'subject...')
    .description('Stop watching subjects: deletes them with their hits, alerts, decisions and webhooks')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .addHelpText('after', examples(`limen subjects remove customer-1071 --key-id ${EXAMPLE_KEY}`))
    .action((named: string[], options: RemoveOptions) => removeSubjects(cli, [...new Set(named)], options));
}

type RemoveOptions = KeyOptions & { yes?: true };

async function removeSubjects(cli: Cli, named: string[], { keyId, yes, json }: RemoveOptions): Promise<void> {
  const { print, complain } = cli.terminal;
  const question = `Delete ${formatCount(named.length, 'subject')} with all that was found? [y/N] `;
  if (!yes && process.stdin.isTTY && !(await confirm(question))) throw new CommandError('Nothing was deleted.');
  const removed: string[] = [];
  const notFound: string[] = [];
  await withSubjects(cli, keyId, async (tools) => {
    for (const name of named) {
      const subject = await findSubject(tools, name).catch((error) => {
        if (!(error instanceof AppError && error.code === 'not_found')) throw error;
      });
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
    throw new CommandError(`Deleted ${formatCount(removed.length, 'subject')}; ${notFound.length} not found.`);
}
