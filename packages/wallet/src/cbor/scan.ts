// Validates CBOR before decoding, so that hostile input costs one pass over its bytes.
import { isUtf8 } from 'node:buffer';
import { refuse } from '../refusals.ts';

/** Maximum size, above any attestation with its certificates. Attestations in use are below 10 KB. */
export const MAX_CBOR_BYTES = 65_536;
const MAX_DEPTH = 16;
const MAX_ITEMS = 4096;
/** Number of map keys up to which pairwise comparison is faster than a set. */
const FEW_KEYS = 16;

/**
 * Date-time, big numbers, the COSE structures, encoded CBOR, CWT, full-date. Other tags would
 * trigger special behavior of the decoder.
 */
const KNOWN_TAGS = new Set([0, 2, 17, 18, 24, 61, 1004]);
const DATE_TIME_TAG = 0;
const BIG_NUMBER_TAG = 2;
/** Maximum length of a big number, because decoding time grows quadratically. */
const MAX_BIG_NUMBER_BYTES = 32;
/** ISO/IEC 18013-5 allows neither fractions nor offsets. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const [UINT, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG] = [0, 1, 2, 3, 4, 5, 6];
/** false, true, null and the three sizes of floats. */
const KNOWN_SIMPLE = new Set([20, 21, 22, 25, 26, 27]);

export interface ScanBounds {
  maxBytes?: number;
  maxItems?: number;
}

export function scanCbor(
  bytes: Uint8Array,
  { maxBytes = MAX_CBOR_BYTES, maxItems = MAX_ITEMS }: ScanBounds = {},
): void {
  if (bytes.length > maxBytes) refuse('cbor_malformed');
  const scan = new Scan(bytes, maxItems);
  scan.readItem(0);
  if (scan.at !== bytes.length) refuse('cbor_malformed');
}

class Scan {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #itemsLeft: number;
  /** Value, length, count or tag of the last head. For major type 7 the content is skipped. */
  #argument = 0;

  constructor(bytes: Uint8Array, maxItems: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#itemsLeft = maxItems;
  }

  readItem(depth: number): void {
    if (depth > MAX_DEPTH || this.#itemsLeft-- === 0) refuse('cbor_malformed');
    const major = this.#readHead();
    const argument = this.#argument;
    if (major === BYTES) this.#skip(argument);
    else if (major === TEXT) this.#readText(argument);
    else if (major === ARRAY) this.#readArray(argument, depth);
    else if (major === MAP) this.#readMap(argument, depth);
    else if (major === TAG) this.#readTagged(argument, depth);
  }

  /** Reads a head and returns its major type. */
  #readHead(): number {
    const initial = this.#byteAt(this.at);
    const major = initial >> 5;
    const info = initial & 31;
    this.at += 1;
    if (major === 7) {
      if (!KNOWN_SIMPLE.has(info)) refuse('cbor_malformed');
      if (info > 24) this.#skip(1 << (info - 24));
      return major;
    }
    if (info < 24) {
      this.#argument = info;
      return major;
    }
    // 28 to 30 are reserved, 31 is an indefinite length.
    if (info > 27) refuse('cbor_malformed');
    const size = 1 << (info - 24);
    const start = this.at;
    this.#skip(size);
    this.#argument = this.#readArgument(start, size);
    return major;
  }

  /** Accepts only the shortest form of each number, so that equal values have equal bytes. */
  #readArgument(start: number, size: number): number {
    if (size === 1) return this.#atLeast(this.#view.getUint8(start), 24);
    if (size === 2) return this.#atLeast(this.#view.getUint16(start), 0x100);
    if (size === 4) return this.#atLeast(this.#view.getUint32(start), 0x1_0000);
    return this.#atLeast(Number(this.#view.getBigUint64(start)), 0x1_0000_0000);
  }

  #atLeast(value: number, least: number): number {
    return value >= least ? value : refuse('cbor_malformed');
  }

  #skip(length: number): void {
    if (length > this.#bytes.length - this.at) refuse('cbor_malformed');
    this.at += length;
  }

  #byteAt(at: number): number {
    return this.#bytes[at] ?? refuse('cbor_malformed');
  }

  #readText(length: number): void {
    const start = this.at;
    this.#skip(length);
    // Nearly all texts are ASCII, for which a byte check is faster than the decoder.
    for (let at = start; at < this.at; at++) {
      if (this.#byteAt(at) < 0x80) continue;
      if (!isUtf8(this.#bytes.subarray(at, this.at))) refuse('cbor_malformed');
      return;
    }
  }

  #readArray(count: number, depth: number): void {
    this.#expectRoom(count);
    for (let left = count; left > 0; left--) this.readItem(depth + 1);
  }

  #readMap(count: number, depth: number): void {
    this.#expectRoom(2 * count);
    const keys = count > FEW_KEYS ? new Set<string>() : null;
    const [starts, ends]: [number[], number[]] = [[], []];
    for (let left = count; left > 0; left--) {
      const start = this.at;
      const major = this.#byteAt(start) >> 5;
      if (major !== UINT && major !== NEGATIVE && major !== TEXT) refuse('cbor_malformed');
      this.readItem(depth + 1);
      if (keys) {
        const key = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, this.at - start).toString('latin1');
        if (keys.has(key)) refuse('cbor_malformed');
        keys.add(key);
      } else {
        for (let n = 0; n < starts.length; n++) {
          if (this.#isSame(starts[n] ?? 0, ends[n] ?? 0, start)) refuse('cbor_malformed');
        }
        starts.push(start);
        ends.push(this.at);
      }
      this.readItem(depth + 1);
    }
  }

  /** Returns whether the last item, which starts at `start`, equals an earlier one. */
  #isSame(from: number, to: number, start: number): boolean {
    if (to - from !== this.at - start) return false;
    for (let n = to - from - 1; n >= 0; n--) if (this.#bytes[from + n] !== this.#bytes[start + n]) return false;
    return true;
  }

  /** Every item has at least one byte, so a count above the remaining bytes is invalid. */
  #expectRoom(items: number): void {
    if (items > this.#bytes.length - this.at || items > this.#itemsLeft) refuse('cbor_malformed');
  }

  #readTagged(tag: number, depth: number): void {
    if (!KNOWN_TAGS.has(tag)) refuse('cbor_malformed');
    const start = this.at;
    this.readItem(depth + 1);
    const major = this.#byteAt(start) >> 5;
    if (tag === BIG_NUMBER_TAG && (major !== BYTES || this.at - start > MAX_BIG_NUMBER_BYTES)) refuse('cbor_malformed');
    if (tag !== DATE_TIME_TAG) return;
    const text = Buffer.from(this.#bytes.subarray(start + 1, this.at)).toString('latin1');
    if (major !== TEXT || !DATE_TIME.test(text)) refuse('cbor_malformed');
  }
}
