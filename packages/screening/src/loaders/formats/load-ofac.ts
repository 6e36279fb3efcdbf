// Loads OFAC's own CSV files: `sdn.csv`, with the aliases of `alt.csv` and the countries of `add.csv` where given.
import type { ListedEntity } from '../../entity.ts';
import { addFlaw, addName, addValue, createDraft, finishDraft } from '../entity-draft.ts';
import { type LoadReport, noteBroken, noteProblem } from '../reading/load-report.ts';
import type { Chunks, ListSource } from '../reading/read-blocks.ts';
import { drain, noteRowProblem, readRows } from '../reading/read-table.ts';
import type { CsvRecord } from '../reading/split-csv.ts';
import { readRemarks } from './ofac-remarks.ts';

export const OFAC_MAIN_WIDTH = 12;
const ALIASES = { file: 'alias file', width: 5, column: 3 };
const ADDRESSES = { file: 'address file', width: 6, column: 4 };
/** The files are a few megabytes; this keeps a wrong one from filling the memory. */
const MAX_JOINED_CHARACTERS = 128 * 1024 * 1024;
const SCHEMAS = new Map([
  ['', 'Organization'],
  ['entity', 'Organization'],
  ['individual', 'Person'],
  ['vessel', 'Vessel'],
  ['aircraft', 'Airplane'],
]);

/** Values of the joined file by ent_num. */
type Joined = Map<string, string[]>;

export async function* loadOfac(
  source: ListSource,
  dataset: string,
  report: LoadReport,
): AsyncGenerator<ListedEntity[]> {
  const aliases = await readJoined(source.aliases, report, ALIASES);
  const countries = await readJoined(source.addresses, report, ADDRESSES);
  yield* readRows(source.main, report, {
    delimiter: ',',
    width: OFAC_MAIN_WIDTH,
    read: (row) => readMainRow(row, { aliases, countries }, dataset, report),
    onProblem: (line, reason, isLost) => noteRowProblem(report, line, reason, isLost),
  });
  noteLeftOver(report, ALIASES.file, aliases);
  noteLeftOver(report, ADDRESSES.file, countries);
}

function readMainRow(
  { line, cells }: CsvRecord,
  { aliases, countries }: { aliases: Joined; countries: Joined },
  dataset: string,
  report: LoadReport,
): ListedEntity | null {
  report.records++;
  const [number = '', name = '', type = '', program = '', , , , , , flag = '', , remarks = ''] = cells.map(readCell);
  if (!/^\d{1,20}$/.test(number)) {
    noteBroken(report, `line ${line}`, 'The first cell is no entity number.');
    return null;
  }
  const schema = SCHEMAS.get(type.toLowerCase());
  const draft = createDraft(`ofac-${number}`, schema ?? 'LegalEntity', line, dataset, ['sanction']);
  if (schema === undefined) addFlaw(draft, 'The type is none of OFAC’s; it is taken as a legal entity.');
  addName(draft, 'names', name);
  for (const alias of aliases.get(number) ?? []) addName(draft, 'names', alias);
  readRemarks(draft, remarks);
  addValue(draft, 'countries', flag);
  for (const country of countries.get(number) ?? []) addValue(draft, 'countries', country);
  // `SDGT] [IRGC` and `[SDGT] [IRGC]` both occur.
  for (const id of program.split(/[[\]]/)) addValue(draft, 'programs', id);
  aliases.delete(number);
  countries.delete(number);
  return finishDraft(draft, report);
}

async function readJoined(
  chunks: Chunks | undefined,
  report: LoadReport,
  { file, width, column }: { file: string; width: number; column: number },
): Promise<Joined> {
  const joined: Joined = new Map();
  if (chunks === undefined) return joined;
  let characters = 0;
  const onProblem = (line: number, reason: string) => noteProblem(report, `${file}, line ${line}`, reason);
  const read = ({ line, cells }: CsvRecord): null => {
    const number = readCell(cells[0]!);
    const value = readCell(cells[column]!);
    if (!/^\d{1,20}$/.test(number)) {
      onProblem(line, 'The first cell is no entity number.');
    } else if (characters > MAX_JOINED_CHARACTERS) {
      onProblem(line, 'The file is too large for an OFAC file; the row was left out.');
    } else if (value !== '') {
      characters += value.length + 100;
      const values = joined.get(number);
      if (values === undefined) joined.set(number, [value]);
      else values.push(value);
    }
    return null;
  };
  await drain(readRows(chunks, report, { delimiter: ',', width, read, onProblem }));
  return joined;
}

/** Files of different days are easily mixed up, and nothing else would show it. */
function noteLeftOver(report: LoadReport, file: string, joined: Joined): void {
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
