// Output of the commands on datasets.
import type { EntityChange, ListedEntity, LoadReport } from '@limen/screening';
import { CommandError } from '../../../command-line/command.ts';
import { printFields, printTable, printTime, toPrintable } from '../../../command-line/terminal/print-table.ts';
import type { Terminal } from '../../../command-line/terminal/terminal.ts';
import { formatBytes } from '../../../platform/files/free-space.ts';
import { countEntities, formatCount } from '../../../platform/text/count-of.ts';
import type { DatasetFolder, DatasetInfo } from '../../lists/folder/folder.ts';
import { type KnownList, listAddresses } from '../../lists/sync/known-lists.ts';

const SHOWN_PROBLEMS = 5;

export function printLoaded(info: DatasetInfo, report: LoadReport, elapsedMs: number): string {
  const count = (number: number) => number.toLocaleString('en');
  const fields: [string, string][] = [
    ['version', info.version],
    ['format', info.format],
    ['entities', `${count(info.entityCount)} (${formatCount(info.people, 'person', 'people')})`],
    ['topics', `${count(info.sanctions)} under sanctions, ${count(info.peps)} politically exposed`],
    ['memory', formatBytes(info.bytes)],
    ['time', `${(elapsedMs / 1000).toFixed(1)} s`],
    ['problems', count(report.problemCount)],
    ...(report.leftOut > 0 ? [['left out', formatCount(report.leftOut, 'entry', 'entries')] as [string, string]] : []),
  ];
  return `Loaded ${info.name}.\n\n${printFields(fields)}`;
}

export function printProblems(
  { problems, problemCount = problems.length, leftOut = 0 }: Pick<LoadReport, 'problems'> & Partial<LoadReport>,
  all: boolean,
): string | undefined {
  if (problems.length === 0) return undefined;
  const shown = all ? problems : problems.slice(0, SHOWN_PROBLEMS);
  const lines = shown.map(({ where, reason }) => `  ${toPrintable(where)}: ${toPrintable(reason)}`);
  const rest = problemCount - shown.length;
  const more = all ? `  and ${rest} more` : `  and ${rest} more; --problems shows them`;
  const lost = leftOut === 0 ? '' : `; ${formatCount(leftOut, 'entry is', 'entries are')} missing from the list`;
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
  return { name, title, format, from, addresses: listAddresses(list) };
}

export function datasetRecord(info: DatasetInfo): Record<string, unknown> {
  const { name, format, source, version, entityCount, people, sanctions, peps, builtAt, bytes, problemCount } = info;
  const checked = info.sync && { checkedAt: info.sync.checkedAt };
  const counts = { entityCount, people, sanctions, peps };
  return { name, format, source, version, ...counts, builtAt, bytes, problemCount, ...checked };
}

type ChangeCounts = Record<EntityChange['change'], number>;

export async function printDifference(terminal: Terminal, folder: DatasetFolder, name: string, limit: number) {
  const info = await requireList(folder, name);
  const counts: ChangeCounts = { added: 0, changed: 0, removed: 0 };
  const shown: EntityChange[] = [];
  for await (const change of folder.changesOf(info)) {
    counts[change.change] += 1;
    if (counts[change.change] <= limit) shown.push(change);
  }
  const { previous, ...current } = info;
  terminal.print(`${name}, from\n  ${describeVersion(previous!)}\nto\n  ${describeVersion(current)}\n`);
  terminal.print(printFields(Object.entries(counts).map(([change, count]) => [change, count.toLocaleString('en')])));
  if (shown.length > 0) terminal.print(`\n${printChanges(shown, terminal)}`);
  const rest = counts.added + counts.changed + counts.removed - shown.length;
  if (rest > 0) terminal.print(`\nand ${formatCount(rest, 'other')}; see --limit and --json`);
}

/** Prints one document while it is read, so that a long one takes no memory. */
export async function printDifferenceAsJson({ print }: Terminal, folder: DatasetFolder, name: string): Promise<void> {
  const info = await requireList(folder, name);
  const counts: ChangeCounts = { added: 0, changed: 0, removed: 0 };
  const changes = folder.changesOf(info);
  let next = await changes.next(); // throws before anything is printed
  print(
    `{"name":${JSON.stringify(name)},"from":${versionRecord(info.previous!)},"to":${versionRecord(info)},"changes":[`,
  );
  let comma = '';
  for (; !next.done; next = await changes.next()) {
    print(`${comma}${JSON.stringify(changeRecord(next.value))}`);
    counts[next.value.change] += 1;
    comma = ',';
  }
  print(`],"counts":${JSON.stringify(counts)}}`);
}

async function requireList(folder: DatasetFolder, name: string): Promise<DatasetInfo> {
  const info = await folder.find(name);
  if (info) return info;
  const problem = (await folder.survey()).find((list) => list.name === name)?.problem;
  throw new CommandError(problem ?? 'There is no list with this name; see: limen datasets list');
}

type Version = Pick<DatasetInfo, 'version' | 'entityCount' | 'builtAt'>;

function describeVersion({ version, entityCount, builtAt }: Version): string {
  return `version ${version}: ${countEntities(entityCount)}, loaded ${printTime(Date.parse(builtAt))}`;
}

function versionRecord({ version, entityCount, builtAt }: Version): string {
  return JSON.stringify({ version, entityCount, builtAt });
}

function printChanges(changes: readonly EntityChange[], { paint }: Terminal): string {
  const rows = changes.map((change) => {
    const { id, caption } = findEntity(change);
    return [change.change, id, caption, change.change === 'changed' ? change.fields.join(', ') : ''];
  });
  return printTable(['CHANGE', 'ID', 'NAME', 'IN'], rows, (text) => paint('bold', text));
}

function changeRecord(change: EntityChange): Record<string, unknown> {
  const { id, caption, schema } = findEntity(change);
  const about = { change: change.change, id, caption, schema };
  if (change.change !== 'changed') return about;
  const fields = change.fields.map((field) => [field, { before: change.before[field], after: change.after[field] }]);
  return { ...about, fields: Object.fromEntries(fields) };
}

function findEntity(change: EntityChange): ListedEntity {
  return change.change === 'removed' ? change.before : change.after;
}
