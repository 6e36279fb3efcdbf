// Reads the one CSV file of a multipart body, in bounded memory and without temporary files.
import { isUtf8 } from 'node:buffer';
import { SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { AppError, invalid } from '../../platform/base/errors.ts';
import { createByteCollector } from '../../platform/http/body/collect-body.ts';
import { MAX_FORM_BYTES, MAX_FORM_FIELDS } from '../limits.ts';

export const UPLOAD_BODY_LIMIT = SCREENING_FILE_MAX_BYTES + MAX_FORM_BYTES;

export const UPLOAD_LIMITS = {
  fileSize: SCREENING_FILE_MAX_BYTES,
  files: 2, // a second file is rejected below
  fields: MAX_FORM_FIELDS,
  parts: MAX_FORM_FIELDS + 2,
  fieldSize: 8 * 1024,
  headerPairs: 20,
};

/** Checks in this order: the form and its file part, the file's name, its size, its encoding. */
export async function readUpload(request: FastifyRequest): Promise<Uint8Array> {
  // Bounds the bytes between the parts too, which the parser does not. A chunked body announces no length.
  const exceeded = Promise.withResolvers<never>();
  exceeded.promise.catch(() => {}); // may reject after the reply is decided
  let received = 0;
  const count = (bytes: Buffer) => {
    received += bytes.length;
    // Deferred, because the parser may report a more exact error about the same bytes.
    if (received > UPLOAD_BODY_LIMIT) setImmediate(() => exceeded.reject(formTooLarge()));
    try {
      request.bodyRoom?.take(bytes.length);
    } catch (error) {
      exceeded.reject(error);
    }
  };
  request.raw.on('data', count).pause(); // counting must not start the flow before the parser listens
  try {
    const bytes = await Promise.race([readParts(request), exceeded.promise]);
    if (received > UPLOAD_BODY_LIMIT) throw formTooLarge();
    if (!isUtf8(bytes)) throw notUtf8();
    return bytes;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code = '' } = (error ?? {}) as { code?: string };
    throw malformed(PARSER_ERRORS.get(code) ?? 'The body is not well-formed multipart/form-data with a boundary.');
  } finally {
    request.raw.off('data', count);
  }
}

const TOO_MANY_FIELDS = `The form may have at most ${MAX_FORM_FIELDS} fields besides the file; none is needed.`;
const TOO_MANY_FILES = 'Send one file only: there is a second file part.';
/** Sentences for the errors of the parser. */
const PARSER_ERRORS = new Map([
  ['FST_FILES_LIMIT', TOO_MANY_FILES],
  ['FST_FIELDS_LIMIT', TOO_MANY_FIELDS],
  ['FST_PARTS_LIMIT', TOO_MANY_FIELDS],
  ['FST_PROTO_VIOLATION', 'A part of the form has a name that is not allowed, such as constructor.'],
]);

async function readParts(request: FastifyRequest): Promise<Uint8Array> {
  if (!request.isMultipart()) throw noFilePart();
  let bytes: Uint8Array | undefined;
  for await (const part of request.parts()) {
    if (part.type !== 'file') continue;
    if (bytes) throw malformed(TOO_MANY_FILES);
    if (part.fieldname !== 'file') throw noFilePart();
    if (!isCsvName(part.filename)) throw malformed('Only CSV files are allowed!');
    const collector = createByteCollector();
    for await (const chunk of part.file) {
      collector.add(chunk as Uint8Array);
      if (part.file.truncated) break;
    }
    if (part.file.truncated)
      throw new AppError('payload_too_large', `The file may have at most ${SCREENING_FILE_MAX_BYTES} bytes; split it.`);
    bytes = collector.bytes();
  }
  if (!bytes) throw noFilePart();
  return bytes;
}

/** Returns whether the optional columns are read. */
export function readsExtendedColumns(query: unknown): boolean {
  const { columns } = (query ?? {}) as { columns?: unknown };
  if (columns === undefined) return false;
  if (columns === 'extended') return true;
  throw invalid('query.columns', 'must be extended, once, or be left out');
}

export function isCsvName(fileName: string | undefined): boolean {
  return fileName !== undefined && /\.csv$/i.test(fileName.trim());
}

const malformed = (sentence: string) => new AppError('malformed_request', sentence);
const noFilePart = () =>
  malformed('Send the CSV file as multipart/form-data in one part named file, with its file name.');
const formTooLarge = () =>
  new AppError(
    'payload_too_large',
    `The form may have at most ${UPLOAD_BODY_LIMIT} bytes in all, and its file ${SCREENING_FILE_MAX_BYTES}.`,
  );
export const notUtf8 = () => malformed('The file is not valid UTF-8; save it as CSV in UTF-8.');
