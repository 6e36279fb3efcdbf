// Loads the UK Sanctions List: a row per name (and per address of each), grouped by Unique ID.
import type { ListedEntity } from '../../entity.ts';
import {
  addBirthDate,
  addFlaw,
  addName,
  addValue,
  cleanText,
  createDraft,
  type EntityDraft,
  noteChange,
} from '../entity-draft.ts';
import { readEnglishDate, readIsoDate, readSlashDate } from '../listed-date.ts';
import { createRowGroups } from '../reading/group-rows.ts';
import type { LoadReport } from '../reading/load-report.ts';
import type { Chunks } from '../reading/read-blocks.ts';
import { type Columns, drain, findColumn, readTable } from '../reading/read-table.ts';
import type { CsvRecord } from '../reading/split-csv.ts';

export const UK_COLUMNS = ['Unique ID', 'Name 6'];

const SCHEMAS = new Map([
  ['individual', 'Person'],
  ['entity', 'Organization'],
  ['ship', 'Vessel'],
]);

export async function* loadUk(main: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListedEntity[]> {
  const groups = createRowGroups(report);
  const open = (columns: Columns, preamble: string[][]) => {
    const at = findUkColumns(columns);
    readReportDate(preamble, report);
    return ({ line, cells }: CsvRecord): null => {
      const read = (column: number) => (cells[column] ?? '').trim();
      const number = cleanText(read(at.id));
      const id = number === '' ? '' : `uk-${number}`;
      groups.add(
        id,
        line,
        () => createUkDraft(id, read(at.type), line, dataset),
        (draft) => fillFromRow(draft, at, read),
      );
      return null;
    };
  };
  await drain(readTable(main, report, { delimiter: ',', needed: UK_COLUMNS, open }));
  yield groups.finish();
}

function findUkColumns(columns: Columns) {
  return {
    id: findColumn(columns, 'Unique ID'),
    type: findColumn(columns, 'Designation Type', 'Individual, Entity, Ship', 'Individual/Entity/Ship'),
    // The family name, or the whole name of an entity, is the sixth and comes last.
    names: [1, 2, 3, 4, 5, 6].map((part) => findColumn(columns, `Name ${part}`)),
    nameType: findColumn(columns, 'Name type', 'Alias type'),
    strength: findColumn(columns, 'Alias strength', 'Alias quality'),
    otherScript: findColumn(columns, 'Name non-latin script'),
    regime: findColumn(columns, 'Regime Name', 'Regime'),
    birthDate: findColumn(columns, 'D.O.B', 'Date of birth'),
    countries: [
      findColumn(columns, 'Nationality(/ies)', 'Nationality', 'Nationalities'),
      findColumn(columns, 'Address Country'),
      findColumn(columns, 'Current believed flag of ship'),
    ],
    updated: findColumn(columns, 'Last Updated'),
  };
}

function createUkDraft(id: string, type: string, line: number, dataset: string): EntityDraft {
  const schema = SCHEMAS.get(type.toLowerCase());
  const draft = createDraft(id, schema ?? 'LegalEntity', line, dataset, ['sanction']);
  if (schema === undefined) addFlaw(draft, 'It is not said to be an individual, an entity or a ship.');
  return draft;
}

function fillFromRow(draft: EntityDraft, at: ReturnType<typeof findUkColumns>, read: (column: number) => string): void {
  const name = cleanText(at.names.map(read).filter(Boolean).join(' '));
  addName(draft, /^low/i.test(read(at.strength)) ? 'weakNames' : 'names', name);
  if (draft.entity.caption === '' && /^primary name$/i.test(read(at.nameType))) draft.entity.caption = name;
  addName(draft, 'names', read(at.otherScript));
  for (const date of splitMany(read(at.birthDate))) {
    addBirthDate(draft, date, readSlashDate(date) ?? readIsoDate(date) ?? readEnglishDate(date));
  }
  for (const column of at.countries) {
    for (const country of splitMany(read(column))) addValue(draft, 'countries', country);
  }
  addValue(draft, 'programs', read(at.regime));
  const updated = read(at.updated);
  if (updated !== '') noteChange(draft, updated, readSlashDate(updated) ?? readIsoDate(updated));
}

/** Several values of a cell are apart by `;` or `|`, or numbered: `(1) Russia (2) Ukraine`. */
function splitMany(cell: string): string[] {
  if (cell === '') return [];
  return cell
    .split(/[;|]|\(\d{1,2}\)/)
    .map((value) => value.trim())
    .filter(Boolean);
}

function readReportDate(preamble: string[][], report: LoadReport): void {
  for (const cells of preamble) {
    const text = /^\s*report date\s*:?\s*(.{1,40})$/i.exec(cells.filter(Boolean).join(' '))?.[1]?.trim();
    if (text !== undefined) report.version = readEnglishDate(text) ?? readSlashDate(text) ?? text;
  }
}
