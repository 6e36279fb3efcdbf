// Screens a file in two passes: one keeps a few bytes per row, the other writes the reply as it is read.
import { type Dataset, MATCHES_PER_ROW_MAX } from '@limen/contract';
import type { Slot } from '../../platform/async/limiter.ts';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import type { CsvFile, CsvPiece } from '../csv/file.ts';
import type { PieceOutcome, SearchPlan } from '../engine/messages.ts';
import type { Lane, ScreeningPool } from '../engine/pool.ts';
import type { Catalogue, Selection } from '../lists/catalogue/catalogue.ts';
import { effectiveThreshold } from '../match/threshold.ts';
import { copyPiece, countBytes, estimateBytes, inOrder, mostBytes, type ScreeningPass, screenPiece } from './pass.ts';
import type { FileMemory } from './room.ts';
import { type Head, inLargerParts, writeReply } from './write-reply.ts';

interface ScreeningOrder {
  dataset: string;
  threshold: number;
  file: CsvFile;
  owner: WorkOwner;
  signal: AbortSignal;
  onProgress?: (rows: number) => void;
}

type ScreeningParts = { catalogue: Catalogue; pool: ScreeningPool; room: Pick<FileMemory, 'enter'> };
export type ScreenedFile = Awaited<ReturnType<Sanctions['screen']>>;

export class Sanctions {
  readonly #parts: ScreeningParts;
  rowsScreened = 0;
  filesScreened = 0;

  constructor(parts: ScreeningParts) {
    this.#parts = parts;
  }

  datasets(): Dataset[] {
    return this.#parts.catalogue.describe();
  }

  /** Returns a screened file. `reply` yields the JSON once, piece by piece. Callers must call `close` at the end. */
  async screen({ dataset, threshold, file, owner, signal, onProgress }: ScreeningOrder) {
    const { catalogue, room, pool } = this.#parts;
    const selection = await catalogue.select(dataset);
    let slot: Slot | undefined;
    let lane: Lane | undefined;
    const close = () => {
      lane?.close();
      slot?.release();
      selection.release();
    };
    try {
      slot = await room.enter(mostBytes(file), owner, signal);
      const { shrink: giveBack } = slot;
      lane = pool.openLane(selection.editions, owner);
      signal.addEventListener('abort', lane.close, { once: true });
      signal.throwIfAborted();
      const plan = planSearch(selection, file, threshold);
      const outcomes = await screenPieces({ lane, ahead: pool.size * 2, file, plan, giveBack }, onProgress);
      const matched = outcomes.reduce((sum, outcome) => sum + outcome.matched, 0);
      this.rowsScreened += file.rows;
      this.filesScreened += 1;
      const { version: datasetVersion, warning } = selection;
      const warnings = [...(warning === undefined ? [] : [warning]), ...file.warnings];
      const head: Head = { total: file.rows, matched, dataset, datasetVersion, scoreThreshold: threshold, warnings };
      const writer = { lane, ahead: pool.size + 1, file, plan, outcomes, giveBack };
      return { total: file.rows, matched, reply: () => inLargerParts(writeReply(writer, head)), close };
    } catch (error) {
      close();
      throw error;
    }
  }
}

export function planSearch(selection: Selection, { layout }: Pick<CsvFile, 'layout'>, threshold: number): SearchPlan {
  const editions = selection.editions.map(({ id }) => id);
  const limits = { threshold: effectiveThreshold(threshold), limit: MATCHES_PER_ROW_MAX };
  return { editions, topic: selection.topic, ...limits, layout };
}

async function screenPieces(
  { lane, ahead, file, plan, giveBack }: ScreeningPass,
  onProgress: ScreeningOrder['onProgress'],
) {
  const outcomes: PieceOutcome[] = [];
  let rows = 0;
  const screenOne = (piece: CsvPiece) =>
    screenPiece(lane, { rows: piece.rows, copy: () => copyPiece(file, piece), plan });
  for await (const outcome of inOrder(file.pieces, ahead, screenOne)) {
    outcomes.push(outcome);
    giveBack(estimateBytes(outcome.scores.length) - countBytes(outcome));
    rows += outcome.scores.length;
    onProgress?.(rows);
  }
  return outcomes;
}
