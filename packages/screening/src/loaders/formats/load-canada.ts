// Loads Canada's Consolidated Autonomous Sanctions List from its XML file.
import type { ListedEntity } from '../../entity.ts';
import {
  addBirthDate,
  addIdentifier,
  addName,
  addValue,
  cleanText,
  createDraft,
  type EntityDraft,
  finishDraft,
  noteTime,
} from '../entity-draft.ts';
import { readEnglishDate, readIsoDate, readSlashDate } from '../listed-date.ts';
import { type LoadReport, noteBroken } from '../reading/load-report.ts';
import type { Chunks } from '../reading/read-blocks.ts';
import { parseXmlRecord, readChildText, readXmlRecords, watchRoot, type XmlRecord } from '../reading/xml-records.ts';

export const CANADA_ROOT = 'data-set';
/** Separators of names within a cell. Some are preceded by the language. */
const BETWEEN_NAMES =
  /;\s*|,\s+|\s*\((?:a\.k\.a\.|also known as)\s*|\s*\ba\.k\.a\.\s*|\b(?:Arabic|Belarus+ian|Hebrew|Persian|Russian|Ukrainian|ALIAS):\s*/i;

export async function* loadCanada(main: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListedEntity[]> {
  const root = watchRoot(main, CANADA_ROOT, report, () => {});
  for await (const records of readXmlRecords(root.chunks, report, ['record'], root.readHead)) {
    report.records += records.length;
    yield records.map((record) => readRecord(record, dataset, report)).filter((entity) => entity !== null);
  }
  root.finish();
}

function readRecord({ line, xml, reason }: XmlRecord, dataset: string, report: LoadReport): ListedEntity | null {
  const node = reason === undefined ? parseXmlRecord(xml) : null;
  if (node === null) {
    noteBroken(report, `line ${line}`, reason ?? 'The record is not well-formed XML.');
    return null;
  }
  // Earlier versions of the file used shorter element names.
  const read = (...names: string[]) => cleanText(names.map((name) => readChildText(node, name)).find(Boolean) ?? '');
  const [last, givenName] = [read('LastName'), read('GivenName')];
  const entityName = read('EntityOrShip', 'Entity');
  const imo = read('ShipIMONumber');
  const born = read('DateOfBirthOrShipBuildDate', 'DateOfBirth');
  const isPerson = imo === '' && (last !== '' || givenName !== '');
  const name = isPerson ? [givenName, last].filter(Boolean).join(' ') : entityName;
  // English and French: `Russia / Russie`.
  const program = read('Country');
  const [country = ''] = program.split('/');
  const schema = imo === '' ? (isPerson ? 'Person' : 'Organization') : 'Vessel';
  const id = name === '' ? '' : `ca-${makeSlug(country, read('Schedule'), read('Item'), name)}`;
  const draft = createDraft(id, schema, line, dataset, ['sanction']);
  if (isPerson) addName(draft, 'names', name);
  else for (const one of splitNames(entityName)) addName(draft, 'names', one);
  for (const alias of splitNames(read('Aliases'))) addName(draft, 'names', alias);
  if (isPerson && born !== '') readBirthDate(draft, born);
  addIdentifier(draft, 'imoNumber', imo);
  // Country if the measures are against a country; otherwise a law.
  if (!/regulation|\(JVCFO/i.test(program)) addValue(draft, 'countries', country);
  addValue(draft, 'programs', program);
  const listedOn = read('DateOfListing');
  noteTime(draft, 'firstSeen', listedOn, readIsoDate(listedOn));
  return finishDraft(draft, report);
}

function splitNames(text: string): string[] {
  return text.split(BETWEEN_NAMES).map((name) => (name.includes('(') ? name : name.replace(/\)\s*$/, '')));
}

/** `1963-1964` and `1972-08-10 or 1972-08-11` contain two dates. */
function readBirthDate(draft: EntityDraft, text: string): void {
  const several = /^\d{4}-\d{4}$/.test(text) ? text.split('-') : text.split(/\s+(?:or|and)\s+/i);
  for (const one of several) {
    const date = readIsoDate(one) ?? readSlashDate(one.replaceAll('-', '/')) ?? readEnglishDate(one);
    addBirthDate(draft, one, date);
  }
}

/** The file has no stable ids, so an entry is identified by its section and name. */
function makeSlug(...parts: string[]): string {
  const words = parts.join(' ').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return words
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 200);
}
