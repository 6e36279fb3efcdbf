// Counts what a load read, kept and could not use, so that a caller can judge a list before it trusts it.
import { MAX_IDENTIFIERS, MAX_VALUES } from '../../entity.ts';
import type { Chunks } from './read-blocks.ts';

/** What one record may take: more is no list entry, and would let a file without line ends fill the memory. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** More than anybody reads, and a few megabytes at most. */
const MAX_NAMED_PROBLEMS = 10_000;

export interface LoadProblem {
  /** `line 12` or `record ofac-36 (line 12)`. */
  where: string;
  reason: string;
}

export interface LoadReport {
  /** Rows, JSON lines or XML records read, usable or not. */
  records: number;
  entities: number;
  /** Records of which nothing was used: broken, or of a kind that is not screened. */
  skipped: number;
  /** Of the skipped ones those that should have been entities: broken, or without what an entity needs. */
  leftOut: number;
  problemCount: number;
  /** The first 10,000. */
  problems: LoadProblem[];
  version?: string;
  bytes: number;
  /** A file ends in the middle of a record or before its own end mark: what came after it is not known. */
  truncated?: true;
}

export function createLoadReport(): LoadReport {
  return { records: 0, entities: 0, skipped: 0, leftOut: 0, problemCount: 0, problems: [], bytes: 0 };
}

export function noteProblem(report: LoadReport, where: string, reason: string): void {
  report.problemCount++;
  if (report.problems.length < MAX_NAMED_PROBLEMS) report.problems.push({ where, reason });
}

/** Passes a source on and remembers how it ended. */
export function watchEnd(chunks: Chunks, tailBytes = 1) {
  let tail = Buffer.alloc(0);
  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      const last = chunk.subarray(Math.max(0, chunk.byteLength - tailBytes));
      tail = Buffer.concat([tail, last]).subarray(-tailBytes);
      yield chunk;
    }
  }
  return {
    chunks: pass(),
    /** The last bytes that were read, up to a limit. */
    tail: (): Buffer => tail,
    /** Whether the last line has its line end. */
    endsLine: (): boolean => tail.length === 0 || tail.at(-1) === 0x0a,
  };
}

/** Said once for the whole list: a careless one repeats thousands. */
export function noteRepeated(report: LoadReport, records: number): void {
  if (records === 0) return;
  report.entities -= records;
  noteProblem(report, 'the list', `Records whose id was there before: ${records}; each was merged with the first.`);
}

/** Of merged entities that no record by itself made too large. */
export function noteCut(report: LoadReport, ids: readonly string[]): void {
  const reason = `Its records together have more than ${MAX_VALUES} values of a kind, or ${MAX_IDENTIFIERS} identifiers; the later ones were left out.`;
  for (const id of ids) noteProblem(report, `record ${id}`, reason);
}

/** For a record of which nothing is used. */
export function noteBroken(report: LoadReport, where: string, reason: string): void {
  report.skipped++;
  report.leftOut++;
  noteProblem(report, where, reason);
}

export function describeRecord(id: string, line: number): string {
  return id === '' ? `line ${line}` : `record ${id} (line ${line})`;
}
