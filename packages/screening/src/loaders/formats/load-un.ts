// Loads the Security Council's consolidated list from its XML file.
import type { ListedEntity } from '../../entity.ts';
import {
  addBirthDate,
  addName,
  addValue,
  cleanText,
  createDraft,
  type EntityDraft,
  finishDraft,
  noteChange,
} from '../entity-draft.ts';
import { joinSpan, markCirca, readEnglishDate, readIsoDate } from '../listed-date.ts';
import { type LoadReport, noteBroken, noteProblem, watchEnd } from '../reading/load-report.ts';
import type { Chunks } from '../reading/read-blocks.ts';
import {
  childrenOf,
  parseXmlRecord,
  readXmlRecords,
  textOf,
  type XmlNode,
  type XmlRecord,
} from '../reading/xml-records.ts';

export const UN_ROOT = 'CONSOLIDATED_LIST';
const ROOT_END = new RegExp(`</${UN_ROOT}\\s*>`);
/** Where the end of the root must be: behind it there is space, or a comment. */
const TAIL_BYTES = 4 * 1024;
const NAME_PARTS = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'];

export async function* loadUn(main: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListedEntity[]> {
  const source = watchEnd(main, TAIL_BYTES);
  let hasRoot = false;
  const readHead = (head: string) => {
    const root = new RegExp(`<${UN_ROOT}\\b[^>]*>`).exec(head)?.[0];
    if (root === undefined) noteProblem(report, 'header', `The file does not start with a ${UN_ROOT} element.`);
    hasRoot = root !== undefined;
    const generated = /\bdateGenerated\s*=\s*["']([^"'<>]{1,40})["']/.exec(root ?? '')?.[1];
    if (generated !== undefined) report.version = cleanText(generated);
  };
  for await (const records of readXmlRecords(source.chunks, report, ['INDIVIDUAL', 'ENTITY'], readHead)) {
    report.records += records.length;
    yield records.map((record) => readRecord(record, dataset, report)).filter((entity) => entity !== null);
  }
  if (hasRoot && !ROOT_END.test(source.tail().toString('latin1'))) report.truncated = true;
}

function readRecord({ line, xml, reason }: XmlRecord, dataset: string, report: LoadReport): ListedEntity | null {
  const node = reason === undefined ? parseXmlRecord(xml) : null;
  if (node === null) {
    noteBroken(report, `line ${line}`, reason ?? 'The record is not well-formed XML.');
    return null;
  }
  const number = cleanText(textOf(node, 'REFERENCE_NUMBER') || textOf(node, 'DATAID'));
  const isPerson = node.name === 'INDIVIDUAL';
  const id = number === '' ? '' : `un-${number}`;
  const draft = createDraft(id, isPerson ? 'Person' : 'Organization', line, dataset, ['sanction']);
  addName(
    draft,
    'names',
    NAME_PARTS.map((part) => textOf(node, part))
      .filter(Boolean)
      .join(' '),
  );
  addName(draft, 'names', textOf(node, 'NAME_ORIGINAL_SCRIPT'));
  for (const alias of childrenOf(node, `${node.name}_ALIAS`)) readAlias(draft, alias);
  for (const birth of childrenOf(node, 'INDIVIDUAL_DATE_OF_BIRTH')) readBirthDate(draft, birth);
  for (const { text } of childrenOf(node, 'NATIONALITY').flatMap((list) => childrenOf(list, 'VALUE'))) {
    addValue(draft, 'countries', text);
  }
  for (const address of childrenOf(node, `${node.name}_ADDRESS`))
    addValue(draft, 'countries', textOf(address, 'COUNTRY'));
  addValue(draft, 'programs', textOf(node, 'UN_LIST_TYPE'));
  const updates = childrenOf(node, 'LAST_DAY_UPDATED').flatMap((list) => childrenOf(list, 'VALUE'));
  for (const text of [textOf(node, 'LISTED_ON'), ...updates.map((update) => update.text.trim())]) {
    // Some have an offset behind the day: `2015-07-01-04:00`.
    if (text !== '') noteChange(draft, text, readIsoDate(text.slice(0, 10)));
  }
  return finishDraft(draft, report);
}

function readAlias(draft: EntityDraft, alias: XmlNode): void {
  const isWeak = /^low/i.test(textOf(alias, 'QUALITY'));
  for (const name of splitAlias(textOf(alias, 'ALIAS_NAME'))) addName(draft, isWeak ? 'weakNames' : 'names', name);
  const birthDate = textOf(alias, 'DATE_OF_BIRTH');
  if (birthDate !== '') addBirthDate(draft, birthDate, readIsoDate(birthDate));
}

/** Several spellings share an element: `Imre Vale; Imri Vale b) I. Vale`, `Imre Vale (original script: Имре Вале)`. */
function splitAlias(text: string): string[] {
  return text
    .split(/;|\s[b-z]\)\s|\(original script:/)
    .map((name) => (name.includes('(') ? name : name.trim().replace(/\)$/, '')));
}

function readBirthDate(draft: EntityDraft, birth: XmlNode): void {
  const [from, to, note] = [textOf(birth, 'FROM_YEAR'), textOf(birth, 'TO_YEAR'), textOf(birth, 'NOTE')];
  const single = textOf(birth, 'DATE') || textOf(birth, 'YEAR');
  const isCirca = /^approx/i.test(textOf(birth, 'TYPE_OF_DATE')) || /^approx/i.test(note);
  if (single !== '') {
    const date = readIsoDate(single);
    addBirthDate(draft, single, isCirca ? markCirca(date) : date);
  } else if (from !== '' || to !== '') {
    addBirthDate(draft, `${from} to ${to}`, joinSpan(readIsoDate(from || to), readIsoDate(to || from)));
  } else if (note !== '') {
    // Months without a day are in the note only: `Nov. 1973`.
    const date = readEnglishDate(note);
    addBirthDate(draft, note, isCirca ? markCirca(date) : date);
  }
}
