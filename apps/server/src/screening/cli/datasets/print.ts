// Output of the commands on datasets.
import type { LoadReport } from '@limen/screening';
import { printFields, printTable, printTime, toPrintable } from '../../../command-line/terminal/print-table.ts';
import type { Terminal } from '../../../command-line/terminal/terminal.ts';
import { formatBytes } from '../../../platform/files/free-space.ts';
import { countOf } from '../../../platform/text/count-of.ts';
import type { DatasetInfo } from '../../lists/folder/folder.ts';
import { addressesOf, type KnownList } from '../../lists/sync/known-lists.ts';

const SHOWN_PROBLEMS = 5;

export function printLoaded(info: DatasetInfo, report: LoadReport, elapsedMs: number): string {
  const count = (number: number) => number.toLocaleString('en');
  const fields: [string, string][] = [
    ['version', info.version],
    ['format', info.format],
    ['entities', `${count(info.entityCount)} (${countOf(info.people, 'person', 'people')})`],
    ['topics', `${count(info.sanctions)} under sanctions, ${count(info.peps)} politically exposed`],
    ['memory', formatBytes(info.bytes)],
    ['time', `${(elapsedMs / 1000).toFixed(1)} s`],
    ['problems', count(report.problemCount)],
    ...(report.leftOut > 0 ? [['left out', countOf(report.leftOut, 'entry', 'entries')] as [string, string]] : []),
  ];
  return `Loaded ${info.name}.\n\n${printFields(fields)}`;
}

/** Returns the first problems, or all of them; undefined if there are none. */
export function printProblems(
  { problems, problemCount = problems.length, leftOut = 0 }: Pick<LoadReport, 'problems'> & Partial<LoadReport>,
  all: boolean,
): string | undefined {
  if (problems.length === 0) return undefined;
  const shown = all ? problems : problems.slice(0, SHOWN_PROBLEMS);
  const lines = shown.map(({ where, reason }) => `  ${toPrintable(where)}: ${toPrintable(reason)}`);
  const rest = problemCount - shown.length;
  const more = all ? `  and ${rest} more` : `  and ${rest} more; --problems shows them`;
  const lost = leftOut === 0 ? '' : `; ${countOf(leftOut, 'entry is', 'entries are')} missing from the list`;
  return [`Not everything could be used${lost}:`, ...lines, ...(rest > 0 ? [more] : [])].join('\n');
}

export function printDatasets(infos: readonly DatasetInfo[], paint: Terminal['paint']): string {
  const right = (heading: string) => ({ heading, align: 'right' }) as const;
  const highlight = (text: string, value: string) => (value === '0' ? text : paint('yellow', text));
  const problems = { ...right('PROBLEMS'), paint: highlight };
  const rows = infos.map(({ name, version, entityCount, people, builtAt, bytes, problemCount, source }) => {
    const built = printTime(Date.parse(builtAt));
    return [name, version, `${entityCount}`, `${people}`, built, formatBytes(bytes), `${problemCount}`, source];
  });
  const columns = ['NAME', 'VERSION', right('ENTITIES'), right('PEOPLE'), 'BUILT', right('MEMORY'), problems, 'SOURCE'];
  return printTable(columns, rows, (text) => paint('bold', text));
}

export function printKnown(lists: readonly KnownList[], paint: Terminal['paint']): string {
  const rows = lists.map(({ name, format, from, title }) => [name, format, from, title]);
  return printTable(['NAME', 'FORMAT', 'FROM', 'LIST'], rows, (text) => paint('bold', text));
}

export function knownRecord(list: KnownList): Record<string, unknown> {
  const { name, title, format, from } = list;
  return { name, title, format, from, addresses: addressesOf(list) };
}

export function datasetRecord(info: DatasetInfo): Record<string, unknown> {
  const { name, format, source, version, entityCount, people, sanctions, peps, builtAt, bytes, problemCount } = info;
  const checked = info.sync && { checkedAt: info.sync.checkedAt };
  const counts = { entityCount, people, sanctions, peps };
  return { name, format, source, version, ...counts, builtAt, bytes, problemCount, ...checked };
}
