// Screens a CSV file of any size from disk, a slice at a time.
import type { FileHandle } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { type CsvPiece, createPieceCutter } from '../csv/file.ts';
import { type CsvHead, readLayout } from '../csv/layout.ts';
import { CsvError } from '../csv/rows.ts';
import type { PieceOutcome, SearchPlan } from '../engine/messages.ts';
import type { Lane, ScreeningPool } from '../engine/pool.ts';
import { MAX_HEADER_BYTES, MAX_ROW_BYTES } from '../limits.ts';
import type { Selection } from '../lists/catalogue/catalogue.ts';
import { inOrder, screenPiece } from './pass.ts';
import { planSearch } from './screen.ts';

const SLICE_BYTES = 1024 * 1024;

export type LargeFile = Awaited<ReturnType<typeof openLargeFile>>;

interface LargeFileOptions {
  handle: FileHandle;
  selection: Selection;
  threshold: number;
  /** Whether the optional columns are read. */
  extended: boolean;
  pool: ScreeningPool;
  lane: Lane;
}

/** Throws CsvError, now or while the pieces are read. */
export async function openLargeFile({ handle, selection, threshold, extended, pool, lane }: LargeFileOptions) {
  const head = readLayout(await readAt(handle, 0, MAX_HEADER_BYTES + 4), { extended });
  const plan = planSearch(selection, head, threshold);
  const matched: { piece: CsvPiece; outcome: MatchedOutcome }[] = [];

  /** Returns the outcome, JSON of the rows and of the matched rows, both comma-separated, and the end of the piece. */
  async function screenCut({ piece, bytes }: CutPiece, withResults: boolean) {
    const outcome = await screenPiece(lane, { rows: piece.rows, copy: () => bytes.slice(), plan });
    const { scores, warned, hits, hitScores } = outcome;
    const results = withResults
      ? await lane.run(() => ({ kind: 'results' as const, bytes: bytes.slice(), plan, outcome: { scores, warned } }))
      : undefined;
    const { end } = piece;
    if (outcome.matched === 0) return { outcome, results, records: new Uint8Array(), end };
    matched.push({ piece, outcome: { hits, hitScores, warned } });
    return { outcome, results, records: await renderRecords(lane, bytes, plan, outcome), end };
  }

  return {
    /** Warnings about the header row. */
    warnings: head.warnings,
    /** In the order of the file. */
    pieces: (withResults: boolean) =>
      inOrder(cutFile(handle, head), pool.size * 2, (cut) => screenCut(cut, withResults)),
    /** Renders the matched rows once more. Only their places and hits were kept. */
    async *records(): AsyncGenerator<Uint8Array> {
      for (const { piece, outcome } of matched.toSorted((a, b) => a.piece.start - b.piece.start)) {
        yield await renderRecords(lane, await readAt(handle, piece.start, piece.end - piece.start), plan, outcome);
      }
    },
  };
}

type MatchedOutcome = Pick<PieceOutcome, 'hits' | 'hitScores' | 'warned'>;

function renderRecords(lane: Lane, bytes: Uint8Array, plan: SearchPlan, outcome: MatchedOutcome): Promise<Uint8Array> {
  const { hits, hitScores, warned } = outcome;
  const kept = { hits, hitScores, warned };
  return lane.run(() => ({ kind: 'records' as const, bytes: new Uint8Array(bytes), plan, outcome: kept }));
}

type CutPiece = { piece: CsvPiece; bytes: Uint8Array };

async function* cutFile(handle: FileHandle, { layout, start, line }: CsvHead): AsyncGenerator<CutPiece> {
  const cutter = createPieceCutter(layout.delimiter, start, line);
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let open = new Uint8Array(); // not yet part of a complete piece
  let openStart = start;
  for (let position = start; ; position += SLICE_BYTES) {
    const slice = await readAt(handle, position, SLICE_BYTES);
    const isLast = slice.length < SLICE_BYTES;
    try {
      utf8.decode(slice, { stream: !isLast });
    } catch {
      throw new CsvError('The file is not valid UTF-8; save it as CSV in UTF-8.');
    }
    cutter.scan(slice);
    if (isLast) cutter.finish();
    open = Buffer.concat([open, slice]);
    for (const piece of cutter.take()) {
      yield { piece, bytes: new Uint8Array(open.subarray(piece.start - openStart, piece.end - openStart)) };
      open = open.subarray(piece.end - openStart);
      openStart = piece.end;
    }
    if (isLast) return;
    if (open.length > MAX_ROW_BYTES)
      throw new CsvError(`A row is longer than ${MAX_ROW_BYTES / 2 ** 20} MiB; is a quote never closed?`);
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
