// `limen datasets diff`: what changed from the last version of a list to this one.
import type { EntityChange, ListedEntity } from '@limen/screening';
import { CommandFailure } from '../../../command-line/command.ts';
import { printFields, printTable, printTime } from '../../../command-line/terminal/print-table.ts';
import type { Terminal } from '../../../command-line/terminal/terminal.ts';
import { countEntities, countOf } from '../../../platform/text/count-of.ts';
import type { DatasetFolder, DatasetInfo } from '../../lists/folder/folder.ts';

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
  if (rest > 0) terminal.print(`\nand ${countOf(rest, 'other')}; see --limit and --json`);
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
  throw new CommandFailure(problem ?? 'There is no list with this name; see: limen datasets list');
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
    const { id, caption } = entityOf(change);
    return [change.change, id, caption, change.change === 'changed' ? change.fields.join(', ') : ''];
  });
  return printTable(['CHANGE', 'ID', 'NAME', 'IN'], rows, (text) => paint('bold', text));
}

function changeRecord(change: EntityChange): Record<string, unknown> {
  const { id, caption, schema } = entityOf(change);
  const about = { change: change.change, id, caption, schema };
  if (change.change !== 'changed') return about;
  const fields = change.fields.map((field) => [field, { before: change.before[field], after: change.after[field] }]);
  return { ...about, fields: Object.fromEntries(fields) };
}

function entityOf(change: EntityChange): ListedEntity {
  return change.change === 'removed' ? change.before : change.after;
}
