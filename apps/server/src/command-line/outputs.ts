// Where `limen screen` puts what it finds: a table, a CSV file, a JSON file.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { MatchedRow, ScreenedRow } from '@limen/contract';
import { csvCell } from '@limen/contract/csv';
import { cannotWrite, findOutputPlace, type OutputPlace } from './output-place.ts';
import { type Column, printTable, toPrintableLines } from './terminal/print-table.ts';
import type { Terminal } from './terminal/terminal.ts';

/** More than anyone reads on a screen. */
const MAX_TABLE_ROWS = 100;
const MAX_CELL = 60;

export type Output = Awaited<ReturnType<typeof openOutput>>;

/** Where a result goes, known to be writable before the work begins. `-` is standard output. */
export interface Target {
  name: string;
  place: OutputPlace | undefined;
}

export async function findTarget(name: string): Promise<Target> {
  return { name, place: name === '-' ? undefined : await findOutputPlace(name) };
}

/** Every text ends its line. */
export async function openOutput({ name, place }: Target, terminal: Terminal) {
  if (!place) {
    const write = async (text: string) => terminal.print(terminal.isScreen ? toPrintableLines(text) : text);
    return { write, finish: async () => {}, discard: async () => {} };
  }
  const orRefuse = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw cannotWrite(name, error);
    });
  const partial = place.isDirect ? undefined : `${place.path}.${randomBytes(6).toString('hex')}.part`;
  const file = await orRefuse(
    partial === undefined ? open(place.path, constants.O_WRONLY) : open(partial, 'wx', 0o600),
  );
  return {
    write: (text: string) => orRefuse(writeAll(file, Buffer.from(`${text}\n`))),
    /** The file appears under its name only when it is complete; a device or pipe gets everything as it comes. */
    async finish(): Promise<void> {
      await orRefuse(file.close());
      if (partial !== undefined) await orRefuse(rename(partial, place.path));
    },
    async discard(): Promise<void> {
      await file.close().catch(() => {});
      if (partial !== undefined) await rm(partial, { force: true });
    },
  };
}

/** Without a position, which pipes do not have. One call may write less than it was given. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    done += (await file.write(bytes, done, bytes.byteLength - done, null)).bytesWritten;
  }
}

export const CSV_COLUMNS = [
  ...['id', 'firstname', 'lastname', 'dob', 'match', 'score', 'matched_name', 'listed_id', 'listed_caption'],
  ...['datasets', 'name_explanation', 'dob_explanation', 'warning', 'name'],
];

/** One line per row of the file, with the best match of every row that has a score, matched or not. */
export function toCsvLines(results: readonly ScreenedRow[], candidates: readonly MatchedRow[]): string {
  const waiting = [...candidates];
  return results
    .map((row) => {
      // Candidates come in the order of the file, so the next one belongs to the next row with a score.
      const best = row.score > 0 ? waiting.shift()?.matches[0] : undefined;
      const found = best
        ? [
            best.matchedName,
            best.id,
            best.caption,
            best.datasets.join(' '),
            best.explanation.name,
            best.explanation.birthDate,
          ]
        : ['', '', '', '', '', ''];
      const { id, firstname, lastname, dob, match, score, warning = '', name = '' } = row;
      return [id, firstname, lastname, dob, match, score, ...found, warning, name].map(csvCell).join(',');
    })
    .join('\n');
}

export type MatchTable = ReturnType<typeof createMatchTable>;

export function createMatchTable({ print, complain, paint }: Terminal) {
  const rows: string[][] = [];
  let more = 0;
  return {
    add(records: readonly MatchedRow[]): void {
      for (const record of records) {
        const [best] = record.matches;
        if (!best || rows.length >= MAX_TABLE_ROWS) more += 1;
        else rows.push(cellsOf(record, best));
      }
    },
    print(): void {
      if (rows.length === 0) return;
      const columns: Column[] = [
        { heading: 'ID' },
        { heading: 'NAME' },
        { heading: 'BORN' },
        { heading: 'SCORE', align: 'right' },
        { heading: 'LISTED NAME' },
        { heading: 'LISTED ID' },
        { heading: 'WHY' },
      ];
      print(printTable(columns, rows, (text) => paint('bold', text)));
      if (more > 0) complain(`And ${more} more; write all of them with --csv or --json.`);
    },
  };
}

function cellsOf(record: MatchedRow, best: MatchedRow['matches'][number]): string[] {
  const { id, firstname, lastname, dob, score } = record;
  const { matchedName, id: listedId, explanation } = best;
  const why = `${explanation.name}; born: ${explanation.birthDate}`;
  const name = `${firstname} ${lastname}`.trim() || (record.name ?? '');
  return [
    shorten(id),
    shorten(name),
    shorten(dob),
    score.toFixed(3),
    shorten(matchedName),
    shorten(listedId),
    shorten(why),
  ];
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > MAX_CELL ? `${characters.slice(0, MAX_CELL - 1).join('')}…` : text;
}
