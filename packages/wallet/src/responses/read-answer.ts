// Common parts of all responses: fields, and texts of bounded length.
import { refuse } from '../refusals.ts';

/** Base64url of the largest accepted CBOR, encrypted and wrapped in JSON. */
export const MAX_ANSWER_CHARS = 131_072;

const BASE64URL = /^[A-Za-z0-9_-]+$/;

export function readFields(answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return refuse('answer_malformed');
  const fields = answer as Record<string, unknown>;
  // OpenID4VP 1.0, 8.5: an error replaces everything else.
  if (typeof fields['error'] === 'string') refuse('declined');
  return fields;
}

export function readText(value: unknown): string {
  if (typeof value !== 'string' || value.length === 0) return refuse('answer_malformed');
  return value.length > MAX_ANSWER_CHARS ? refuse('answer_too_large') : value;
}

/** Unpadded in all of these protocols, but some wallets add padding. */
export function readBase64url(value: unknown): Uint8Array {
  const text = readText(value).replace(/={1,2}$/, '');
  return BASE64URL.test(text) ? Buffer.from(text, 'base64url') : refuse('answer_malformed');
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('answer_malformed');
  }
}
