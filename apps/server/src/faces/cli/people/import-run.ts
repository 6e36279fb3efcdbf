// Takes the lines of an import through enrolment, a bounded number at a time, and counts what became of them.

import { setTimeout as wait } from 'node:timers/promises';
import type { Owner } from '../../../platform/api-keys/owner.ts';
import { isUnavailable } from '../../../platform/base/database-failures.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { readLines } from '../../../platform/files/lines.ts';
import type { People } from '../../galleries/people.ts';
import { ENROL_ATTEMPTS, MAX_IMPORT_LINE_BYTES, MAX_IMPORT_PROBLEMS, restAfterAttemptMs } from '../../limits.ts';
import { type ImportRow, readRow } from './import-row.ts';

/**
 * Enrolments under way together. On SQLite 8 commits share an fsync, and 32 are no faster; on PostgreSQL the writers of a
 * gallery take turns, and with 32 each is compared with more that commit meanwhile: half as much processor time again.
 */
const MAX_IN_FLIGHT = 8;
/** An enrolment compares itself with those that commit meanwhile, and looks anew when they are more than 256. */
const MAX_EMBEDDINGS_IN_FLIGHT = 128;

export type PersonRow = Extract<ImportRow, { kind: 'person' }>;

export interface ImportCounts {
  added: number;
  /** Enrolled before, or by an earlier line. */
  known: number;
  unusable: number;
  broken: number;
  /** Bytes that were read. */
  bytes: number;
  problems: { line: number; reason: string }[];
}

interface ImportRun {
  input: AsyncIterable<Buffer>;
  defaultVersion: string;
  /** True when the person is new. */
  enrol: (row: PersonRow) => Promise<boolean>;
  /** Ends it after what is in flight. */
  signal: AbortSignal;
  /** Kept up to date while it runs. */
  counts: ImportCounts;
}

export function noCounts(): ImportCounts {
  return { added: 0, known: 0, unusable: 0, broken: 0, bytes: 0, problems: [] };
}

export function countRows({ added, known, unusable, broken }: ImportCounts): number {
  return added + known + unusable + broken;
}

/** Throws what stopped it, once nothing is in flight any more; an abort is not thrown. */
export async function runImport({ input, defaultVersion, enrol, signal, counts }: ImportRun): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  let embeddingsInFlight = 0;
  let failure: { error: unknown } | undefined;

  const isRoomFor = (row: PersonRow) =>
    inFlight.size === 0 ||
    (inFlight.size < MAX_IN_FLIGHT && embeddingsInFlight + row.vectors.length <= MAX_EMBEDDINGS_IN_FLIGHT);
  const begin = (row: PersonRow) => {
    embeddingsInFlight += row.vectors.length;
    const task = enrol(row)
      .then((isNew) => {
        counts[isNew ? 'added' : 'known'] += 1;
      })
      .catch((error) => {
        failure ??= { error };
      })
      .finally(() => {
        embeddingsInFlight -= row.vectors.length;
        inFlight.delete(task);
      });
    inFlight.add(task);
  };

  try {
    for await (const line of readLines(input, MAX_IMPORT_LINE_BYTES)) {
      const row = readRow(line, defaultVersion);
      counts.bytes = line.end;
      if (row.kind === 'person') {
        while (!isRoomFor(row)) await Promise.race(inFlight);
        if (failure || signal.aborted) break;
        begin(row);
      } else if (row.kind !== 'empty') {
        counts[row.kind] += 1;
        if (counts.problems.length < MAX_IMPORT_PROBLEMS)
          counts.problems.push({ line: line.number, reason: row.reason });
      }
    }
  } catch (error) {
    // Aborting destroys the input, which is then no failure.
    if (!signal.aborted) failure ??= { error };
  }
  await Promise.all(inFlight);
  if (failure) throw failure.error;
}

/** True when the person is new. */
export async function enrolRow(people: People, owner: Owner, row: PersonRow): Promise<boolean> {
  const { vectors, modelVersion, identifier } = row;
  const identifierDigest = identifier === undefined ? undefined : people.digestIdentifier(owner, identifier);
  for (let attempt = 1; ; attempt++) {
    try {
      return (await people.enrol({ owner, modelVersion, vectors, identifierDigest })).isNew;
    } catch (error) {
      const mayPass = isUnavailable(error) || (error instanceof AppError && error.code === 'unavailable');
      if (!mayPass || attempt === ENROL_ATTEMPTS) throw error;
      await wait(restAfterAttemptMs(attempt));
    }
  }
}
