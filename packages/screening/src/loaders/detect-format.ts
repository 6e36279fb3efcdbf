// Detects the format of a list by file name and first bytes.
import { CANADA_ROOT } from './formats/load-canada.ts';
import { EU_COLUMNS } from './formats/load-eu.ts';
import { OFAC_MAIN_WIDTH } from './formats/load-ofac.ts';
import { SECO_ROOT } from './formats/load-seco.ts';
import { TARGETS_SIMPLE_COLUMNS } from './formats/load-targets-simple.ts';
import { UK_COLUMNS } from './formats/load-uk.ts';
import { UN_ROOT } from './formats/load-un.ts';
import { listMissing, readHeader } from './reading/read-table.ts';
import { splitLeniently } from './reading/split-leniently.ts';

export const LIST_FORMATS = [
  'targets-simple-csv',
  'ftm-json',
  'ofac-csv',
  'un-xml',
  'eu-csv',
  'uk-csv',
  'ca-xml',
  'ch-xml',
] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_LINES = 5;
const ROOTS: [root: string, ListFormat][] = [
  [UN_ROOT, 'un-xml'],
  [CANADA_ROOT, 'ca-xml'],
  [SECO_ROOT, 'ch-xml'],
];
const TABLES: { format: ListFormat; delimiter: string; needed: string[] }[] = [
  { format: 'targets-simple-csv', delimiter: ',', needed: TARGETS_SIMPLE_COLUMNS },
  { format: 'eu-csv', delimiter: ';', needed: EU_COLUMNS },
  { format: 'uk-csv', delimiter: ',', needed: UK_COLUMNS },
];

/** Takes up to 64 KB. Returns undefined for unknown formats. */
export function detectFormat(fileName: string, head: Uint8Array): ListFormat | undefined {
  const text = new TextDecoder().decode(head.subarray(0, MAX_HEAD_BYTES)).trimStart();
  if (text.startsWith('<')) return ROOTS.find(([root]) => text.includes(`<${root}`))?.[1];
  const lines = text.split(/\r?\n/, MAX_LINES);
  if (text.startsWith('{')) return isFtm(fileName, lines[0]!) ? 'ftm-json' : undefined;
  for (const line of lines) {
    const table = TABLES.find(
      ({ delimiter, needed }) => listMissing(readHeader(splitLeniently(line, delimiter)), needed).length === 0,
    );
    if (table !== undefined) return table.format;
  }
  return isOfac(splitLeniently(lines[0]!, ',')) ? 'ofac-csv' : undefined;
}

function isFtm(fileName: string, line: string): boolean {
  // In a delta, the entity is nested.
  if (/^\{\s*"(?:op|entity)"\s*:/.test(line)) return false;
  // If the first entity is longer than the head, neither key is certain to appear.
  return (/"schema"\s*:/.test(line) && /"properties"\s*:/.test(line)) || /\.ftm\.json$/i.test(fileName);
}

function isOfac(cells: string[]): boolean {
  return cells.length === OFAC_MAIN_WIDTH && /^\d+$/.test(cells[0]!.trim()) && cells[1]!.trim() !== '';
}
