// Loads OFAC's CSV files: `sdn.csv`, plus the optional aliases (`alt.csv`), addresses (`add.csv`)
// and continued remarks (`sdn_comments.csv`).
import type { ListedEntity } from '../../entity.ts';
import { joinAddress } from '../address.ts';
import { addFlaw, addIdentifier, addName, addValue, createDraft, finishDraft } from '../entity-draft.ts';
import { type LoadReport, noteBroken, noteProblem } from '../reading/load-report.ts';
import type { Chunks, ListSource } from '../reading/read-blocks.ts';
import { drain, noteRowProblem, readRows } from '../reading/read-table.ts';
import type { CsvRecord } from '../reading/split-csv.ts';
import { addFlag, readRemarks } from './ofac-remarks.ts';

export const OFAC_MAIN_WIDTH = 12;
const ALIASES: JoinedFile<string> = {
  file: 'alias file',
  width: 5,
  read: ([, , , alias = '']) => readCell(alias) || null,
};
const ADDRESSES: JoinedFile<Address> = { file: 'address file', width: 6, read: readAddress };
/** Not trimmed, because remarks are cut anywhere, also before a space. */
const COMMENTS: JoinedFile<string> = {
  file: 'comment file',
  width: 2,
  read: ([, rest = '']) => (readCell(rest) ? rest : null),
};
/** Memory limit for a wrong file. The real ones have a few megabytes. */
const MAX_JOINED_CHARACTERS = 128 * 1024 * 1024;
const SCHEMAS = new Map([
  ['', 'Organization'],
  ['entity', 'Organization'],
  ['individual', 'Person'],
  ['vessel', 'Vessel'],
  ['aircraft', 'Airplane'],
]);

interface Address {
  text: string;
  country: string;
}

interface JoinedFile<T> {
  file: string;
  width: number;
  /** Returns null for a row without content. */
  read(cells: string[]): T | null;
}

/** Rows of a joined file by ent_num. */
type JoinedRows<T> = Map<string, T[]>;

export async function* loadOfac(
  source: ListSource,
  dataset: string,
  report: LoadReport,
): AsyncGenerator<ListedEntity[]> {
  const aliases = await readJoined(source.aliases, report, ALIASES);
  const addresses = await readJoined(source.addresses, report, ADDRESSES);
  const comments = await readJoined(source.comments, report, COMMENTS);
  yield* readRows(source.main, report, {
    delimiter: ',',
    width: OFAC_MAIN_WIDTH,
    read: (row) => readMainRow(row, { aliases, addresses, comments }, dataset, report),
    onProblem: (line, reason, isLost) => noteRowProblem(report, line, reason, isLost),
  });
  noteLeftOver(report, ALIASES.file, aliases);
  noteLeftOver(report, ADDRESSES.file, addresses);
  noteLeftOver(report, COMMENTS.file, comments);
}

function readMainRow(
  { line, cells }: CsvRecord,
  {
    aliases,
    addresses,
    comments,
  }: { aliases: JoinedRows<string>; addresses: JoinedRows<Address>; comments: JoinedRows<string> },
  dataset: string,
  report: LoadReport,
): ListedEntity | null {
  report.records++;
  const [number = '', name = '', type = '', program = '', title = '', callSign = '', ...furtherCells] =
    cells.map(readCell);
  const [, , , flag = '', , remarks = ''] = furtherCells;
  const rest = comments.get(number);
  if (!/^\d{1,20}$/.test(number)) {
    noteBroken(report, `line ${line}`, 'The first cell is no entity number.');
    return null;
  }
  const schema = SCHEMAS.get(type.toLowerCase());
  const draft = createDraft(`ofac-${number}`, schema ?? 'LegalEntity', line, dataset, ['sanction']);
  if (schema === undefined) addFlaw(draft, 'The type is none of OFAC’s; it is taken as a legal entity.');
  addName(draft, 'names', name);
  for (const alias of aliases.get(number) ?? []) addName(draft, 'names', alias);
  readRemarks(draft, rest === undefined ? remarks : [cells.at(-1), ...rest].join('').trim());
  addValue(draft, 'positions', title);
  addIdentifier(draft, 'callSign', callSign);
  addFlag(draft, flag);
  for (const { text, country } of addresses.get(number) ?? []) {
    addValue(draft, 'addresses', text);
    addValue(draft, 'countries', country);
  }
  // Both `SDGT] [IRGC` and `[SDGT] [IRGC]` occur.
  for (const id of program.split(/[[\]]/)) addValue(draft, 'programs', id);
  aliases.delete(number);
  addresses.delete(number);
  comments.delete(number);
  return finishDraft(draft, report);
}

function readAddress(cells: string[]): Address | null {
  const [, , street = '', city = '', country = ''] = cells.map(readCell);
  const text = joinAddress([street, city], country);
  return text === '' && country === '' ? null : { text, country };
}

async function readJoined<T>(
  chunks: Chunks | undefined,
  report: LoadReport,
  { file, width, read }: JoinedFile<T>,
): Promise<JoinedRows<T>> {
  const joined: JoinedRows<T> = new Map();
  if (chunks === undefined) return joined;
  let characters = 0;
  const onProblem = (line: number, reason: string) => noteProblem(report, `${file}, line ${line}`, reason);
  const readRow = ({ line, cells }: CsvRecord): null => {
    const number = readCell(cells[0]!);
    const value = read(cells);
    if (!/^\d{1,20}$/.test(number)) {
      onProblem(line, 'The first cell is no entity number.');
    } else if (characters > MAX_JOINED_CHARACTERS) {
      onProblem(line, 'The file is too large for an OFAC file; the row was left out.');
    } else if (value !== null) {
      characters += cells.reduce((sum, cell) => sum + cell.length, 100);
      const values = joined.get(number);
      if (values === undefined) joined.set(number, [value]);
      else values.push(value);
    }
    return null;
  };
  await drain(readRows(chunks, report, { delimiter: ',', width, read: readRow, onProblem }));
  return joined;
}

/** Reports leftover rows, because files of different days are easily mixed up. */
function noteLeftOver(report: LoadReport, file: string, joined: JoinedRows<unknown>): void {
  if (joined.size === 0) return;
  const number = joined.keys().next().value;
  noteProblem(
    report,
    file,
    `It has rows for ${joined.size} entities that the main file does not have, such as ${number}.`,
  );
}

function readCell(cell: string): string {
  const text = cell.trim();
  return text === '-0-' ? '' : text;
}
