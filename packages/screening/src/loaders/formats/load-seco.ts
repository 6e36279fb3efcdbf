// Loads the Swiss sanctions list (SECO) from its XML file: programs, then targets, then places.
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
import { formatListedDate, readIsoDate } from '../listed-date.ts';
import { type LoadReport, noteBroken } from '../reading/load-report.ts';
import type { Chunks } from '../reading/read-blocks.ts';
import {
  findChildren,
  parseXmlRecord,
  readChildText,
  readXmlRecords,
  watchRoot,
  type XmlNode,
} from '../reading/xml-records.ts';

export const SECO_ROOT = 'swiss-sanctions-list';

const SCHEMAS = { individual: 'Person', entity: 'Organization', object: 'Vessel' } as const;
type SecoKind = keyof typeof SCHEMAS;

/** Name parts that do not belong to the name. */
const NOT_NAMED = new Set(['title', 'suffix']);
/** Maximum number of spelling combinations per name. */
const MAX_SPELLINGS = 20;

interface PendingTarget {
  draft: EntityDraft;
  addresses: XmlNode[];
}

/** Places come last, so their targets wait for the end of the file: about ten thousand at most. */
export async function* loadSeco(main: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListedEntity[]> {
  const root = watchRoot(main, SECO_ROOT, report, (tag) => {
    const date = /\bdate\s*=\s*["']([^"'<>]{1,40})["']/.exec(tag)?.[1];
    if (date !== undefined) report.version = cleanText(date);
  });
  const programs = new Map<string, string>();
  const places = new Map<string, XmlNode>();
  const waiting: PendingTarget[] = [];
  const names = ['sanctions-program', 'target', 'place'];
  for await (const records of readXmlRecords(root.chunks, report, names, root.readHead)) {
    for (const { line, xml, reason } of records) {
      const node = reason === undefined ? parseXmlRecord(xml) : null;
      if (node === null) {
        report.records += 1;
        noteBroken(report, `line ${line}`, reason ?? 'The record is not well-formed XML.');
      } else if (node.name === 'sanctions-program') readProgram(node, programs);
      else if (node.name === 'place') places.set(node.attributes['ssid'] ?? '', node);
      else {
        const read = readTarget(node, line, dataset, programs);
        report.records += read.length;
        waiting.push(...read);
      }
    }
  }
  root.finish();
  yield waiting.flatMap(({ draft, addresses }) => {
    for (const address of addresses) readAddress(draft, address, places.get(address.attributes['place-id'] ?? ''));
    return finishDraft(draft, report) ?? [];
  });
}

function readProgram(node: XmlNode, programs: Map<string, string>): void {
  const title = findChildren(node, 'program-name').find(({ attributes }) => attributes['lang'] === 'eng')?.text ?? '';
  for (const set of findChildren(node, 'sanctions-set')) programs.set(set.attributes['ssid'] ?? '', cleanText(title));
}

/** Returns an empty list for a removed target. */
function readTarget(
  node: XmlNode,
  line: number,
  dataset: string,
  programs: ReadonlyMap<string, string>,
): PendingTarget[] {
  const changes = findChildren(node, 'modification').map(({ attributes }) => attributes);
  if (changes.some((change) => change['modification-type'] === 'de-listed')) return [];
  const subject = node.children.find((child): child is XmlNode & { name: SecoKind } => child.name in SCHEMAS);
  const number = node.attributes['ssid'] ?? '';
  const schema = subject ? SCHEMAS[subject.name] : 'Thing';
  const draft = createDraft(number === '' ? '' : `ch-seco-${number}`, schema, line, dataset, ['sanction']);
  for (const set of findChildren(node, 'sanctions-set-id'))
    addValue(draft, 'programs', programs.get(set.text.trim()) ?? '');
  addValue(draft, 'programs', programs.get(node.attributes['sanctions-set-id'] ?? '') ?? '');
  for (const { 'publication-date': published = '' } of changes) {
    noteTime(draft, 'firstSeen', published, readIsoDate(published));
    noteTime(draft, 'lastChange', published, readIsoDate(published));
  }
  if (!subject) return [{ draft, addresses: [] }];
  for (const { text } of findChildren(subject, 'other-information')) readRemark(draft, cleanText(text));
  const identities = findChildren(subject, 'identity');
  for (const identity of identities) readIdentity(draft, identity, subject.name === 'individual');
  return [{ draft, addresses: identities.flatMap((identity) => findChildren(identity, 'address')) }];
}

function readIdentity(draft: EntityDraft, identity: XmlNode, isPerson: boolean): void {
  for (const name of findChildren(identity, 'name')) {
    const list = name.attributes['quality'] === 'low' ? 'weakNames' : 'names';
    for (const written of writeName(name)) addName(draft, list, written);
  }
  for (const { attributes } of isPerson ? findChildren(identity, 'day-month-year') : []) {
    const [year, month, day] = ['year', 'month', 'day'].map((part) => Number(attributes[part] ?? 0));
    const date = year ? formatListedDate(year, month, month ? day : 0) : null;
    addBirthDate(draft, [attributes['year'], attributes['month'], attributes['day']].filter(Boolean).join('-'), date);
  }
  for (const nationality of findChildren(identity, 'nationality')) addNationality(draft, readCountry(nationality));
  for (const document of findChildren(identity, 'identification-document')) {
    const type = document.attributes['document-type'] ?? '';
    addIdentifier(
      draft,
      findDocumentKind(type.replaceAll('-', ' ')) ?? 'identifier',
      stripNumberLabel(readChildText(document, 'number')),
    );
  }
}

/** Returns the name as written, and in each other spelling. The parts have an order. */
function writeName(name: XmlNode): string[] {
  const parts = findChildren(name, 'name-part')
    .filter(({ attributes }) => !NOT_NAMED.has(attributes['name-part-type'] ?? ''))
    .sort((a, b) => Number(a.attributes['order'] ?? 0) - Number(b.attributes['order'] ?? 0));
  const spellingsOf = (part: XmlNode) => findChildren(part, 'spelling-variant');
  const scripts = new Set(parts.flatMap(spellingsOf).map(spellingScript));
  const written = parts.map((part) => readChildText(part, 'value')).join(' ');
  const otherSpellings = [...scripts]
    .slice(0, MAX_SPELLINGS)
    .map((script) =>
      parts
        .map(
          (part) =>
            spellingsOf(part).find((spelling) => spellingScript(spelling) === script)?.text ??
            readChildText(part, 'value'),
        )
        .join(' '),
    );
  // A part may have several spellings in one script. Each is combined with the other parts as
  // written.
  const single = parts.length === 1 ? spellingsOf(parts[0]!).map(({ text }) => text) : [];
  return [written, ...otherSpellings, ...single.slice(0, MAX_SPELLINGS)];
}

function spellingScript({ attributes }: XmlNode): string {
  return `${attributes['lang'] ?? ''} ${attributes['script'] ?? ''}`;
}

/** Numbers of companies and ships are given in words: `IMO number: 9187629`. */
function readRemark(draft: EntityDraft, text: string): void {
  const labeled = /^(.{3,60}?)\s*:\s*([A-Z0-9][A-Z0-9 ./-]{2,40}[A-Z0-9])\.?$/i.exec(text);
  const [, label = '', value = ''] = labeled ?? [];
  if (!/number|\bno\b|\bnr\b|\bINN\b|\bOGRN\b|\bIMO\b/i.test(label) || !/\d{4}/.test(value)) return;
  const kind = /taxpayer identification/i.test(label) ? 'innCode' : findDocumentKind(label);
  if (kind) addIdentifier(draft, kind, value);
}

function readAddress(draft: EntityDraft, address: XmlNode, place: XmlNode | undefined): void {
  const read = (part: string) => readChildText(address, part) || (place ? readChildText(place, part) : '');
  const lines = ['c-o', 'address-details', 'p-o-box', 'zip-code', 'location', 'area'].map(read);
  const country = readCountry(address) || (place ? readCountry(place) : '');
  addValue(draft, 'addresses', joinAddress(lines, country));
  addValue(draft, 'countries', country);
}

/** Returns the country of an element. */
function readCountry(node: XmlNode): string {
  const country = node.children.find(({ name }) => name === 'country');
  return cleanText(country?.attributes['iso-code'] || country?.text || '');
}
