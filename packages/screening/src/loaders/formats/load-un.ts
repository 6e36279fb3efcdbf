// Loads the Security Council's consolidated list from its XML file.
import type { ListedEntity } from '../../entity.ts';
import { joinAddress } from '../address.ts';
import { findDocumentKind, stripNumberLabel } from '../document-kind.ts';
import {
  addBirthDate,
  addIdentifier,
  addName,
  addNationality,
  addValue,
  cleanText,
  createDraft,
  type EntityDraft,
  finishDraft,
  noteTime,
} from '../entity-draft.ts';
import { joinSpan, markCirca, readEnglishDate, readIsoDate, readMonths } from '../listed-date.ts';
import { type LoadReport, noteBroken } from '../reading/load-report.ts';
import type { Chunks } from '../reading/read-blocks.ts';
import {
  findChildren,
  parseXmlRecord,
  readChildText,
  readXmlRecords,
  watchRoot,
  type XmlNode,
  type XmlRecord,
} from '../reading/xml-records.ts';

export const UN_ROOT = 'CONSOLIDATED_LIST';
const NAME_PARTS = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'];

export async function* loadUn(main: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListedEntity[]> {
  const root = watchRoot(main, UN_ROOT, report, (tag) => {
    const generated = /\bdateGenerated\s*=\s*["']([^"'<>]{1,40})["']/.exec(tag)?.[1];
    if (generated !== undefined) report.version = cleanText(generated);
  });
  for await (const records of readXmlRecords(root.chunks, report, ['INDIVIDUAL', 'ENTITY'], root.readHead)) {
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
  const number = cleanText(readChildText(node, 'REFERENCE_NUMBER') || readChildText(node, 'DATAID'));
  const isPerson = node.name === 'INDIVIDUAL';
  const id = number === '' ? '' : `un-${number}`;
  const draft = createDraft(id, isPerson ? 'Person' : 'Organization', line, dataset, ['sanction']);
  addName(
    draft,
    'names',
    NAME_PARTS.map((part) => readChildText(node, part))
      .filter(Boolean)
      .join(' '),
  );
  addName(draft, 'names', readChildText(node, 'NAME_ORIGINAL_SCRIPT'));
  for (const alias of findChildren(node, `${node.name}_ALIAS`)) readAlias(draft, alias);
  for (const birth of findChildren(node, 'INDIVIDUAL_DATE_OF_BIRTH')) readBirthDate(draft, birth);
  for (const text of readValues(node, 'NATIONALITY')) addNationality(draft, readCountry(text));
  for (const text of readValues(node, 'DESIGNATION')) addValue(draft, 'positions', text);
  for (const address of findChildren(node, `${node.name}_ADDRESS`)) readAddress(draft, address);
  for (const document of findChildren(node, 'INDIVIDUAL_DOCUMENT')) readDocument(draft, document);
  if (!isPerson) readComments(draft, readChildText(node, 'COMMENTS1'));
  addValue(draft, 'programs', readChildText(node, 'UN_LIST_TYPE'));
  // Some dates have an offset: `2015-07-01-04:00`.
  const readDay = (text: string) => readIsoDate(text.slice(0, 10));
  const listedOn = readChildText(node, 'LISTED_ON');
  noteTime(draft, 'firstSeen', listedOn, readDay(listedOn));
  for (const text of [listedOn, ...readValues(node, 'LAST_DAY_UPDATED')]) {
    noteTime(draft, 'lastChange', text, readDay(text));
  }
  return finishDraft(draft, report);
}

function readValues(node: XmlNode, name: string): string[] {
  return findChildren(node, name)
    .flatMap((list) => findChildren(list, 'VALUE'))
    .map(({ text }) => text.trim());
}

function readAddress(draft: EntityDraft, address: XmlNode): void {
  const lines = ['STREET', 'CITY', 'STATE_PROVINCE', 'ZIP_CODE'].map((part) => readChildText(address, part));
  const country = readCountry(readChildText(address, 'COUNTRY'));
  addValue(draft, 'addresses', joinAddress(lines, country));
  addValue(draft, 'countries', country);
}

/**
 * The number may come with words that tell more than the type: `Afghan passport number OA296623`.
 * Some are in the second type element.
 */
function readDocument(draft: EntityDraft, document: XmlNode): void {
  const texts = ['NUMBER', 'TYPE_OF_DOCUMENT2', 'TYPE_OF_DOCUMENT'].map((part) => readChildText(document, part));
  const kind = texts.map(findDocumentKind).find((found) => found !== undefined) ?? 'identifier';
  addIdentifier(draft, kind, stripNumberLabel(texts.find((text) => /\d/.test(text)) ?? ''));
}

/** Codes of banks and shipping companies are at the start of comments. */
function readComments(draft: EntityDraft, comments: string): void {
  addIdentifier(draft, 'swiftBic', /\bSWIFT(?:\/BIC)?: ?([A-Z]{6}[A-Z0-9]{2,5})\b/.exec(comments)?.[1] ?? '');
  addIdentifier(draft, 'imoNumber', /\bIMO\)? Number: ?(\d{7})\b/.exec(comments)?.[1] ?? '');
}

function readAlias(draft: EntityDraft, alias: XmlNode): void {
  const isWeak = /^low/i.test(readChildText(alias, 'QUALITY'));
  for (const name of splitAlias(readChildText(alias, 'ALIAS_NAME')))
    addName(draft, isWeak ? 'weakNames' : 'names', name);
  const birthDate = readChildText(alias, 'DATE_OF_BIRTH');
  if (birthDate !== '') addBirthDate(draft, birthDate, readIsoDate(birthDate));
}

/** Spellings share an element: `Imre Vale; Imri Vale b) I. Vale`. */
function splitAlias(text: string): string[] {
  return text
    .split(/;|\s[b-z]\)\s|\(original script:/)
    .map((name) => (name.includes('(') ? name : name.trim().replace(/\)$/, '')));
}

function readBirthDate(draft: EntityDraft, birth: XmlNode): void {
  const [from, to, note] = [
    readChildText(birth, 'FROM_YEAR'),
    readChildText(birth, 'TO_YEAR'),
    readChildText(birth, 'NOTE'),
  ];
  const single = readChildText(birth, 'DATE') || readChildText(birth, 'YEAR');
  const isCirca = /^approx/i.test(readChildText(birth, 'TYPE_OF_DATE')) || /^approx/i.test(note);
  if (single !== '') {
    const date = readIsoDate(single);
    addBirthDate(draft, single, isCirca ? markCirca(date) : date);
  } else if (from !== '' || to !== '') {
    addBirthDate(draft, `${from} to ${to}`, joinSpan(readIsoDate(from || to), readIsoDate(to || from)));
  } else if (note !== '') {
    // Months without a day are only in the note: `Nov. 1973`, `Between Aug. and Sep. 1977`.
    const date = readEnglishDate(note) ?? readMonths(note);
    addBirthDate(draft, note, isCirca ? markCirca(date) : date);
  }
}

/** The list uses `na` for "not available". It is also Namibia's code. */
function readCountry(text: string): string {
  return /^\s*n\/?a\s*$/i.test(text) ? '' : text;
}
