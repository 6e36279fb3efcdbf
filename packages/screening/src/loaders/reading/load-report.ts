// Counts what a load read, kept and could not use, so that callers can judge the list.
import { MAX_IDENTIFIERS, MAX_VALUES } from '../../entity.ts';
import type { Chunks } from './read-blocks.ts';

/** Maximum size of a record. Limits the memory that a file without line breaks can use. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** Maximum number of reported problems, a few megabytes at most. */
const MAX_NAMED_PROBLEMS = 10_000;

export interface LoadProblem {
  /** `line 12` or `record ofac-36 (line 12)`. */
  where: string;
  reason: string;
}

export interface LoadReport {
  /** Number of rows, JSON lines or XML records read, usable or not. */
  records: number;
  entities: number;
  /** Number of unused records: broken, or of a kind that is not screened. */
  skipped: number;
  /** Number of skipped records that should have been entities: broken, or incomplete. */
  leftOut: number;
  problemCount: number;
  /** First 10,000 problems. */
  problems: LoadProblem[];
  version?: string;
  bytes: number;
  /** Set if a file ends within a record or before its end mark. */
  truncated?: true;
}

export function createLoadReport(): LoadReport {
  return { records: 0, entities: 0, skipped: 0, leftOut: 0, problemCount: 0, problems: [], bytes: 0 };
}

export function noteProblem(report: LoadReport, where: string, reason: string): void {
  report.problemCount++;
  if (report.problems.length < MAX_NAMED_PROBLEMS) report.problems.push({ where, reason });
}

/** Passes a source through and records how it ended. */
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
    /** Returns the last bytes, up to a limit. */
    tail: (): Buffer => tail,
    /** Returns whether the last line is terminated. */
    endsLine: (): boolean => tail.length === 0 || tail.at(-1) === 0x0a,
  };
}

/** Reports repetitions once per list, because a careless list has thousands. */
export function noteRepeated(report: LoadReport, records: number): void {
  if (records === 0) return;
  report.entities -= records;
  noteProblem(report, 'the list', `Records whose id was there before: ${records}; each was merged with the first.`);
}

/** Reports merged entities that only became too large in the merge. */
export function noteCut(report: LoadReport, ids: readonly string[]): void {
  const reason = `Its records together have more than ${MAX_VALUES} values of a kind, or ${MAX_IDENTIFIERS} identifiers; the later ones were left out.`;
  for (const id of ids) noteProblem(report, `record ${id}`, reason);
}

/** Reports a record that was not used at all. */
export function noteBroken(report: LoadReport, where: string, reason: string): void {
  report.skipped++;
  report.leftOut++;
  noteProblem(report, where, reason);
}

export function describeRecord(id: string, line: number): string {
  return id === '' ? `line ${line}` : `record ${id} (line ${line})`;
}
