// Encodes and decodes CBOR. Input is scanned before the library decodes it. Uses the library
// without its native helper and without code generation.
import { Decoder, Encoder, Tag } from 'cbor-x/index-no-eval';
import { refuse } from '../refusals.ts';
import { type ScanBounds, scanCbor } from './scan.ts';

const options = { mapsAsObjects: false, useRecords: false, tagUint8Array: false, variableMapSize: true } as const;
const decoder = new Decoder(options);
const encoder = new Encoder(options);

const ENCODED_CBOR_TAG = 24;
const DATE_TIME_TAG = 0;

export function decodeCbor(bytes: Uint8Array, bounds?: ScanBounds): unknown {
  scanCbor(bytes, bounds);
  try {
    return decoder.decode(bytes);
  } catch {
    return refuse('cbor_malformed');
  }
}

/** Copies, because the library returns a view of a buffer that it reuses. */
export function encodeCbor(value: unknown): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(encoder.encode(value));
}

/** `#6.24(bstr)`: CBOR carried as bytes, because the bytes were signed or digested. */
export function wrapEncoded(bytes: Uint8Array): Tag {
  return new Tag(bytes, ENCODED_CBOR_TAG);
}

/** `tdate` of ISO/IEC 18013-5: without fractions of a second. */
export function encodeDate(date: Date): Tag {
  return new Tag(date.toISOString().replace(/\.\d+Z$/, 'Z'), DATE_TIME_TAG);
}

/** Returns the bytes within `#6.24(bstr)`, or null for anything else. */
export function unwrapEncoded(value: unknown): Uint8Array | null {
  return readTagged(value, ENCODED_CBOR_TAG, isBytes);
}

export function readTagged<T>(value: unknown, tag: number, is: (inner: unknown) => inner is T): T | null {
  if (!(value instanceof Tag) || value.tag !== tag) return null;
  const inner: unknown = value.value;
  return is(inner) ? inner : null;
}

export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

export function isMap(value: unknown): value is Map<unknown, unknown> {
  return value instanceof Map;
}
