// The headers and the version of the biometric node's requests.
import type { IncomingHttpHeaders } from 'node:http';
import { DEFAULT_PLAIN_VERSION } from '@limen/contract';
import { ENCRYPTION_VERSION } from './cipher.ts';
import { badRequest } from './refusal.ts';

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
