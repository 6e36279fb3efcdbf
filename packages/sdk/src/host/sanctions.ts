// Sanctions screening of files.
import type { DatasetList, ScreeningQuery, ScreeningReply } from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import type { RequestFunction } from '../http/request.ts';

export interface ScreenFileOptions extends CallOptions {
  /** Minimum score of a match, from 0 to 1. Default: 0.95. */
  scoreThreshold?: ScreeningQuery['scoreThreshold'] | undefined;
  /**
   * `extended` also reads the columns `name`, `schema`, `country`, `nationality`, `identifier` and
   * `address`. By default they are ignored, and `summary.warnings` names them.
   */
  columns?: ScreeningQuery['columns'] | undefined;
  /** File name, ending in `.csv`. Default: the name of a `File`, otherwise `people.csv`. */
  fileName?: string | undefined;
}

export interface SanctionsClient {
  /**
   * Screens the rows of a CSV file (`id`, `firstname`, `lastname`, `dob`; at most 2,097,152 bytes)
   * against a dataset. Takes the text as a string, or the bytes as a `Uint8Array` or Node `Buffer`.
   * Stores nothing, so a lost reply is retried.
   */
  screenFile(dataset: string, file: Blob | Uint8Array | string, options?: ScreenFileOptions): Promise<ScreeningReply>;
  /** Lists the datasets with version and size. */
  datasets(options?: CallOptions): Promise<DatasetList>;
}

const BASE = ['v2', 'open-sanctions'] as const;
/** Files are queued in the service, and screening a large one takes a while. */
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

/** Checked here, because `FormData` quotes rejected values, and these are personal data. */
function toBlob(file: unknown): Blob {
  if (file instanceof Blob) return file;
  const type = 'text/csv';
  if (typeof file === 'string') return new Blob([file], { type });
  // Checked by tag, because it may come from another realm. Copied, because it may use shared
  // memory.
  const isBytes = Object.prototype.toString.call(file) === '[object Uint8Array]';
  if (isBytes) return new Blob([new Uint8Array(file as Uint8Array)], { type });
  throw new TypeError('file must be a Blob, a File, a Uint8Array or a string');
}

/** A `File` has a name. The name of a blob opened from disk is empty or missing. */
function nameOf(blob: Blob): string {
  const { name } = blob as Partial<File>;
  return typeof name === 'string' && name !== '' ? name : 'people.csv';
}
