// A CSV file that somebody sent: what is wrong with it is said to them.
import { AppError } from '../../platform/base/errors.ts';
import { type CsvFile, openCsv } from './file.ts';
import type { ReadColumns } from './layout.ts';
import { CsvError } from './rows.ts';

export async function openSentCsv(bytes: Uint8Array, columns: ReadColumns): Promise<CsvFile> {
  try {
    return await openCsv(bytes, columns);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const details = error.detail === undefined ? [] : [{ path: 'file', message: error.detail }];
    throw new AppError('malformed_request', error.message, details.length > 0 ? { details } : {});
  }
}
