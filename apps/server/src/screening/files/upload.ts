// Takes the one CSV file out of a multipart body, in bounded memory and without temporary files.
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { MultipartFile } from '@fastify/multipart';
import { SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { AppError, invalid } from '../../platform/base/errors.ts';
import { createByteCollector } from '../../platform/http/body/collect-body.ts';
import type { Room } from '../../platform/http/limits/byte-budget.ts';
import { MAX_FORM_BYTES, MAX_FORM_FIELDS } from '../limits.ts';

export const UPLOAD_BODY_LIMIT = SCREENING_FILE_MAX_BYTES + MAX_FORM_BYTES;

export const UPLOAD_LIMITS = {
  fileSize: SCREENING_FILE_MAX_BYTES,
  files: 2, // the second is refused by us, in our words
  fields: MAX_FORM_FIELDS,
  parts: MAX_FORM_FIELDS + 2,
  fieldSize: 8 * 1024,
  headerPairs: 20,
};

/** Checks in this order: the form and its file part, the file's name, its size, its encoding. */
export async function readUpload(request: FastifyRequest): Promise<Uint8Array> {
  const body = request.raw;
  const limit = limitBody(body, UPLOAD_BODY_LIMIT, request.bodyRoom);
  try {
    const bytes = await Promise.race([readParts(request), limit.exceeded]);
    limit.check();
    if (!isUtf8(bytes)) throw notUtf8();
    return bytes;
  } catch (error) {
    throw refusalOf(error);
  } finally {
    limit.lift();
  }
}

/** The parser bounds parts, and not what lies before, between and behind them; a chunked body announces no length. */
function limitBody(body: Readable, maxBytes: number, room: Room | null) {
  const { promise, reject } = Promise.withResolvers<never>();
  let received = 0;
  const count = (bytes: Buffer) => {
    received += bytes.length;
    // Later, because the parser may have something more exact to say about the same bytes.
    if (received > maxBytes) setImmediate(() => reject(formTooLarge(maxBytes)));
    try {
      room?.take(bytes.length);
    } catch (error) {
      reject(error);
    }
  };
  promise.catch(() => {}); // it may come when the refusal is settled
  body.on('data', count).pause(); // counting must not start the flow before the parser listens
  return {
    /** Rejects while the body is being read. */
    exceeded: promise,
    /** Throws if the body has been read and was too much. */
    check() {
      if (received > maxBytes) throw formTooLarge(maxBytes);
    },
    lift: () => void body.off('data', count),
  };
}

/** The parser's own errors, in our words. */
function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  switch ((error as { code?: string } | undefined)?.code) {
    case 'FST_FILES_LIMIT':
      return tooManyFiles();
    case 'FST_FIELDS_LIMIT':
    case 'FST_PARTS_LIMIT':
      return malformed(`The form may have at most ${MAX_FORM_FIELDS} fields besides the file; none is needed.`);
    case 'FST_PROTO_VIOLATION':
      return malformed('A part of the form has a name that is not allowed, such as constructor.');
    default:
      return malformed('The body is not well-formed multipart/form-data with a boundary.');
  }
}

async function readParts(request: FastifyRequest): Promise<Uint8Array> {
  if (!request.isMultipart()) throw noFilePart();
  let bytes: Uint8Array | undefined;
  for await (const part of request.parts()) {
    if (part.type !== 'file') continue;
    if (bytes) throw tooManyFiles();
    if (part.fieldname !== 'file') throw noFilePart();
    if (!isCsvName(part.filename)) throw malformed('Only CSV files are allowed!');
    bytes = await collect(part);
  }
  if (!bytes) throw noFilePart();
  return bytes;
}

async function collect({ file }: MultipartFile): Promise<Uint8Array> {
  const collector = createByteCollector();
  for await (const chunk of file) {
    collector.add(chunk as Uint8Array);
    if (file.truncated) break;
  }
  if (file.truncated)
    throw new AppError('payload_too_large', `The file may have at most ${SCREENING_FILE_MAX_BYTES} bytes; split it.`);
  return collector.bytes();
}

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

const malformed = (sentence: string) => new AppError('malformed_request', sentence);
const noFilePart = () =>
  malformed('Send the CSV file as multipart/form-data in one part named file, with its file name.');
const tooManyFiles = () => malformed('Send one file only: there is a second file part.');
const formTooLarge = (maxBytes: number) =>
  new AppError(
    'payload_too_large',
    `The form may have at most ${maxBytes} bytes in all, and its file ${SCREENING_FILE_MAX_BYTES}.`,
  );
export const notUtf8 = () => malformed('The file is not valid UTF-8; save it as CSV in UTF-8.');
