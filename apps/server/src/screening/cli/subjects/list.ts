// `limen subjects list`: who is watched, newest first and page by page.
import { WATCH_STATES, type WatchedSubject } from '@limen/contract';
import { type Command, Option } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { printTable } from '../../../command-line/terminal/print-table.ts';
import { presentSubjects } from '../../subjects/present.ts';
import type { SubjectFilter } from '../../subjects/store.ts';
import { nameOf, type PageOptions, pageOf, withKeyOption, withPageOptions, withSubjects } from './tools.ts';

type SubjectListOptions = PageOptions & SubjectFilter;

export function addSubjectsList(subjects: Command, cli: Cli): void {
  const list = withKeyOption(subjects.command('list'))
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
    );
  withPageOptions(list)
    .addHelpText('after', examples('limen subjects list --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 --hits open'))
    .action((options: SubjectListOptions) => listSubjects(cli, options));
}

async function listSubjects(cli: Cli, options: SubjectListOptions): Promise<void> {
  const { keyId, limit, after, json, state, hits } = options;
  const { print, complain, paint } = cli.terminal;
  const found = await withSubjects(cli, keyId, ({ watched, owner }) =>
    watched.list(owner, { limit: limit + 1, before: after, state, hits }),
  );
  const { page, next } = pageOf(await presentSubjects(found), limit);
  if (json) return print(JSON.stringify({ subjects: page, ...(next !== undefined && { next }) }, null, 2));
  if (page.length === 0) return print('There are no such subjects.');
  const hitCount = { heading: 'HITS', align: 'right' } as const;
  const columns = ['ID', 'REFERENCE', 'NAME', 'KIND', 'DATASET', 'STATE', hitCount];
  print(printTable(columns, page.map(cellsOf), (text) => paint('bold', text)));
  if (next !== undefined) complain(`There are more; go on with: --after ${next}`);
}

function cellsOf(subject: WatchedSubject): string[] {
  const { id, reference, schema = '', dataset, state, hits } = subject;
  return [id, reference, nameOf(subject), schema, dataset, state, `${hits}`];
}
