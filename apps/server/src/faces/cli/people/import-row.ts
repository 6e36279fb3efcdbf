// Reads one line of an import with the checks of a request. A reason never quotes the line.
import { USER_IDENTIFIER_MAX_LENGTH } from '@limen/contract';
import { AppError } from '../../../platform/base/errors.ts';
import type { Line } from '../../../platform/files/lines.ts';
import { parseJson } from '../../../platform/http/body/json.ts';
import { MAX_IMPORT_LINE_BYTES } from '../../limits.ts';
import { keepUsable, readFeatureList, readPlainFeatures, readVersion } from '../../node/read-request.ts';
import { UNUSABLE_REASON } from '../../node/replies.ts';

export interface PersonRow {
  kind: 'person';
  vectors: Float32Array[];
  modelVersion: string;
  identifier: string | undefined;
}

/** An unusable line has the right form, but none of its embeddings is that of a face. */
type ImportRow = PersonRow | { kind: 'empty' } | { kind: 'unusable' | 'broken'; reason: string };

export function readRow({ bytes }: Line, defaultVersion: string): ImportRow {
  if (!bytes) return { kind: 'broken', reason: `longer than ${MAX_IMPORT_LINE_BYTES} bytes` };
  if (isBlank(bytes)) return { kind: 'empty' };
  try {
    const row = readObject(parseJson(bytes));
    if (row.version !== undefined && typeof row.version !== 'string') throw refusal('version must be a string');
    const modelVersion = readVersion(row.version ?? defaultVersion);
    const identifier = readIdentifier(row.metadata);
    const vectors = keepUsable(readVectors(row));
    return vectors.length === 0
      ? { kind: 'unusable', reason: UNUSABLE_REASON }
      : { kind: 'person', vectors, modelVersion, identifier };
  } catch (error) {
    if (error instanceof AppError) return { kind: 'broken', reason: shortenReason(error) };
    throw error;
  }
}

interface RawRow {
  embedding_vector?: unknown;
  features?: unknown;
  type?: unknown;
  metadata?: unknown;
  version?: unknown;
}

function refusal(reason: string): AppError {
  return new AppError('validation_failed', reason);
}

function readObject(value: unknown): RawRow {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw refusal('the line must be an object with embedding_vector or features');
}

function readVectors(row: RawRow): number[][] {
  const { features } = row;
  if (features === undefined && row.embedding_vector === undefined) {
    throw refusal('it has neither embedding_vector nor features');
  }
  if (features === undefined) return readPlainFeatures(row);
  if (row.embedding_vector !== undefined) throw refusal('it has both embedding_vector and features; leave one out');
  if (!Array.isArray(features)) return readPlainFeatures(features);
  if (features.length === 0) throw refusal('features holds no Feature object');
  return readFeatureList(features);
}

function readIdentifier(metadata: unknown): string | undefined {
  if (metadata === undefined) return undefined;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw refusal('metadata must be an object');
  }
  const { id } = metadata as { id?: unknown };
  if (id === undefined) return undefined;
  if (typeof id === 'string' && id !== '' && [...id].length <= USER_IDENTIFIER_MAX_LENGTH) return id;
  throw refusal(`metadata.id must be a string of 1 to ${USER_IDENTIFIER_MAX_LENGTH} characters`);
}

/** Adapts a refusal of the service, which names the body and its features. */
function shortenReason({ message }: AppError): string {
  return message
    .replace(/^The body /, 'it ')
    .replace(/^features\.(?=embedding_vector)/, '')
    .replace(/\.$/, '');
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
