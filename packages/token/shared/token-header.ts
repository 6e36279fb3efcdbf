// The 40-byte header of a device's encryption: its kind, key and model.
import { BODY_BYTES, PARAMETER_SET } from './parameters.ts';
import { TokenError } from './token-error.ts';

const HEADER_BYTES = 40;
export const TOKEN_BYTES = HEADER_BYTES + BODY_BYTES;
export const ID_BYTES = 16;

/** `LMT1` */
const MAGIC = [0x4c, 0x4d, 0x54, 0x31];
const KIND_AT = 4;
const PARAMETERS_AT = 5;
const RESERVED_AT = 6;
const KEY_ID_AT = 8;
const MODEL_ID_AT = 24;

/** An embedding under a challenge's one-time key, the only kind that devices create. */
const KIND = 1;

export interface Token {
  /** The challenge, 16 bytes in base64url. */
  keyId: string;
  /** First 16 bytes of the SHA-256 of the embedding model's file, in base64url. */
  modelId: string;
  body: Uint8Array;
}

/**
 * Reads the header. The body is a view of `bytes`, whose coefficients are checked when unpacked.
 * The header is not authenticated: it names the intended key and model, and the key-holder's checks
 * detect a mismatch.
 */
export function readToken(bytes: Uint8Array): Token {
  if (bytes.length !== TOKEN_BYTES) {
    throw new TokenError('length');
  }
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) {
    throw new TokenError('magic');
  }
  if (bytes[KIND_AT] !== KIND) {
    throw new TokenError('kind');
  }
  if (bytes[PARAMETERS_AT] !== PARAMETER_SET || bytes[RESERVED_AT] !== 0 || bytes[RESERVED_AT + 1] !== 0) {
    throw new TokenError('parameters');
  }
  return {
    keyId: writeId(bytes.subarray(KEY_ID_AT, KEY_ID_AT + ID_BYTES)),
    modelId: writeId(bytes.subarray(MODEL_ID_AT, MODEL_ID_AT + ID_BYTES)),
    body: bytes.subarray(HEADER_BYTES),
  };
}

export function writeToken({ keyId, modelId, body }: Token): Uint8Array {
  if (body.length !== BODY_BYTES) {
    throw new TokenError('length');
  }
  const bytes = new Uint8Array(TOKEN_BYTES);
  bytes.set(MAGIC);
  bytes[KIND_AT] = KIND;
  bytes[PARAMETERS_AT] = PARAMETER_SET;
  bytes.set(readId(keyId), KEY_ID_AT);
  bytes.set(readId(modelId), MODEL_ID_AT);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

/** 16 bytes as 22 characters of base64url. */
export function writeId(bytes: Uint8Array) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Throws `TokenError` unless the text is an id exactly as written by `writeId`. */
export function readId(text: string) {
  if (!/^[A-Za-z0-9_-]{22}$/.test(text)) {
    throw new TokenError('id');
  }
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  if (writeId(bytes) !== text) {
    throw new TokenError('id');
  }
  return bytes;
}
