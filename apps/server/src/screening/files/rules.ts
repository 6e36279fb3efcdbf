// Pure decisions about files of the sanctions check: names, columns and refusals.
import { SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import { AppError, invalid } from '../../platform/base/errors.ts';

/** Whether the optional columns of a file are read. */
export function readsExtendedColumns(query: unknown): boolean {
  const { columns } = (query ?? {}) as { columns?: unknown };
  if (columns === undefined) return false;
  if (columns === 'extended') return true;
  throw invalid('query.columns', 'must be extended, once, or be left out');
}

export function isCsvName(fileName: string | undefined): boolean {
  return fileName !== undefined && /\.csv$/i.test(fileName.trim());
}

export const onlyCsv = () => new AppError('malformed_request', 'Only CSV files are allowed!');
export const noFilePart = () =>
  new AppError(
    'malformed_request',
    'Send the CSV file as multipart/form-data in one part named file, with its file name.',
  );
export const tooManyFiles = () => new AppError('malformed_request', 'Send one file only: there is a second file part.');
export const brokenForm = () =>
  new AppError('malformed_request', 'The body is not well-formed multipart/form-data with a boundary.');
export const fileTooLarge = () =>
  new AppError('payload_too_large', `The file may have at most ${SCREENING_FILE_MAX_BYTES} bytes; split it.`);
export const formTooLarge = (maxBytes: number) =>
  new AppError(
    'payload_too_large',
    `The form may have at most ${maxBytes} bytes in all, and its file ${SCREENING_FILE_MAX_BYTES}.`,
  );
export const tooManyFields = (most: number) =>
  new AppError('malformed_request', `The form may have at most ${most} fields besides the file; none is needed.`);
export const forbiddenPartName = () =>
  new AppError('malformed_request', 'A part of the form has a name that is not allowed, such as constructor.');
export const notUtf8 = () => new AppError('malformed_request', 'The file is not valid UTF-8; save it as CSV in UTF-8.');
