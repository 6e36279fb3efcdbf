// `limen subjects list`, `show` and `alerts`: who is watched, what was found, and what changed.
import {
  ALERT_KINDS,
  type ScreeningAlert,
  WATCH_STATES,
  type WatchedHit,
  type WatchedSubject,
  type WatchState,
} from '@limen/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { parseShortText } from '../../../command-line/options.ts';
import { printFields, printTable, printTime } from '../../../command-line/terminal/print-table.ts';
import { presentAlert, presentHit, presentSubject, presentSubjects } from '../../subjects/present.ts';
import type { SubjectFilter } from '../../subjects/store.ts';
import {
  displayName,
  EXAMPLE_KEY,
  findSubject,
  type KeyOptions,
  type PageOptions,
  printPage,
  withKeyOption,
  withPageOptions,
  withSubjectArgument,
  withSubjects,
} from './tools.ts';

export function addSubjectsList(subjects: Command, cli: Cli): void {
  const list = withKeyOption(subjects.command('list'))
    .description('List watched subjects, newest first')
    .addOption(
      new Option('--state <state>', 'only those that are due, screened, or without a list').choices([...WATCH_STATES]),
    )
    .addOption(
      new Option('--hits <hits>', 'only those with an open hit, with decided hits only, or without hits').choices([
        ...['open', 'decided', 'none'],
      ]),
    );
  const hitCount = { heading: 'HITS', align: 'right' } as const;
  withPageOptions(list)
    .addHelpText('after', examples(`limen subjects list --key-id ${EXAMPLE_KEY} --hits open`))
    .action(async (options: PageOptions & SubjectFilter) => {
      const { keyId, limit, after, state, hits } = options;
      const found = await withSubjects(cli, keyId, ({ watched, owner }) =>
        watched.list(owner, { limit: limit + 1, before: after, state, hits }),
      );
      const columns = ['ID', 'REFERENCE', 'NAME', 'KIND', 'DATASET', 'STATE', hitCount];
      printPage(cli, 'subjects', await presentSubjects(found), options, columns, subjectCells);
    });
}

function subjectCells(subject: WatchedSubject): string[] {
  const { id, reference, schema = '', dataset, state, hits } = subject;
  return [id, reference, displayName(subject), schema, dataset, state, `${hits}`];
}

const SHOWN_HASH_LENGTH = 12;

const WITHOUT_HITS: Readonly<Record<WatchState, string>> = {
  due: 'It is still to be screened.',
  screened: 'It has no hits.',
  no_list: 'It is not screened: no list is behind its dataset.',
};

export function addSubjectsShow(subjects: Command, cli: Cli): void {
  withSubjectArgument(subjects.command('show'))
    .description('Show a watched subject and its hits')
    .option('--json', 'print JSON')
    .addHelpText('after', examples(`limen subjects show customer-1071 --key-id ${EXAMPLE_KEY}`))
    .action(async (named: string, { keyId, json }: KeyOptions) => {
      const { subject, hits } = await withSubjects(cli, keyId, async (tools) => {
        const watched = await findSubject(tools, named);
        return { subject: presentSubject(watched), hits: (await tools.watched.hits.list(watched.row)).map(presentHit) };
      });
      const { print, paint } = cli.terminal;
      if (json) return print(JSON.stringify({ subject, hits }, null, 2));
      print(printFields(listFields(subject)));
      print('');
      if (hits.length === 0) return print(WITHOUT_HITS[subject.state]);
      const columns = ['HIT', 'SCORE', 'LISTED NAME', 'LIST', 'LISTED ID', 'ENTRY', 'DECISION', 'WHY'];
      print(printTable(columns, hits.map(hitCells), (text) => paint('bold', text)));
    });
}

/** Leaves out the callback's headers, which may hold a secret. */
function listFields({ callback, hits: _, ...subject }: WatchedSubject): [string, string][] {
  const shown = { ...subject, ...(callback && { callback: callback.url }) };
  return Object.entries(shown).map(([name, value]) => [name, formatValue(value)]);
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(' | ');
  if (typeof value !== 'object' || value === null) return String(value);
  const { kind, value: number } = value as { kind?: string; value?: string };
  return kind === undefined ? String(number) : `${kind}:${number}`;
}

function hitCells({ id, match, list, entryHash, decision }: WatchedHit): string[] {
  const why = Object.values(match.explanation).map(({ detail }) => detail);
  const decided = decision === undefined ? 'open' : `${decision.decision} (${decision.author})`;
  const entry = entryHash.slice(0, SHOWN_HASH_LENGTH);
  return [id, match.score.toFixed(3), match.matchedName, list, match.id, entry, decided, why.join('; ')];
}

interface AlertsOptions extends PageOptions {
  subject?: string;
  kind?: ScreeningAlert['kind'];
  since?: number;
}

export function addSubjectsAlerts(subjects: Command, cli: Cli): void {
  const alerts = withKeyOption(subjects.command('alerts'))
    .description('List what changed for watched subjects, newest first')
    .option('--subject <subject>', 'only those of this one: its id, or your own reference for it', parseShortText)
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(ALERT_KINDS))
    .option('--since <time>', 'only those from then on, such as 2026-11-16 or 2026-11-16T08:00:00Z', parseTime);
  withPageOptions(alerts)
    .addHelpText('after', examples(`limen subjects alerts --key-id ${EXAMPLE_KEY} --since 2026-11-16 --kind new`))
    .action(async (options: AlertsOptions) => {
      const { keyId, subject, kind, since, limit, after } = options;
      const found = await withSubjects(cli, keyId, async (tools) => {
        const subjectId = subject === undefined ? undefined : (await findSubject(tools, subject)).row.id;
        const page = { limit: limit + 1, before: after, subjectId, kind, since };
        return (await tools.watched.alerts(tools.owner, page)).map(presentAlert);
      });
      printPage(cli, 'alerts', found, options, ALERT_COLUMNS, alertCells);
    });
}

const ALERT_COLUMNS = [
  ...['AT', 'KIND', 'BECAUSE OF', 'REFERENCE'],
  ...['SCORE', 'LISTED NAME', 'LIST', 'VERSION', 'LISTED ID', 'SUBJECT'],
];

function alertCells(alert: ScreeningAlert): string[] {
  const { at, kind, because = [], lapsed, reference, match, list, listVersion, subjectId } = alert;
  const causes = [...because, ...(lapsed ? ['decision lapsed'] : [])].join(', ');
  const found = [match.score.toFixed(3), match.matchedName, list, listVersion, match.id];
  return [printTime(Date.parse(at)), kind, causes, reference, ...found, subjectId];
}

function parseTime(text: string): number {
  const moment = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw new InvalidArgumentError('It must be a time, such as 2026-11-16T08:00:00Z.');
  return moment;
}
