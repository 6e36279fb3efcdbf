// Bodies of a given size in shapes that have slowed services down, generated from a route's schema.
import {
  type JsonSchema as DescribedSchema,
  resolve,
  type Schemas,
} from '../../../apps/server/src/platform/http/reference/sample-request.ts';

type JsonSchema = DescribedSchema & { maxItems?: number; additionalProperties?: JsonSchema | boolean };

/** An object in a body, with the text around a position where members can be added. */
export interface Place {
  where: string;
  before: string;
  after: string;
  /** Known field with a list. */
  list: string | undefined;
  /** An entry of that list, as JSON. */
  entry: string;
  maxItems: number;
  /** Known field with a text. */
  text: string | undefined;
  /** Whether clients choose its field names, which share one schema. */
  isMap: boolean;
}

const MARK = '"@place":0';

/** Lists every object in a valid body. */
export function listPlaces(body: unknown, schema: JsonSchema | undefined, schemas: Schemas): Place[] {
  const places: Place[] = [];
  const visit = (value: unknown, schema: DescribedSchema | undefined, where: string) => {
    const known = resolve(schema, schemas) as JsonSchema | undefined;
    if (Array.isArray(value)) {
      if (value.length > 0) visit(value[0], known?.items, `${where}[0]`);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const object = value as Record<string, unknown>;
    object['@place'] = 0;
    const [before = '', after = ''] = JSON.stringify(body).split(MARK);
    delete object['@place'];
    const { properties = {}, additionalProperties } = known ?? {};
    const fieldOf = (type: string) =>
      Object.entries(properties).find(([, field]) => resolve(field, schemas)?.type === type)?.[0];
    const list = fieldOf('array');
    const entries = list === undefined ? undefined : object[list];
    const listSchema = (list === undefined ? undefined : resolve(properties[list], schemas)) as JsonSchema | undefined;
    places.push({
      ...{ where, before, after, list, text: fieldOf('string') },
      entry: JSON.stringify(Array.isArray(entries) ? (entries[0] ?? {}) : {}),
      maxItems: listSchema?.maxItems ?? 100,
      isMap: typeof additionalProperties === 'object',
    });
    for (const [name, inner] of Object.entries(object)) {
      const ofMap = typeof additionalProperties === 'object' ? additionalProperties : undefined;
      visit(inner, properties[name] ?? ofMap, `${where}.${name}`);
    }
  };
  visit(body, schema, 'body');
  return places;
}

/** Returns members of about `bytes` bytes. */
type Shape = (bytes: number, place: Place) => string;

/** Number of entries that a service with common limits still accepts. */
const BOUNDED_ENTRIES = 45_000;
const BOUNDED_FIELDS = 199;
const LEVELS = 150;
/** More would produce replies of hundreds of megabytes. */
const TINY_ROWS = 100_000;

function fill(bytes: number, make: (at: number) => string): string {
  const parts: string[] = [];
  for (let length = 0; length < bytes; length += parts.at(-1)!.length + 1) parts.push(make(parts.length));
  return parts.join(',');
}
const repeat = (bytes: number, entry: string) =>
  `${`${entry},`.repeat(Math.max(0, Math.floor(bytes / (entry.length + 1)) - 1))}${entry}`;
const listOf = (name: string, entries: string) => `"${name}":[${entries}]`;
const fields = (count: number, nameLength = 1) =>
  Array.from({ length: count }, (_, at) => `"${'u'.repeat(nameLength)}${at}":1`).join(',');
const withFields = (entry: string, count: number) =>
  entry.startsWith('{') ? `${entry.slice(0, -1)}${entry === '{}' ? '' : ','}${fields(count)}}` : entry;

const SHAPES: Readonly<Record<string, Shape>> = {
  'unknown fields': (bytes) => fill(bytes, (at) => `"k${at}":1`),
  'deep nesting': (bytes) => listOf('x', repeat(bytes, '['.repeat(LEVELS) + ']'.repeat(LEVELS))),
  'list entries': (bytes, { list = 'x' }) => listOf(list, repeat(bytes, '{}')),
  'long keys': (bytes) => fill(bytes, (at) => `"${'k'.repeat(1_000)}${at}":1`),
  'one mistake many times': (bytes, { list, text = 'x', isMap }) => {
    if (isMap) return fill(bytes, (at) => `"${at}":0`);
    return list === undefined ? repeat(bytes, `"${text}":[]`) : listOf(list, repeat(bytes, '0'));
  },
  'one huge text': (bytes, { text = 'x' }) => `"${text}":"${'\\n'.repeat(bytes / 2)}"`,
  'one huge number': (bytes) => `"x":${'1'.repeat(bytes)}`,
  'entries within the bounds': (bytes, { list = 'x' }) =>
    listOf(list, repeat(bytes, '"A B"'.padEnd(Math.ceil(bytes / BOUNDED_ENTRIES)))),
  'fields within the bounds': (bytes) => fields(BOUNDED_FIELDS, Math.floor(bytes / (BOUNDED_FIELDS + 1)) - 8),
  'full entries with unknown fields': (bytes, { list, entry, maxItems, isMap }) => {
    const full = withFields(entry, BOUNDED_FIELDS);
    const count = Math.min(maxItems, Math.floor(bytes / full.length), BOUNDED_ENTRIES / BOUNDED_FIELDS);
    if (isMap) return Array.from({ length: count }, (_, at) => `"q${at}":${full}`).join(',');
    return listOf(list ?? 'x', Array.from({ length: count }, () => full).join(',') || full);
  },
};
export const SHAPE_NAMES = Object.keys(SHAPES);

/** Returns a body of about `bytes` bytes with the shape at this position. */
export function shapeBody(name: string, place: Place, bytes: number): string {
  const { before, after } = place;
  return `${before}${SHAPES[name]!(Math.max(0, bytes - before.length - after.length - 32), place)}${after}`;
}

/** Returns rows of a CSV file of about `bytes` bytes, with one shape per file. */
export function listCsvShapes(header: string, bytes: number): [name: string, text: string][] {
  const rowBytes = 200_000;
  const columns = (make: (at: number) => string) => fill(rowBytes, make);
  return [
    ['unknown columns', `${columns((at) => `column${at}`)}\n`],
    ['columns near a known one', `${columns((at) => `referense${at}`)}\n`],
    ['one column many times', `${columns(() => 'note')}\n`],
    ['long column names', `${columns((at) => `${'k'.repeat(1_000)}${at}`)}\n`],
    ['empty cells', `${header}\n${`${','.repeat(rowBytes)}\n`.repeat(bytes / rowBytes)}`],
    ['quoted cells', `${header}\n${`${repeat(rowBytes, '""""""')}\n`.repeat(bytes / rowBytes)}`],
    ['one huge cell', `${header}\n${`1,"${'\n'.repeat(rowBytes)}"\n`.repeat(bytes / rowBytes)}`],
    ['many rows', `${header}\n${'1,Ann,Smith,1970-01-01\n'.repeat(bytes / 23)}`],
    ['tiny rows', `${header}\n${'1\n'.repeat(TINY_ROWS)}`],
    ['a quote that is never closed', `${header}\n"${'a""'.repeat(bytes / 3)}`],
  ];
}

/** Returns forms of about `bytes` bytes, as sent by wallets. */
export function listFormShapes(bytes: number): [name: string, text: string][] {
  const field = `vp_token=`;
  return [
    ['unknown fields', fill(bytes, (at) => `k${at}=1`).replaceAll(',', '&')],
    ['one field many times', 'vp_token=1&'.repeat(bytes / 11)],
    ['long keys', fill(bytes, (at) => `${'k'.repeat(1_000)}${at}=1`).replaceAll(',', '&')],
    ['escapes', field + '%7B'.repeat((bytes - field.length) / 3)],
    ['one huge text', field + 'x'.repeat(bytes - field.length)],
    ['deep nesting', field + '['.repeat(bytes - field.length)],
    ['list entries', `${field}{"a":[${'{},'.repeat((bytes - 40) / 3)}{}]}`],
    ['full stops', `response=${'.'.repeat(bytes - 9)}`],
  ];
}
