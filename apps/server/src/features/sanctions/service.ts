// Screens a file in two passes: the first keeps a few bytes per row, the second writes the reply as it is read.
import { type Dataset, MATCHES_PER_ROW_MAX, type ScreeningReply } from '@limen/contract';
import type { Catalogue, Selection } from './catalogue.ts';
import type { CsvFile, Piece } from './csv-file.ts';
import type { FileRoom, RoomShare } from './file-room.ts';
import { inOrder } from './in-order.ts';
import { effectiveThreshold } from './rules.ts';
import type { Lane, ScreeningPool } from './screening-pool.ts';
import { NUMBERS_PER_HIT, type PieceOutcome, type SearchPlan, type Task } from './worker-messages.ts';

/** Rows of the summary that are written at a time: each can hold five entities with their aliases. */
const RECORDS_AT_A_TIME = 16;
const BYTES_PER_ROW = Float64Array.BYTES_PER_ELEMENT + Uint8Array.BYTES_PER_ELEMENT;
const BYTES_PER_HIT = NUMBERS_PER_HIT * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;
/** Small parts are sent together: each part is a write to the socket. */
const PART_BYTES = 32 * 1024;
/** Objects around one piece and its outcome. */
const BYTES_PER_PIECE = 1024;

export interface ScreeningOrder {
  dataset: string;
  threshold: number;
  file: CsvFile;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
}

/** Screened and ready to be written; whoever holds it calls `close` when the reply is out or given up. */
export interface Screened {
  total: number;
  matched: number;
  /** Pieces of the reply's JSON; the next is made when this one has been taken. */
  reply(): AsyncGenerator<Uint8Array>;
  close(): void;
}

export interface Sanctions {
  screen(order: ScreeningOrder): Promise<Screened>;
  datasets(): Dataset[];
  readonly rowsScreened: number;
  readonly filesScreened: number;
}

interface SanctionsOptions {
  catalogue: Catalogue;
  pool: ScreeningPool;
  room: FileRoom;
}

export function createSanctions({ catalogue, pool, room }: SanctionsOptions): Sanctions {
  let rowsScreened = 0;
  let filesScreened = 0;

  return {
    get rowsScreened() {
      return rowsScreened;
    },
    get filesScreened() {
      return filesScreened;
    },
    datasets: () => catalogue.describe(),

    async screen({ dataset, threshold, file, signal }) {
      const selection = await catalogue.select(dataset);
      let share: RoomShare | undefined;
      let lane: Lane | undefined;
      const close = () => {
        lane?.close();
        share?.leave();
        selection.release();
      };
      try {
        share = await room.enter(mostBytes(file), signal);
        lane = pool.openLane(selection.editions);
        signal.addEventListener('abort', lane.close, { once: true });
        signal.throwIfAborted();
        const plan = planOf(selection, file, threshold);
        const outcomes = await screenPieces(lane, pool.size * 2, file, plan);
        share.shrinkTo(file.bytes.length + outcomes.reduce((sum, outcome) => sum + bytesOf(outcome), 0));
        const matched = outcomes.reduce((sum, outcome) => sum + outcome.matched, 0);
        rowsScreened += file.rows;
        filesScreened += 1;
        const { version: datasetVersion, warning } = selection;
        const head: Head = { total: file.rows, matched, dataset, datasetVersion, scoreThreshold: threshold, warning };
        const writer = { lane, ahead: pool.size + 1, file, plan, outcomes };
        return { total: file.rows, matched, reply: () => inLargerParts(writeReply(writer, head)), close };
      } catch (error) {
        close();
        throw error;
      }
    },
  };
}

export function planOf(
  { editions, topic }: Selection,
  { layout }: Pick<CsvFile, 'layout'>,
  threshold: number,
): SearchPlan {
  return {
    editions: editions.map(({ id }) => id),
    topic,
    threshold: effectiveThreshold(threshold),
    limit: MATCHES_PER_ROW_MAX,
    layout,
  };
}

async function screenPieces(lane: Lane, ahead: number, file: CsvFile, plan: SearchPlan): Promise<PieceOutcome[]> {
  const outcomes: PieceOutcome[] = [];
  const screenPiece = (piece: Piece) => lane.run(() => ({ kind: 'screen' as const, bytes: copy(file, piece), plan }));
  for await (const outcome of inOrder(file.pieces, ahead, screenPiece)) outcomes.push(outcome);
  return outcomes;
}

interface Writer {
  lane: Lane;
  ahead: number;
  file: CsvFile;
  plan: SearchPlan;
  outcomes: readonly PieceOutcome[];
}

interface Head extends Omit<ScreeningReply['summary'], 'matched' | 'warning'> {
  matched: number;
  warning: string | undefined;
}

async function* writeReply(writer: Writer, { total, matched, ...rest }: Head): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`{"summary":{"total":${total},"matched":{"count":${matched},"records":[`);
  yield* withCommas(writePieces(writer, recordTasks(writer)));
  // What is not there stays out, and the braces are ours.
  yield encoder.encode(`]},${JSON.stringify(rest).slice(1)},"results":[`);
  yield* withCommas(writePieces(writer, resultTasks(writer)));
  yield encoder.encode(']}');
}

type RenderTask = () => Task & { kind: 'results' | 'records' };

function writePieces({ lane, ahead }: Writer, tasks: Iterable<RenderTask>): AsyncGenerator<Uint8Array> {
  return inOrder(tasks, ahead, (make) => lane.run(make));
}

function* recordTasks({ file, plan, outcomes }: Writer): Generator<RenderTask> {
  for (const [index, piece] of file.pieces.entries()) {
    const outcome = outcomes[index];
    if (!outcome) continue;
    for (const part of splitHits(outcome)) {
      yield () => ({ kind: 'records', bytes: copy(file, piece), plan, outcome: part });
    }
  }
}

function* resultTasks({ file, plan, outcomes }: Writer): Generator<RenderTask> {
  for (const [index, piece] of file.pieces.entries()) {
    const outcome = outcomes[index];
    if (!outcome) continue;
    const { scores, warned } = outcome;
    yield () => ({ kind: 'results', bytes: copy(file, piece), plan, outcome: { scores, warned } });
  }
}

/** A few matched rows at a time, with their hits. */
export function* splitHits({ hits, hitScores }: Pick<PieceOutcome, 'hits' | 'hitScores'>) {
  let from = 0;
  let rows = 0;
  for (let hit = 0; hit < hitScores.length; hit += 1) {
    const isNewRow = hit === 0 || hits[hit * NUMBERS_PER_HIT] !== hits[(hit - 1) * NUMBERS_PER_HIT];
    if (isNewRow && rows === RECORDS_AT_A_TIME) {
      yield { hits: hits.slice(from * NUMBERS_PER_HIT, hit * NUMBERS_PER_HIT), hitScores: hitScores.slice(from, hit) };
      from = hit;
      rows = 0;
    }
    if (isNewRow) rows += 1;
  }
  if (from < hitScores.length) yield { hits: hits.slice(from * NUMBERS_PER_HIT), hitScores: hitScores.slice(from) };
}

async function* withCommas(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const comma = Uint8Array.of(0x2c);
  let first = true;
  for await (const part of parts) {
    if (!first) yield comma;
    first = false;
    yield part;
  }
}

async function* inLargerParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    gathered.push(part);
    bytes += part.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(gathered);
}

/** The copy goes to the worker; the file's own bytes stay for the next pass. */
function copy({ bytes }: CsvFile, { start, end }: Piece): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}

/** What the first pass takes at most: every row with as many hits as are kept. */
function mostBytes({ bytes, rows, pieces }: CsvFile): number {
  return bytes.length + pieces.length * BYTES_PER_PIECE + rows * (BYTES_PER_ROW + MATCHES_PER_ROW_MAX * BYTES_PER_HIT);
}

function bytesOf({ scores, hitScores }: PieceOutcome): number {
  return BYTES_PER_PIECE + scores.length * BYTES_PER_ROW + hitScores.length * BYTES_PER_HIT;
}
