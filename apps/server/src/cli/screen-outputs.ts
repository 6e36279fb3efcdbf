// Where `limen screen` puts what it finds: a table, a CSV file, a JSON file.
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { MatchedRow, ScreenedRow } from '@limen/contract';
import { type Column, printTable } from './print-table.ts';
import type { Terminal } from './terminal.ts';

/** More than anyone reads on a screen. */
const MAX_TABLE_ROWS = 100;
const MAX_CELL = 60;

export interface Output {
  write(text: string): Promise<void>;
  /** The file appears under its name only when it is complete. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** `-` is standard output, where every text ends its line. */
export function openOutput(target: string, terminal: Terminal): Output {
  if (target === '-') {
    return { write: async (text) => terminal.print(text), finish: async () => {}, discard: async () => {} };
  }
  const partial = `${target}.part`;
  const stream: WriteStream = createWriteStream(partial, { mode: 0o600 });
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  return {
    async write(text) {
      if (failure) throw failure;
      if (!stream.write(`${text}\n`)) await drained(stream);
      if (failure) throw failure;
    },
    async finish() {
      stream.end();
      await finished(stream);
      await rename(partial, target);
    },
    async discard() {
      stream.destroy();
      await rm(partial, { force: true });
    },
  };
}

function drained(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('drain', resolve).once('close', resolve);
  });
}

export const CSV_COLUMNS = [
  ...['id', 'firstname', 'lastname', 'dob', 'match', 'score', 'matched_name', 'listed_id', 'listed_caption'],
  ...['datasets', 'name_explanation', 'dob_explanation', 'warning'],
];

/** One line per row of the file, with the best match where there is one. */
export function toCsvLines(results: readonly ScreenedRow[], records: readonly MatchedRow[]): string {
  const waiting = [...records];
  return results
    .map((row) => {
      // Matched rows come in the order of the file, so the next one belongs to the next row that matched.
      const best = row.match === 'true' ? waiting.shift()?.matches[0] : undefined;
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
      const { id, firstname, lastname, dob, match, score, warning = '' } = row;
      return [id, firstname, lastname, dob, match, String(score), ...found, warning].map(quoteCell).join(',');
    })
    .join('\n');
}

function quoteCell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export interface MatchTable {
  add(records: readonly MatchedRow[]): void;
  print(): void;
}

export function createMatchTable({ print, complain, paint }: Terminal): MatchTable {
  const rows: string[][] = [];
  let more = 0;
  return {
    add(records) {
      for (const record of records) {
        const [best] = record.matches;
        if (!best || rows.length >= MAX_TABLE_ROWS) more += 1;
        else rows.push(cellsOf(record, best));
      }
    },
    print() {
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

function cellsOf({ id, firstname, lastname, dob, score }: MatchedRow, best: MatchedRow['matches'][number]): string[] {
  const { matchedName, id: listedId, explanation } = best;
  const why = `${explanation.name}; born: ${explanation.birthDate}`;
  const name = `${firstname} ${lastname}`.trim();
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
