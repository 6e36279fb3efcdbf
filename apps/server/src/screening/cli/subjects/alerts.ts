// `limen subjects alerts`: what changed for watched subjects, newest first and page by page.
import { ALERT_KINDS, type ScreeningAlert } from '@limen/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, examples } from '../../../command-line/command.ts';
import { parseShortText } from '../../../command-line/options.ts';
import { printTable, printTime } from '../../../command-line/terminal/print-table.ts';
import { presentAlert } from '../../subjects/present.ts';
import { findSubject, type PageOptions, pageOf, withKeyOption, withPageOptions, withSubjects } from './tools.ts';

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
    .addHelpText(
      'after',
      examples('limen subjects alerts --key-id 5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57 --since 2026-11-16 --kind new'),
    )
    .action((options: AlertsOptions) => listAlerts(cli, options));
}

async function listAlerts(cli: Cli, options: AlertsOptions): Promise<void> {
  const { keyId, subject, kind, since, limit, after, json } = options;
  const found = await withSubjects(cli, keyId, async (tools) => {
    const subjectId = subject === undefined ? undefined : (await findSubject(tools, subject)).row.id;
    const page = { limit: limit + 1, before: after, subjectId, kind, since };
    return (await tools.watched.alerts(tools.owner, page)).map(presentAlert);
  });
  const { page: alerts, next } = pageOf(found, limit);
  const { print, complain, paint } = cli.terminal;
  if (json) return print(JSON.stringify({ alerts, ...(next !== undefined && { next }) }, null, 2));
  if (alerts.length === 0) return print('There are no such alerts.');
  print(printTable(COLUMNS, alerts.map(cellsOf), (text) => paint('bold', text)));
  if (next !== undefined) complain(`There are more; go on with: --after ${next}`);
}

const COLUMNS = [
  ...['AT', 'KIND', 'BECAUSE OF', 'REFERENCE'],
  ...['SCORE', 'LISTED NAME', 'LIST', 'VERSION', 'LISTED ID', 'SUBJECT'],
];

function cellsOf(alert: ScreeningAlert): string[] {
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
