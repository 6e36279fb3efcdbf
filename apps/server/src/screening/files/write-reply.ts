// Writes the reply to a screened file as it is read, from the few bytes per row that were kept.
import type { ScreeningReply } from '@limen/contract';
import { asLine } from '../../platform/http/body/json-text.ts';
import { NUMBERS_PER_HIT, type PieceOutcome, type Task } from '../engine/messages.ts';
import { copyPiece, countBytes, inOrder, type ScreeningPass } from './pass.ts';

/** Rows of the summary per task: each can hold five entities with their aliases. */
const RECORDS_AT_A_TIME = 16;
/** Size of a write to the socket. */
const PART_BYTES = 32 * 1024;

interface Writer extends ScreeningPass {
  /** Emptied as the results are written. */
  outcomes: (PieceOutcome | undefined)[];
}

export interface Head extends Omit<ScreeningReply['summary'], 'matched' | 'warning' | 'warnings'> {
  matched: number;
  warnings: readonly string[];
}

export function presentWarnings(warnings: readonly string[]): { warning?: string; warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warning: warnings[0]!, warnings };
}

export async function* writeReply(writer: Writer, { total, matched, warnings, ...rest }: Head) {
  const { lane, ahead } = writer;
  const encoder = new TextEncoder();
  yield encoder.encode(`{"summary":{"total":${total},"matched":{"count":${matched},"records":[`);
  yield* withCommas(inOrder(recordTasks(writer), ahead, (make) => lane.run(make)));
  const end = JSON.stringify({ ...rest, ...presentWarnings(warnings) });
  yield encoder.encode(`]},${end.slice(1)},"results":[`);
  yield* withCommas(inOrder(resultTasks(writer), ahead, (make) => lane.run(make)));
  yield encoder.encode(asLine(']}'));
}

type RenderTask = () => Task & { kind: 'results' | 'records' };

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
    giveBack(countBytes(outcome));
    const { scores, warned } = outcome;
    yield () => ({ kind: 'results', bytes: copyPiece(file, piece), plan, outcome: { scores, warned } });
  }
}

/** Yields the hits of a few matched rows at a time. */
export function* splitHits({ hits, hitScores }: Pick<PieceOutcome, 'hits' | 'hitScores'>) {
  let from = 0;
  let rows = 0;
  const slice = (end: number) => ({
    hits: hits.slice(from * NUMBERS_PER_HIT, end * NUMBERS_PER_HIT),
    hitScores: hitScores.slice(from, end),
  });
  for (let hit = 0; hit < hitScores.length; hit += 1) {
    if (hit > 0 && hits[hit * NUMBERS_PER_HIT] === hits[(hit - 1) * NUMBERS_PER_HIT]) continue;
    rows += 1;
    if (rows <= RECORDS_AT_A_TIME) continue;
    yield slice(hit);
    from = hit;
    rows = 1;
  }
  if (from < hitScores.length) yield slice(hitScores.length);
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
