// `limen subjects show`: what is known of one subject, and what was found for it.
import type { WatchedHit, WatchedSubject, WatchState } from '@limen/contract';
import type { Command } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { printFields, printTable } from '../../../command-line/terminal/print-table.ts';
import { presentHit, presentSubject } from '../../subjects/present.ts';
import { findSubject, SUBJECT_ARGUMENT, withKeyOption, withSubjects } from './tools.ts';

interface ShowOptions {
  keyId: string;
  json?: true;
}

/** Enough to tell one version of an entry from another. */
const SHOWN_OF_HASH = 12;

const WITHOUT_HITS: Readonly<Record<WatchState, string>> = {
  due: 'It is still to be screened.',
  screened: 'It has no hits.',
  no_list: 'It is not screened: no list is behind its dataset.',
};

export function addSubjectsShow(subjects: Command, cli: Cli): void {
  withKeyOption(subjects.command('show'))
    .description('Show a watched subject and its hits')
    .argument('<subject>', SUBJECT_ARGUMENT)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen subjects show customer-1071 --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57'))
    .action((subject: string, options: ShowOptions) => showSubject(cli, subject, options));
}

async function showSubject(cli: Cli, named: string, { keyId, json }: ShowOptions): Promise<void> {
  const { subject, hits } = await withSubjects(cli, keyId, async (tools) => {
    const watched = await findSubject(tools, named);
    return { subject: presentSubject(watched), hits: (await tools.watched.hits(watched)).map(presentHit) };
  });
  const { print, paint } = cli.terminal;
  if (json) return print(JSON.stringify({ subject, hits }, null, 2));
  print(printFields(fieldsOf(subject)));
  print('');
  if (hits.length === 0) return print(WITHOUT_HITS[subject.state]);
  const columns = ['HIT', 'SCORE', 'LISTED NAME', 'LIST', 'LISTED ID', 'ENTRY', 'DECISION', 'WHY'];
  print(printTable(columns, hits.map(cellsOf), (text) => paint('bold', text)));
}

/** The callback's headers may hold a secret. */
function fieldsOf({ callback, hits: _, ...subject }: WatchedSubject): [string, string][] {
  const told = { ...subject, ...(callback && { callback: callback.url }) };
  return Object.entries(told).map(([name, value]) => [name, textOf(value)]);
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' | ');
  if (typeof value !== 'object' || value === null) return String(value);
  const { kind, value: number } = value as { kind?: string; value?: string };
  return kind === undefined ? String(number) : `${kind}:${number}`;
}

function cellsOf({ id, match, list, entryHash, decision }: WatchedHit): string[] {
  const why = Object.values(match.explanation).map(({ detail }) => detail);
  const decided = decision === undefined ? 'open' : `${decision.decision} (${decision.author})`;
  const entry = entryHash.slice(0, SHOWN_OF_HASH);
  return [id, match.score.toFixed(3), match.matchedName, list, match.id, entry, decided, why.join('; ')];
}
