// Reads feature vectors from a request, checks their form, and keeps the usable ones.
import type { IncomingHttpHeaders } from 'node:http';
import { DEFAULT_PLAIN_VERSION, EMBEDDING_MAX_LENGTH, EMBEDDING_MIN_LENGTH, FEATURES_MAX } from '@limen/contract';
import { parseJson } from '../../platform/http/body/json.ts';
import { keepGood, toUnitVector } from '../galleries/face-vectors.ts';
import { ENCRYPTION_VERSION, type NodeCipher } from './cipher.ts';
import { badRequest, unreadable } from './replies.ts';

/** Returns false if the value is missing, null, or an empty string, object or array. */
export function isProvided(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

export function readPlainFeatures(features: unknown): number[][] {
  if (typeof features === 'string') {
    throw badRequest('features must be a Feature object here; encrypted features go to /node/{version}/…');
  }
  return [readFeature(features, 'features')];
}

/** Returns undefined if the encrypted array has no Feature objects. */
export function readEncryptedFeatures(features: unknown, cipher: NodeCipher): number[][] | undefined {
  if (typeof features !== 'string') {
    throw badRequest('features must be an encrypted string here; plain ones go to /node/plainEnroll and plainPredict');
  }
  const opened = cipher.decrypt('features', features);
  if (!opened) {
    throw unreadable(
      'features cannot be decrypted: encrypt them with this API key, version 1, and the field name features',
    );
  }
  let decrypted: unknown;
  try {
    decrypted = parseJson(opened);
  } catch {
    // The parser's own message would blame the body.
    throw unreadable('the decrypted features are not JSON: encrypt an array of Feature objects written as JSON');
  } finally {
    opened.fill(0);
  }
  return isProvided(decrypted) ? readFeatureList(decrypted) : undefined;
}

export function readFeatureList(features: unknown): number[][] {
  if (!Array.isArray(features)) throw badRequest('features must be an array of Feature objects');
  if (features.length > FEATURES_MAX) throw badRequest(`features may contain at most ${FEATURES_MAX} Feature objects`);
  const vectors = features.map((feature, i) => readFeature(feature, `features[${i}]`));
  const length = vectors[0]?.length;
  if (vectors.some((vector) => vector.length !== length)) {
    throw badRequest('all embedding vectors of one face must have the same length');
  }
  return vectors;
}

export function keepUsable(vectors: readonly number[][]): Float32Array[] {
  return keepGood(vectors.map(toUnitVector).filter((vector) => vector !== undefined));
}

function readFeature(feature: unknown, path: string): number[] {
  if (typeof feature !== 'object' || feature === null || Array.isArray(feature)) {
    throw badRequest(`${path} must be a Feature object with embedding_vector`);
  }
  const { type, embedding_vector: vector } = feature as { type?: unknown; embedding_vector?: unknown };
  if (type !== undefined && type !== null && typeof type !== 'string')
    throw badRequest(`${path}.type must be a string`);
  if (!Array.isArray(vector)) throw badRequest(`${path}.embedding_vector must be an array of numbers`);
  if (vector.length < EMBEDDING_MIN_LENGTH || vector.length > EMBEDDING_MAX_LENGTH) {
    throw badRequest(
      `${path}.embedding_vector must have ${EMBEDDING_MIN_LENGTH} to ${EMBEDDING_MAX_LENGTH} numbers; it has ${vector.length}`,
    );
  }
  const wrong = vector.findIndex((value) => typeof value !== 'number');
  if (wrong >= 0) throw badRequest(`${path}.embedding_vector[${wrong}] must be a number`);
  return vector;
}

const VERSION_FORM = /^[A-Z0-9_]{1,32}$/;

export function readVersion(version: string = DEFAULT_PLAIN_VERSION): string {
  if (VERSION_FORM.test(version)) return version;
  throw badRequest('version must be 1 to 32 capital letters, digits or underscores, such as FACE3_1');
}

export function requireKnownEncryption(headers: IncomingHttpHeaders): void {
  const version = headers['x-encryption-version'] || String(ENCRYPTION_VERSION);
  if (version !== String(ENCRYPTION_VERSION)) {
    throw badRequest(`x-encryption-version must be ${ENCRYPTION_VERSION}, the only version there is`);
  }
}

export function wantsRot13(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['x-encoding'];
  if (encoding === undefined || encoding === '') return false;
  if (typeof encoding === 'string' && encoding.toLowerCase() === 'rot13') return true;
  throw badRequest('x-encoding must be rot13 or left out');
}
