// The bulk sanctions check.
import type { DatasetList, ScreeningQuery, ScreeningReply } from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import type { RequestFunction } from '../http/request.ts';

export interface ScreenFileOptions extends CallOptions {
  /** Score from 0 to 1 from which a row counts as matched; 0.95 by default. */
  scoreThreshold?: ScreeningQuery['scoreThreshold'] | undefined;
  /**
   * `extended` also reads the columns `name`, `schema`, `country`, `nationality`, `identifier` and `address`; without it they are
   * ignored, and `summary.warnings` names them.
   */
  columns?: ScreeningQuery['columns'] | undefined;
  /** Ends in `.csv`. By default the name of a `File`, otherwise `people.csv`. */
  fileName?: string | undefined;
}

export interface SanctionsClient {
  /**
   * Screens the rows of a CSV file (`id`, `firstname`, `lastname`, `dob`; at most 2,097,152 bytes) against a dataset.
   * A string is the file's text, a `Uint8Array` (a `Buffer` of Node too) its bytes. Nothing is kept, so a lost answer is asked for again.
   */
  screenFile(dataset: string, file: Blob | Uint8Array | string, options?: ScreenFileOptions): Promise<ScreeningReply>;
  /** What can be screened against, with version and size. */
  datasets(options?: CallOptions): Promise<DatasetList>;
}

const BASE = ['v2', 'open-sanctions'] as const;
/** Files wait their turn in the service, and a full one takes a while to be screened. */
const SCREENING_MS = 300_000;

export function createSanctionsClient(request: RequestFunction): SanctionsClient {
  return {
    async screenFile(dataset, file, { scoreThreshold, columns, fileName, signal } = {}) {
      if (typeof dataset !== 'string' || dataset === '') {
        throw new TypeError('dataset must be the name of a list or collection, such as "sanctions"');
      }
      const blob = toBlob(file);
      const form = new FormData();
      form.append('file', blob, fileName ?? nameOf(blob));
      const call = { method: 'POST', path: [...BASE, 'file', dataset], form, isIdempotent: true, signal } as const;
      return request({ ...call, query: { scoreThreshold, columns }, atLeastMs: SCREENING_MS });
    },
    datasets: ({ signal } = {}) => request({ method: 'GET', path: [...BASE, 'datasets'], signal }),
  };
}

/** Checked here because `FormData` quotes what it refuses, and this is personal data. */
function toBlob(file: unknown): Blob {
  if (file instanceof Blob) return file;
  const type = 'text/csv';
  if (typeof file === 'string') return new Blob([file], { type });
  // By its tag, because it may come from another realm; copied, because it may lie on shared memory.
  const isBytes = Object.prototype.toString.call(file) === '[object Uint8Array]';
  if (isBytes) return new Blob([new Uint8Array(file as Uint8Array)], { type });
  throw new TypeError('file must be a Blob, a File, a Uint8Array or a string');
}

/** A `File` has a name; that of a blob that was opened from a disk is empty or missing. */
function nameOf(blob: Blob): string {
  const { name } = blob as Partial<File>;
  return typeof name === 'string' && name !== '' ? name : 'people.csv';
}
