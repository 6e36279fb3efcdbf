// Loads OpenSanctions' `entities.ftm.json` and its deltas: one FollowTheMoney entity, or one
// change, per line.
import type { ListedEntity } from '../../entity.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../../identifiers/kinds.ts';
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
import { readIsoDate, readTimestamp } from '../listed-date.ts';
import { type LoadReport, noteBroken, watchEnd } from '../reading/load-report.ts';
import type { Chunks } from '../reading/read-blocks.ts';
import { type Line, readLines } from '../reading/read-lines.ts';
import { SCHEMATA } from '../schema.ts';

/** A delta's change: the entity to put, or the id to delete. */
export type ListChange = { op: 'put'; entity: ListedEntity } | { op: 'delete'; id: string };

type JsonObject = Record<string, unknown>;

/** Most kinds are named like their property. Other numbers become plain identifiers. */
const IDENTIFIER_PROPERTIES: readonly [property: string, kind: IdentifierKind][] = [
  ...(Object.keys(IDENTIFIER_KINDS) as IdentifierKind[]).map((kind): [string, IdentifierKind] => [kind, kind]),
  ['isinCode', 'isin'],
  ['irsCode', 'taxNumber'],
  ['voenCode', 'taxNumber'],
  ['uscCode', 'registrationNumber'],
  ...['bvdId', 'cikCode', 'crsNumber', 'figiCode', 'fnsCode', 'ibcRuc', 'icijId', 'ipoCode', 'jibCode', 'mbsCode'].map(
    (property): [string, IdentifierKind] => [property, 'identifier'],
  ),
  ['permId', 'identifier'],
];

export function loadFtm(main: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListedEntity[]> {
  return readJsonLines(main, report, (object, line) => {
    if (isScreened(object)) return readEntity(object, line, dataset, report);
    report.skipped++;
    return null;
  });
}

export function loadFtmDelta(source: Chunks, dataset: string, report: LoadReport): AsyncGenerator<ListChange[]> {
  return readJsonLines(source, report, (object, line) => readChange(object, line, dataset, report));
}

function readChange({ op, entity }: JsonObject, line: number, dataset: string, report: LoadReport): ListChange | null {
  const kind = typeof op === 'string' ? op.toUpperCase() : '';
  if (!['ADD', 'MOD', 'DEL'].includes(kind) || !isObject(entity)) {
    noteBroken(report, `line ${line}`, 'The line is no change: it needs an op of ADD, MOD or DEL, and an entity.');
    return null;
  }
  if (kind === 'ADD' && !isScreened(entity)) {
    report.skipped++;
    return null;
  }
  // Entities that are no longer targets, or no longer named things, must leave the index.
  if (kind === 'DEL' || !isScreened(entity)) {
    const id = cleanText(readText(entity['id']));
    if (id !== '') return { op: 'delete', id };
    noteBroken(report, `line ${line}`, 'The record has no id.');
    return null;
  }
  const listed = readEntity(entity, line, dataset, report);
  return listed === null ? null : { op: 'put', entity: listed };
}

function isScreened({ target, schema }: JsonObject): boolean {
  return target !== false && (typeof schema !== 'string' || SCHEMATA.includes(schema));
}

const TIMES = [
  ['firstSeen', 'first_seen'],
  ['lastSeen', 'last_seen'],
  ['lastChange', 'last_change'],
] as const;

function readEntity(object: JsonObject, line: number, dataset: string, report: LoadReport): ListedEntity | null {
  const schema = readText(object['schema']);
  if (schema === '') {
    noteBroken(report, `line ${line}`, 'The line is no FollowTheMoney entity: it has no schema.');
    return null;
  }
  const draft = createDraft(readText(object['id']), schema, line, dataset, []);
  const properties = isObject(object['properties']) ? object['properties'] : {};
  fillDraft(draft, properties, readText(object['caption']));
  const datasets = readTexts(object['datasets']).map(cleanText).filter(Boolean);
  if (datasets.length > 0) draft.entity.datasets = [...new Set(datasets)];
  for (const referent of readTexts(object['referents'])) {
    if (cleanText(referent) !== draft.entity.id) addValue(draft, 'referents', referent);
  }
  for (const [time, property] of TIMES) {
    const text = readText(object[property]);
    noteTime(draft, time, text, readTimestamp(text));
  }
  return finishDraft(draft, report);
}

export function fillDraft(draft: EntityDraft, properties: Readonly<JsonObject>, caption: string): void {
  const each = (...keys: string[]) => keys.flatMap((key) => readTexts(properties[key]));
  const names = each('name');
  for (const name of [...(names.length > 0 ? names : [caption]), ...each('alias', 'previousName')]) {
    addName(draft, 'names', name);
  }
  for (const name of each('weakAlias')) addName(draft, 'weakNames', name);
  for (const date of each('birthDate')) addBirthDate(draft, date, readIsoDate(date.trim()));
  for (const country of each('country')) addValue(draft, 'countries', country);
  for (const country of each('nationality', 'citizenship')) addNationality(draft, country);
  for (const country of each('jurisdiction', 'mainCountry', 'flag', 'pastFlags')) addValue(draft, 'countries', country);
  for (const address of each('address')) addValue(draft, 'addresses', address);
  for (const position of each('position')) addValue(draft, 'positions', position);
  for (const [property, kind] of IDENTIFIER_PROPERTIES) {
    for (const value of each(property)) addIdentifier(draft, kind, value);
  }
  for (const topic of each('topics')) addValue(draft, 'topics', topic);
  for (const program of each('programId', 'program')) addValue(draft, 'programs', program);
  draft.entity.caption = caption;
}

/** Yields the results of each block's lines. */
async function* readJsonLines<T>(
  chunks: Chunks,
  report: LoadReport,
  read: (object: JsonObject, line: number) => T | null,
): AsyncGenerator<T[]> {
  const source = watchEnd(chunks);
  let line = 0;
  let isLastBroken = false;
  for await (const lines of readLines(source.chunks, report)) {
    const made: T[] = [];
    for (const text of lines) {
      line++;
      if (text !== null && text.trim() === '') continue;
      report.records++;
      const object = parseLine(text);
      isLastBroken = typeof object === 'string';
      if (typeof object === 'string') {
        noteBroken(report, `line ${line}`, object);
        continue;
      }
      const item = read(object, line);
      if (item !== null) made.push(item);
    }
    yield made;
  }
  // A complete line that is not JSON is a broken record. An unterminated one means a truncated
  // file.
  if (isLastBroken && !source.endsLine()) report.truncated = true;
}

/** Returns the object, or the reason why there is none. */
function parseLine(text: Line): JsonObject | string {
  if (text === null) return 'The line is too long to be a record.';
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'The line is not a JSON object.';
  } catch {
    return 'The line is not JSON.';
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function readTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
