// Reads subjects from a stream of NDJSON or CSV, one at a time, in bounded memory.
import { AppError } from '../../../platform/base/errors.ts';
import { readLines } from '../../../platform/files/lines.ts';
import { parseJson } from '../../../platform/http/body/json.ts';
import { CsvError, RowScanner, splitRow } from '../../csv/rows.ts';
import { MAX_IMPORT_RECORD_BYTES } from '../../limits.ts';
import { describeUnknown, readColumns, readRow } from './csv-columns.ts';

export type ImportFormat = 'ndjson' | 'csv';

export interface ImportRecord {
  /** Last line, counted from 1. */
  line: number;
  /** Bytes of the stream up to its end, or a little more. */
  end: number;
  /** Unchecked value, if the record can be read. */
  value?: unknown;
  problem?: string;
  isBlank?: true;
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** Bytes of rows that are read at a time, so that other requests get a turn. */
const PIECE_BYTES = 16 * 1024;

/** Throws CsvError if a CSV file cannot be read on. `warn` gets a sentence about columns that are not read. */
export function readRecords(chunks: AsyncIterable<Buffer>, format: ImportFormat, warn: (sentence: string) => void) {
  return format === 'ndjson' ? readNdjson(chunks) : readCsv(chunks, warn);
}

async function* readNdjson(chunks: AsyncIterable<Buffer>): AsyncGenerator<ImportRecord> {
  for await (const { number: line, bytes, end } of readLines(chunks, MAX_IMPORT_RECORD_BYTES)) {
    if (bytes === undefined) {
      yield { line, end, problem: `has more than ${MAX_IMPORT_RECORD_BYTES} bytes` };
      continue;
    }
    if (decode(bytes)?.trim() === '') {
      yield { line, end, isBlank: true };
      continue;
    }
    try {
      yield { line, end, value: parseJson(bytes) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      yield { line, end, problem: error.message.replace(/^The body /, '').replace(/\.$/, '') };
    }
  }
}

async function* readCsv(chunks: AsyncIterable<Buffer>, warn: (sentence: string) => void) {
  let bytes: Buffer = Buffer.alloc(0);
  /** Position of the first buffered byte. */
  let base = 0;
  let found: ImportRecord[] = [];
  let columns: ReturnType<typeof readColumns> | undefined;
  let scanner: RowScanner | undefined;

  const startScanner = () => {
    if (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
    const delimiter = findDelimiter(bytes);
    const started = new RowScanner(delimiter, (start, end) => {
      const text = decode(bytes.subarray(start - base, end - base));
      const cells = text === undefined ? undefined : splitRow(text, delimiter);
      if (columns) {
        const read = cells ? readRow(cells, columns) : { problem: 'is not in UTF-8' };
        found.push({ line: started.line, end, ...read });
      } else {
        if (!cells) throw new CsvError('The header row is not in UTF-8.');
        columns = readColumns(cells);
        const sentence = describeUnknown(cells);
        if (sentence !== undefined) warn(sentence);
      }
      bytes = bytes.subarray(end - base);
      base = end;
    });
    started.scan(bytes);
    return started;
  };

  for await (const chunk of inPieces(chunks)) {
    bytes = Buffer.concat([bytes, chunk]);
    if (scanner) scanner.scan(chunk);
    else if (bytes.includes(0x0a) || bytes.length >= MAX_IMPORT_RECORD_BYTES) scanner = startScanner();
    else continue;
    yield* take();
    if (bytes.length > MAX_IMPORT_RECORD_BYTES) {
      throw new CsvError(`The row in line ${scanner.line} has more than ${MAX_IMPORT_RECORD_BYTES} bytes.`);
    }
  }
  scanner ??= startScanner();
  scanner.finish();
  yield* take();
  if (!columns) throw new CsvError('There is no header row.');

  function* take() {
    const taken = found;
    found = [];
    yield* taken;
  }
}

async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
  }
}

/** Returns the most frequent delimiter of the header row. */
function findDelimiter(head: Buffer): number {
  const end = head.indexOf(0x0a);
  const row = head.subarray(0, end < 0 ? head.length : end);
  const count = (delimiter: number) => row.filter((byte) => byte === delimiter).length;
  return [0x2c, 0x3b, 0x09].reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
