// What the commands on datasets print.
import type { LoadProblem, LoadReport } from '@limen/screening';
import { countOf } from '../../core/datasets/count-of.ts';
import type { DatasetInfo } from '../../core/datasets/folder/dataset-folder.ts';
import { addressesOf, type KnownList } from '../../core/datasets/sync/known-lists.ts';
import { formatBytes } from '../../platform/disk-room.ts';
import { printFields, printTable, printTime, toPrintable } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';

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
  ];
  return `Loaded ${info.name}.\n\n${printFields(fields)}`;
}

/** The first few, for whoever wants to look; undefined when there are none. */
export function printProblems(problems: readonly LoadProblem[], problemCount = problems.length): string | undefined {
  if (problems.length === 0) return undefined;
  const shown = problems.slice(0, SHOWN_PROBLEMS);
  const lines = shown.map(({ where, reason }) => `  ${toPrintable(where)}: ${toPrintable(reason)}`);
  const rest = problemCount - shown.length;
  return ['Not everything could be used:', ...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n');
}

export function printDatasets(infos: readonly DatasetInfo[], paint: Terminal['paint']): string {
  const columns = [
    { heading: 'NAME' },
    { heading: 'VERSION' },
    { heading: 'ENTITIES', align: 'right' },
    { heading: 'PEOPLE', align: 'right' },
    { heading: 'BUILT' },
    { heading: 'MEMORY', align: 'right' },
    {
      heading: 'PROBLEMS',
      align: 'right',
      paint: (text: string, value: string) => (value === '0' ? text : paint('yellow', text)),
    },
    { heading: 'SOURCE' },
  ] as const;
  const rows = infos.map((info) => [
    info.name,
    info.version,
    String(info.entityCount),
    String(info.people),
    printTime(Date.parse(info.builtAt)),
    formatBytes(info.bytes),
    String(info.problemCount),
    info.source,
  ]);
  return printTable(columns, rows, (text) => paint('bold', text));
}

export function printKnown(lists: readonly KnownList[], paint: Terminal['paint']): string {
  const columns = [{ heading: 'NAME' }, { heading: 'FORMAT' }, { heading: 'FROM' }, { heading: 'LIST' }];
  const rows = lists.map(({ name, format, from, title }) => [name, format, from, title]);
  return printTable(columns, rows, (text) => paint('bold', text));
}

export function knownRecord(list: KnownList): Record<string, unknown> {
  const { name, title, format, from } = list;
  return { name, title, format, from, addresses: addressesOf(list) };
}

export function datasetRecord(info: DatasetInfo): Record<string, unknown> {
  const { name, format, source, version, entityCount, people, sanctions, peps, builtAt, bytes, problemCount } = info;
  const checkedAt = info.sync?.checkedAt;
  return {
    name,
    format,
    source,
    version,
    entityCount,
    people,
    sanctions,
    peps,
    builtAt,
    bytes,
    problemCount,
    ...(checkedAt !== undefined && { checkedAt }),
  };
}
