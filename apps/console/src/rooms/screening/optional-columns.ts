// Which optional columns a CSV file has, so that the analyst is asked about them before it is sent.
import { SCREENING_OPTIONAL_COLUMNS, type ScreeningOptionalColumn } from '@limen/contract/csv';

/** Longer header rows are refused by the service. */
const HEADER_BYTES = 64 * 1024;

export async function findOptionalColumns(file: Blob): Promise<ScreeningOptionalColumn[]> {
  const head = (await file.slice(0, HEADER_BYTES).text()).replace(/^\ufeff/, '').trimStart();
  const [header = ''] = head.split(/[\r\n]/, 1);
  const names = header.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"|"$/g, '').trim().toLowerCase());
  return SCREENING_OPTIONAL_COLUMNS.filter((column) => names.includes(column));
}
