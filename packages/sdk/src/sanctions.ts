// The bulk sanctions check (area B).
import type { DatasetList, ScreeningQuery, ScreeningReply } from '@limen/contract';
import type { CallOptions } from './exchange.ts';
import type { RequestFunction } from './request.ts';

export interface ScreenFileOptions extends CallOptions {
  /** Score from 0 to 1 from which a row counts as matched; 0.95 by default. */
  scoreThreshold?: ScreeningQuery['scoreThreshold'] | undefined;
  /** Ends in `.csv`. By default the name of a `File`, otherwise `people.csv`. */
  fileName?: string | undefined;
}

export interface SanctionsClient {
  /**
   * Screens the rows of a CSV file (`id`, `firstname`, `lastname`, `dob`; at most 2,097,152 bytes) against a dataset.
   * A string is the file's text. Nothing is kept, so a lost answer is asked for again.
   */
  screenFile(dataset: string, file: Blob | string, options?: ScreenFileOptions): Promise<ScreeningReply>;
  /** What can be screened against, with version and size. */
  datasets(options?: CallOptions): Promise<DatasetList>;
}

const BASE = ['v2', 'open-sanctions'] as const;

export function createSanctionsClient(request: RequestFunction): SanctionsClient {
  return {
    async screenFile(dataset, file, { scoreThreshold, fileName, signal } = {}) {
      const blob = typeof file === 'string' ? new Blob([file], { type: 'text/csv' }) : file;
      const form = new FormData();
      form.append('file', blob, fileName ?? nameOf(blob));
      const call = { method: 'POST', path: [...BASE, 'file', dataset], form, isRead: true, signal } as const;
      return request({ ...call, query: { scoreThreshold } });
    },
    datasets: ({ signal } = {}) => request({ method: 'GET', path: [...BASE, 'datasets'], signal }),
  };
}

/** A `File` has a name; that of a blob that was opened from a disk is empty or missing. */
function nameOf(blob: Blob): string {
  const { name } = blob as Partial<File>;
  return typeof name === 'string' && name !== '' ? name : 'people.csv';
}
