// `limen subjects`: brings in watched subjects, and works through what was found for them.

import type { DecideHitRequest } from '@limen/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, CommandFailure, examples } from '../../../command-line/command.ts';
import { findTarget, openOutput } from '../../../command-line/outputs.ts';
import { toPrintable } from '../../../command-line/terminal/print-table.ts';
import { confirm } from '../../../command-line/terminal/terminal.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { renderStandalonePage } from '../../../platform/http/pages/standalone.ts';
import { countOf } from '../../../platform/text/count-of.ts';
import { collectEvidence, writeEvidence } from '../../subjects/evidence/collect.ts';
import { evidencePage } from '../../subjects/evidence/page.ts';
import { presentHit } from '../../subjects/present.ts';
import { addSubjectsImport } from './import.ts';
import { addSubjectsAlerts, addSubjectsList, addSubjectsShow } from './show.ts';
import {
  findSubject,
  type HitOptions,
  SUBJECT_ARGUMENT,
  type SubjectTools,
  withHitOptions,
  withKeyOption,
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
    const { subjectId, hit } = await findHit(tools, named, hitId);
    if (!hit) throw new CommandFailure('The subject has no hit with this id; see: limen subjects show');
    if (!hit.entryHash.startsWith(entry)) {
      throw new CommandFailure('The listed entry is another one by now; look at it again: limen subjects show');
    }
    await tools.context.record(`hit.${decision}`, hitId);
    const request = { decision, reason, author, entryHash: hit.entryHash };
    return presentHit(await tools.watched.hits.decide(tools.owner, subjectId, hitId, request));
  });
  const { print } = cli.terminal;
  if (json) return print(JSON.stringify(decided, null, 2));
  print(toPrintable(`Decided: ${decision}, ${decided.match.caption} (${decided.match.id}).`));
}

async function findHit(tools: SubjectTools, named: string, hitId: string) {
  const subject = await findSubject(tools, named);
  const hit = (await tools.watched.hits.list(subject.row)).find(({ row }) => row.id === hitId);
  return { subjectId: subject.row.id, hit };
}

function parseEntry(text: string): string {
  if (/^[0-9a-f]{8,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 8 to 64 characters of the hash, as limen subjects show has them.');
}

function addSubjectsWithdraw(subjects: Command, cli: Cli): void {
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
    const { subjectId, hit: found } = await findHit(tools, named, hitId);
    if (!found?.decided) throw new CommandFailure('Nothing is decided on a hit with this id; see: limen subjects show');
    await tools.context.record('hit.withdraw', hitId);
    return presentHit(await tools.watched.hits.withdraw(tools.owner, subjectId, hitId, { reason, author }));
  });
  const { print } = cli.terminal;
  if (json) return print(JSON.stringify(hit, null, 2));
  print(toPrintable(`To be decided again: ${hit.match.caption} (${hit.match.id}).`));
}

interface EvidenceOptions {
  keyId: string;
  html?: string;
  json?: string;
}

function addSubjectsEvidence(subjects: Command, cli: Cli): void {
  withKeyOption(subjects.command('evidence'))
    .description('Write the evidence for a watched subject: as a page to read, print or file, or as JSON')
    .argument('<subject>', SUBJECT_ARGUMENT)
    .option('--html <file>', 'a page that needs nothing from elsewhere; - is standard output')
    .option('--json <file>', 'what the service answers; - is standard output')
    .addHelpText(
      'after',
      examples(
        'limen subjects evidence customer-1071 --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 --html evidence.html',
      ),
    )
    .action((subject: string, options: EvidenceOptions) => runEvidence(cli, subject, options));
}

async function runEvidence(cli: Cli, named: string, { keyId, html, json }: EvidenceOptions): Promise<void> {
  if (html === undefined && json === undefined)
    throw new CommandFailure('Say where it goes: --html FILE, --json FILE, or both.', { usage: true });
  await withSubjects(cli, keyId, async (tools) => {
    const collect = async () => collectEvidence(tools.watched, await findSubject(tools, named), cli.clock.now());
    if (html !== undefined) await writeTo(cli, html, renderStandalonePage(evidencePage(await collect())));
    if (json !== undefined) await writeTo(cli, json, writeEvidence(await collect()));
  });
}

/** A file appears under its name only when it is complete. */
async function writeTo(cli: Cli, name: string, pieces: AsyncIterable<string>): Promise<void> {
  const output = await openOutput(await findTarget(name), cli.terminal);
  try {
    for await (const piece of pieces) await output.write(piece);
    await output.finish();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

interface RemoveOptions {
  keyId: string;
  yes?: true;
  json?: true;
}

function addSubjectsRemove(subjects: Command, cli: Cli): void {
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
  const question = `Delete ${countOf(named.length, 'subject')} with all that was found? [y/N] `;
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
    throw new CommandFailure(`Deleted ${countOf(removed.length, 'subject')}; ${notFound.length} not found.`);
}

function orNothing(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error;
}
