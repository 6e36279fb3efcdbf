// Loads the European Union's consolidated list (FSF `csvFullSanctionsList_1_1`): a row per name,
// birth date, address …
import type { ListedEntity } from '../../entity.ts';
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
import { formatListedDate, joinSpan, markCirca, readIsoDate, readSlashDate } from '../listed-date.ts';
import { createRowGroups } from '../reading/group-rows.ts';
import type { LoadReport } from '../reading/load-report.ts';
import type { Chunks } from '../reading/read-blocks.ts';
import { type Columns, drain, findColumn, readTable } from '../reading/read-table.ts';
import type { CsvRecord } from '../reading/split-csv.ts';

export const EU_COLUMNS = ['Entity_LogicalId', 'NameAlias_WholeName|NameAlias_LastName'];

type ReadCell = (heading: string) => string;

export async function* loadEu(main: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListedEntity[]> {
  const groups = createRowGroups(report);
  const open = (columns: Columns) => {
    const columnOf = rememberColumns(columns);
    const changes = [...columns].filter(([heading]) => heading.endsWith('regulationpublicationdate'));
    return ({ line, cells }: CsvRecord): null => {
      const read: ReadCell = (heading) => (cells[columnOf(heading)] ?? '').trim();
      const generated = read('fileGenerationDate');
      if (generated !== '') report.version ??= readEuDate(generated) ?? cleanText(generated).slice(0, 40);
      const number = cleanText(read('Entity_LogicalId'));
      const id = number === '' ? '' : `eu-${number}`;
      groups.add(
        id,
        line,
        () => createDraft(id, readSchema(read), line, dataset, ['sanction']),
        (draft) => {
          fillFromRow(draft, read);
          for (const [, column] of changes) {
            const text = (cells[column] ?? '').trim();
            noteTime(draft, 'lastChange', text, readEuDate(text));
          }
        },
      );
      return null;
    };
  };
  await drain(readTable(main, report, { delimiter: ';', needed: EU_COLUMNS, open }));
  yield groups.finish();
}

function fillFromRow(draft: EntityDraft, read: ReadCell): void {
  readName(draft, read);
  readBirthDate(draft, read);
  addNationality(draft, readCountry(read, 'Citizenship'));
  readAddress(draft, read);
  readDocument(draft, read);
  addValue(draft, 'positions', read('NameAlias_Function'));
  addValue(draft, 'programs', read('Entity_Regulation_Programme'));
  const unitedNationsId = read('Entity_UnitedNationId');
  if (unitedNationsId !== '') addValue(draft, 'referents', `un-${unitedNationsId}`);
  const designated = read('Entity_DesignationDate');
  noteTime(draft, 'firstSeen', designated, readEuDate(designated));
}

function readSchema(read: ReadCell): string {
  const kind = (read('Entity_SubjectType') || read('Entity_SubjectType_ClassificationCode')).toLowerCase();
  return kind === 'p' || kind === 'person' ? 'Person' : 'Organization';
}

function readName(draft: EntityDraft, read: ReadCell): void {
  const parts = ['First', 'Middle', 'Last'].map((part) => read(`NameAlias_${part}Name`));
  const isWeak =
    /low[\s-]*quality|weak/i.test(read('NameAlias_Remark')) || /^(?:false|0|no)$/i.test(read('NameAlias_Strong'));
  addName(draft, isWeak ? 'weakNames' : 'names', read('NameAlias_WholeName') || parts.filter(Boolean).join(' '));
}

function readBirthDate(draft: EntityDraft, read: ReadCell): void {
  const birth = findBirthDate((part) => read(`BirthDate_${part}`));
  if (birth === null) return;
  const calendar = read('BirthDate_CalendarType').toUpperCase();
  if (calendar !== '' && calendar !== 'GREGORIAN') {
    addFlaw(draft, `A birth date is of the calendar ${cleanText(calendar).slice(0, 20)} and was left out.`);
    return;
  }
  const isCirca = isYes(read('BirthDate_Circa'));
  addBirthDate(draft, birth.text, isCirca ? markCirca(birth.date) : birth.date);
}

/** Returns the text and the parsed date, or null if the row has none. */
function findBirthDate(read: ReadCell): { text: string; date: string | null } | null {
  const whole = read('BirthDate');
  if (whole !== '') return { text: whole, date: readEuDate(whole) };
  const [from, to] = [dropZero(read('YearRangeFrom')), dropZero(read('YearRangeTo'))];
  if (from !== '' || to !== '') {
    return { text: `${from} to ${to}`, date: joinSpan(readIsoDate(from || to), readIsoDate(to || from)) };
  }
  const [year, month, day] = [dropZero(read('Year')), dropZero(read('Month')), dropZero(read('Day'))];
  if (year === '') return null;
  const date = formatListedDate(Number(year), Number(month), month === '' ? 0 : Number(day));
  return { text: [year, month, day].filter(Boolean).join('-'), date };
}

/** Some files write empty numbers as 0. */
function dropZero(text: string): string {
  return /^0+$/.test(text) ? '' : text;
}

function isYes(text: string): boolean {
  return /^(?:true|1|yes)$/i.test(text);
}

function readAddress(draft: EntityDraft, read: ReadCell): void {
  const parts = ['Street', 'PoBox', 'ZipCode', 'City', 'Place', 'Region'].map((part) => read(`Address_${part}`));
  const name = read('Address_CountryDescription');
  addValue(draft, 'addresses', joinAddress(parts, isUnknown(name) ? '' : name));
  addValue(draft, 'countries', readCountry(read, 'Address'));
}

function readDocument(draft: EntityDraft, read: ReadCell): void {
  const number = read('Identification_Number');
  const words = [read('Identification_TypeCode'), read('Identification_TypeDescription'), number];
  const kind = findDocumentKind(words.join(' ')) ?? 'identifier';
  // Transliteration of the first one.
  for (const text of [number, read('Identification_LatinNumber')]) addIdentifier(draft, kind, stripNumberLabel(text));
}

function readCountry(read: ReadCell, kind: 'Citizenship' | 'Address'): string {
  const code = read(`${kind}_CountryIso2Code`);
  const name = read(`${kind}_CountryDescription`);
  const country = code !== '' && code !== '00' ? code : name;
  return isUnknown(country) ? '' : country;
}

/** The list uses `00` and UNKNOWN for no country. */
function isUnknown(country: string): boolean {
  return country === '00' || /^unknown/i.test(country);
}

/** Older files use `28/10/2022`. */
function readEuDate(text: string): string | null {
  return readIsoDate(text) ?? readSlashDate(text);
}

/** Caches columns, because looking up a heading costs more than reading its cell. */
function rememberColumns(columns: Columns): (heading: string) => number {
  const known = new Map<string, number>();
  return (heading) => {
    const position = known.get(heading) ?? findColumn(columns, heading);
    known.set(heading, position);
    return position;
  };
}
