// `limen subjects list`: who is watched, newest first and page by page.
import { WATCH_PAGE_DEFAULT, WATCH_PAGE_MAX, WATCH_STATES, type WatchedSubject } from '@limen/contract';
import { type Command, Option } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { printTable } from '../../../command-line/terminal/print-table.ts';
import { presentSubjects } from '../../subjects/present.ts';
import type { SubjectFilter } from '../../subjects/store.ts';
import { nameOf, parseCursor, parsePageLimit, withKeyOption, withSubjects } from './tools.ts';

interface SubjectListOptions extends SubjectFilter {
  keyId: string;
  limit: number;
  after?: string;
  json?: true;
}

export function addSubjectsList(subjects: Command, cli: Cli): void {
  withKeyOption(subjects.command('list'))
    .description('List watched subjects, newest first')
    .addOption(
      new Option(
        '--state <state>',
        'only those that are to be screened, that are, or that no list is there for',
      ).choices([...WATCH_STATES]),
    )
    .addOption(
      new Option('--hits <hits>', 'only those with a hit to decide, with decided ones alone, or without any').choices([
        ...['open', 'decided', 'none'],
      ]),
    )
    .option(
      '--limit <number>',
      `on a page, at most ${WATCH_PAGE_MAX}`,
      parsePageLimit(WATCH_PAGE_MAX),
      WATCH_PAGE_DEFAULT,
    )
    .option('--after <cursor>', 'the next page; the previous page ends with the cursor', parseCursor)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen subjects list --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 --hits open'))
    .action((options: SubjectListOptions) => listSubjects(cli, options));
}

async function listSubjects(cli: Cli, { keyId, limit, after, json, state, hits }: SubjectListOptions): Promise<void> {
  const { print, complain, paint } = cli.terminal;
  const found = await withSubjects(cli, keyId, ({ watched, owner }) =>
    watched.list(owner, { limit: limit + 1, before: after, state, hits }),
  );
  const subjects = await presentSubjects(found.slice(0, limit));
  const next = found.length > limit ? subjects.at(-1)?.id : undefined;
  if (json) return print(JSON.stringify({ subjects, ...(next !== undefined && { next }) }, null, 2));
  if (subjects.length === 0) return print('There are no such subjects.');
  const hitCount = { heading: 'HITS', align: 'right' } as const;
  const columns = ['ID', 'REFERENCE', 'NAME', 'KIND', 'DATASET', 'STATE', hitCount];
  print(printTable(columns, subjects.map(cellsOf), (text) => paint('bold', text)));
  if (next !== undefined) complain(`There are more; go on with: --after ${next}`);
}

function cellsOf(subject: WatchedSubject): string[] {
  const { id, reference, schema = '', dataset, state, hits } = subject;
  return [id, reference, nameOf(subject), schema, dataset, state, `${hits}`];
}
