// Finds a CSV file's optional columns, so that the analyst can choose before uploading.
import { SCREENING_OPTIONAL_COLUMNS, type ScreeningOptionalColumn } from '@limen/contract/csv';

/** The service refuses longer header rows. */
const HEADER_BYTES = 64 * 1024;

export async function findOptionalColumns(file: Blob): Promise<ScreeningOptionalColumn[]> {
  const head = (await file.slice(0, HEADER_BYTES).text()).replace(/^\ufeff/, '').trimStart();
  const [header = ''] = head.split(/[\r\n]/, 1);
  const names = header.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"|"$/g, '').trim().toLowerCase());
  return SCREENING_OPTIONAL_COLUMNS.filter((column) => names.includes(column));
}
