// Writes the reply to a screened file as it is read, out of the few bytes per row that were kept.
import type { ScreeningReply } from '@limen/contract';
import { asLine } from '../../platform/http/body/json-text.ts';
import { NUMBERS_PER_HIT, type PieceOutcome, type Task } from '../engine/messages.ts';
import { bytesOf, copyPiece, inOrder, type Pass } from './pass.ts';

/** Rows of the summary that are written at a time: each can hold five entities with their aliases. */
const RECORDS_AT_A_TIME = 16;
/** Small parts are sent together: each part is a write to the socket. */
const PART_BYTES = 32 * 1024;
interface Writer extends Pass {
  /** Emptied by the last pass over them. */
  outcomes: (PieceOutcome | undefined)[];
}

export interface Head extends Omit<ScreeningReply['summary'], 'matched' | 'warning' | 'warnings'> {
  matched: number;
  warnings: readonly string[];
}

/** The members of a summary that tell its warnings; absent where there is none. */
export function presentWarnings(warnings: readonly string[]): { warning?: string; warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warning: warnings[0]!, warnings };
}

export async function* writeReply(
  writer: Writer,
  { total, matched, warnings, ...rest }: Head,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`{"summary":{"total":${total},"matched":{"count":${matched},"records":[`);
  yield* withCommas(writePieces(writer, recordTasks(writer)));
  // The braces are ours.
  const end = JSON.stringify({ ...rest, ...presentWarnings(warnings) });
  yield encoder.encode(`]},${end.slice(1)},"results":[`);
  yield* withCommas(writePieces(writer, resultTasks(writer)));
  yield encoder.encode(asLine(']}'));
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
      const { warned } = outcome;
      yield () => ({ kind: 'records', bytes: copyPiece(file, piece), plan, outcome: { ...part, warned } });
    }
  }
}

function* resultTasks({ file, plan, outcomes, giveBack }: Writer): Generator<RenderTask> {
  for (const [index, piece] of file.pieces.entries()) {
    const outcome = outcomes[index];
    if (!outcome) continue;
    outcomes[index] = undefined;
    giveBack(bytesOf(outcome));
    const { scores, warned } = outcome;
    yield () => ({ kind: 'results', bytes: copyPiece(file, piece), plan, outcome: { scores, warned } });
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

export async function* inLargerParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
