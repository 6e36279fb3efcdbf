// Loads OpenSanctions' `targets.simple.csv`, and custom lists with the same columns.
import type { Identifier, ListedEntity } from '../../entity.ts';
import { guessKind } from '../../identifiers/guess-kind.ts';
import { findIdentifierKind, splitIdentifier } from '../../identifiers/written-identifier.ts';
import {
  addBirthDate,
  addFlaw,
  addIdentifier,
  addName,
  addValue,
  createDraft,
  finishDraft,
  noteTime,
} from '../entity-draft.ts';
import { readIsoDate, readTimestamp } from '../listed-date.ts';
import type { LoadReport } from '../reading/load-report.ts';
import type { Chunks } from '../reading/read-blocks.ts';
import { type Columns, findColumn, readTable } from '../reading/read-table.ts';
import type { CsvRecord } from '../reading/split-csv.ts';
import { splitLeniently } from '../reading/split-leniently.ts';
import { EITHER, findSchema } from '../schema.ts';

export const TARGETS_SIMPLE_COLUMNS = ['id', 'schema', 'name'];

export function loadTargetsSimple(main: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListedEntity[]> {
  const open = (columns: Columns) => createRowReader(columns, dataset, report);
  return readTable(main, report, { delimiter: ',', needed: TARGETS_SIMPLE_COLUMNS, open });
}

function createRowReader(columns: Columns, dataset: string, report: LoadReport) {
  const [id, schema, name] = TARGETS_SIMPLE_COLUMNS.map((heading) => findColumn(columns, heading));
  const aliases = findColumn(columns, 'aliases');
  const birthDate = findColumn(columns, 'birth_date');
  const countries = findColumn(columns, 'countries');
  const sanctions = findColumn(columns, 'sanctions');
  const programs = findColumn(columns, 'program_ids');
  const topics = findColumn(columns, 'topics');
  const addresses = findColumn(columns, 'addresses');
  const identifiers = findColumn(columns, 'identifiers');
  const times = [
    ['firstSeen', findColumn(columns, 'first_seen')],
    ['lastSeen', findColumn(columns, 'last_seen')],
    ['lastChange', findColumn(columns, 'last_change')],
  ] as const;
  // A custom list without any topic column is a block list.
  const isBare = [sanctions, programs, topics].every((column) => column === -1);

  return ({ line, cells }: CsvRecord): ListedEntity | null => {
    const read = (column: number | undefined) => cells[column ?? -1] ?? '';
    const isSanctioned = isBare || read(sanctions).trim() !== '' || read(programs).trim() !== '';
    const kind = findSchema(read(schema));
    const draft = createDraft(read(id), kind ?? EITHER, line, dataset, isSanctioned ? ['sanction'] : []);
    if (kind === undefined) addFlaw(draft, 'Its schema is none that is known, such as Person; it is taken for either.');
    for (const topic of splitValues(read(topics))) addValue(draft, 'topics', topic);
    addName(draft, 'names', read(name));
    for (const alias of splitValues(read(aliases))) addName(draft, 'names', alias);
    for (const date of splitValues(read(birthDate))) addBirthDate(draft, date, readIsoDate(date.trim()));
    for (const country of splitValues(read(countries))) addValue(draft, 'countries', country);
    for (const program of splitValues(read(programs))) addValue(draft, 'programs', program);
    for (const address of splitValues(read(addresses))) addValue(draft, 'addresses', address);
    for (const text of splitValues(read(identifiers))) {
      const { kind, value } = readIdentifier(text);
      addIdentifier(draft, kind, value);
    }
    for (const [time, column] of times) {
      const text = read(column).trim();
      noteTime(draft, time, text, readTimestamp(text));
    }
    return finishDraft(draft, report);
  };
}

/** Custom lists may prefix the kind, as screened files do: `passport:AB1234567`. */
function readIdentifier(text: string): Identifier {
  const { kind = '', value } = splitIdentifier(text);
  const known = findIdentifierKind(kind);
  return known === undefined ? { kind: guessKind(text), value: text } : { kind: known, value };
}

/** Values are separated by `;`. A value that contains one is quoted as in CSV. */
function splitValues(cell: string): string[] {
  if (cell === '') return [];
  const values = cell.includes('"') ? splitLeniently(cell, ';') : cell.split(';');
  return values.filter((value) => value.trim() !== '');
}
