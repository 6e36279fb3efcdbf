// Loads the UK Sanctions List: a row per name (and address), grouped by Unique ID.
import type { ListedEntity } from '../../entity.ts';
import type { IdentifierKind } from '../../identifiers/kinds.ts';
import { joinAddress } from '../address.ts';
import { findDocumentKind, stripNumberLabel } from '../document-kind.ts';
import {
  addBirthDate,
  addFlaw,
  addIdentifier,
  addName,
  addNationality,
  addValue,
  cleanText,
  createDraft,
  type EntityDraft,
  noteTime,
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

/** Kind per column, unless the cell itself states another one: `INN: 7702070139`. */
const IDENTIFIER_COLUMNS: [kind: IdentifierKind, ...headings: string[]][] = [
  ['passportNumber', 'Passport number'],
  ['idNumber', 'National Identifier number', 'National Identification number'],
  ['registrationNumber', 'Business registration number (s)', 'Business registration number'],
  ['imoNumber', 'IMO number'],
  ['hullNumber', 'Hull identification number (HIN)', 'Hull identification number'],
];

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
    // Part six is the family name, or an entity's whole name. It comes last.
    names: [1, 2, 3, 4, 5, 6].map((part) => findColumn(columns, `Name ${part}`)),
    nameType: findColumn(columns, 'Name type', 'Alias type'),
    strength: findColumn(columns, 'Alias strength', 'Alias quality'),
    otherScript: findColumn(columns, 'Name non-latin script'),
    regime: findColumn(columns, 'Regime Name', 'Regime'),
    birthDate: findColumn(columns, 'D.O.B', 'Date of birth'),
    nationalities: findColumn(columns, 'Nationality(/ies)', 'Nationality', 'Nationalities'),
    flags: [findColumn(columns, 'Current believed flag of ship'), findColumn(columns, 'Previous flags')],
    address: [1, 2, 3, 4, 5, 6].map((line) => findColumn(columns, `Address Line ${line}`)),
    postCode: findColumn(columns, 'Address Postal Code'),
    country: findColumn(columns, 'Address Country'),
    position: findColumn(columns, 'Position'),
    identifiers: IDENTIFIER_COLUMNS.map(
      ([kind, ...headings]) => [kind, findColumn(columns, ...headings)] as [IdentifierKind, number],
    ),
    unReference: findColumn(columns, 'UN Reference Number'),
    designated: findColumn(columns, 'Date Designated'),
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
    addBirthDate(draft, date, readUkDate(date) ?? readEnglishDate(date));
  }
  for (const country of splitMany(read(at.nationalities))) addNationality(draft, country);
  for (const country of splitMany(read(at.country))) addValue(draft, 'countries', country);
  for (const column of at.flags) {
    for (const country of splitMany(read(column))) addValue(draft, 'countries', country);
  }
  addValue(draft, 'addresses', joinAddress([...at.address, at.postCode].map(read), read(at.country)));
  for (const position of splitMany(read(at.position))) addValue(draft, 'positions', position);
  for (const [kind, column] of at.identifiers) {
    for (const text of splitMany(read(column)).flatMap((value) => value.split(/,\s/))) {
      if (/\d/.test(text)) addIdentifier(draft, findDocumentKind(text) ?? kind, stripNumberLabel(text));
    }
  }
  addValue(draft, 'programs', read(at.regime));
  const unReference = read(at.unReference);
  if (unReference !== '') addValue(draft, 'referents', `un-${unReference}`);
  noteTime(draft, 'firstSeen', read(at.designated), readUkDate(read(at.designated)));
  noteTime(draft, 'lastChange', read(at.updated), readUkDate(read(at.updated)));
}

function readUkDate(text: string): string | null {
  return readSlashDate(text) ?? readIsoDate(text);
}

/** Cells separate values by `;` or `|`, or number them: `(1) Russia (2) Ukraine`. */
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
