// Pure decisions of the sanctions check: what a file may be called, and from which score on a row counts.
import { SCORE_THRESHOLD_DEFAULT, SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import { CANDIDATE_FLOOR } from '@limen/screening';
import { AppError, invalid } from '../../platform/errors.ts';
import { readPlainDecimal } from '../../platform/plain-numbers.ts';

/** `query` is as Fastify parsed it: text, or a list when the parameter came twice. */
export function readThreshold(query: unknown): number {
  const { scoreThreshold: given, ...others } = (query ?? {}) as { scoreThreshold?: unknown };
  if (Object.keys(others).some(isMeantForThreshold)) {
    throw invalid('query', 'has a threshold under another name; send scoreThreshold once, spelt exactly like that');
  }
  if (given === undefined) return SCORE_THRESHOLD_DEFAULT;
  const threshold = typeof given === 'string' ? readPlainDecimal(given) : undefined;
  if (threshold === undefined || threshold > 1) {
    throw invalid('query.scoreThreshold', `must be one number from 0 to 1, such as ${SCORE_THRESHOLD_DEFAULT}`);
  }
  return threshold;
}

/** Whether the optional columns of a file are read. */
export function readsExtendedColumns(query: unknown): boolean {
  const { columns } = (query ?? {}) as { columns?: unknown };
  if (columns === undefined) return false;
  if (columns === 'extended') return true;
  throw invalid('query.columns', 'must be extended, once, or be left out');
}

/** A threshold that is misspelt and ignored would clear people whom the caller wanted to see; others are ignored. */
function isMeantForThreshold(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  return letters !== '' && /^(?:min)?(?:match)?(?:score)?(?:treshold|threshold|thresh)?$/.test(letters);
}

/** Below the floor there are no candidates, so a lower threshold works like the floor. */
export function effectiveThreshold(threshold: number): number {
  return Math.max(threshold, CANDIDATE_FLOOR);
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
