// Listed name parts (tokens) by lookup key. Their texts are compared in place, without decoding.
import { type IndexSections, readTokenText, type ScreeningIndex } from '../index/screening-index.ts';
import { TOKEN_ESTABLISHED, TOKEN_VOWELLESS } from '../names/part-class.ts';
import { canonicalKey, exactKey, skeletonKey } from '../names/part-keys.ts';
import { canonicalSpelling, consonantSkeleton } from '../names/spelling.ts';
import type { TokenTable } from './token-table.ts';

type VisitToken = (token: number) => void;

/** Number of tokens prefetched together. */
const READ_TOGETHER = 32;
/** Minimum number of consonants. Shorter skeletons occur in too many names. */
const MIN_SOUNDED = 3;

export class ListedTokens {
  /** Sum of prefetched values. Public, so that the engine cannot optimize the reads away. */
  readAhead = 0;
  readonly table: TokenTable;
  readonly #sections: IndexSections;
  readonly #bucketMask: number;
  readonly #waiting = new Uint32Array(READ_TOGETHER);
  /** Number of the current search, which marks visited tokens. */
  #search = 0;

  constructor({ sections }: ScreeningIndex, table: TokenTable) {
    this.table = table;
    this.#sections = sections;
    this.#bucketMask = sections.keyOffsets.length - 2;
  }

  /** Visits the tokens under a key. A few of them may have another key. */
  forKey(key: number, visit: VisitToken): void {
    const { keyOffsets, keyTokens, keyTags } = this.#sections;
    const bucket = key & this.#bucketMask;
    const end = keyOffsets[bucket + 1]!;
    for (let at = keyOffsets[bucket]!; at < end; at += 1) {
      if (keyTags[at] === key >>> 24) visit(keyTokens[at]!);
    }
  }

  /** Visits the tokens under many keys, with prefetching. */
  forKeys(keys: readonly number[], visit: VisitToken): void {
    const { keyOffsets, keyTokens, keyTags } = this.#sections;
    const mask = this.#bucketMask;
    const waiting = this.#waiting;
    let sum = 0;
    for (const key of keys) sum += keyOffsets[key & mask]!;
    for (const key of keys) sum += keyTags[keyOffsets[key & mask]!]! + keyTokens[keyOffsets[key & mask]!]!;
    this.readAhead = sum;
    let waits = 0;
    for (const key of keys) {
      this.forKey(key, (token) => {
        waiting[waits] = token;
        waits += 1;
        if (waits < READ_TOGETHER) return;
        this.#visitWaiting(waits, visit);
        waits = 0;
      });
    }
    this.#visitWaiting(waits, visit);
  }

  #visitWaiting(waits: number, visit: VisitToken): void {
    const { tokenText, canonText } = this.#sections;
    const { table } = this;
    const waiting = this.#waiting;
    let sum = 0;
    for (let at = 0; at < waits; at += 1) sum += table.markOf(waiting[at]!);
    for (let at = 0; at < waits; at += 1)
      sum += tokenText[table.textFrom(waiting[at]!)]! + canonText[table.canonicalFrom(waiting[at]!)]!;
    this.readAhead = sum;
    for (let at = 0; at < waits; at += 1) visit(waiting[at]!);
  }

  beginSearch(): void {
    this.#search += 1;
  }

  /** Returns whether the token is unmarked in the current search. */
  isNew(token: number): boolean {
    return this.table.markOf(token) !== this.#search;
  }

  mark(token: number): void {
    this.table.setMark(token, this.#search);
  }

  text(token: number): string {
    return readTokenText(this.#sections, token);
  }

  hasText(token: number, text: string): boolean {
    return equals(this.#sections.tokenText, this.table.textFrom(token), this.table.textLength(token), text);
  }

  hasCanonical(token: number, canonical: string): boolean {
    const { table } = this;
    return equals(this.#sections.canonText, table.canonicalFrom(token), table.canonicalLength(token), canonical);
  }

  isVowelless(token: number): boolean {
    return (this.table.flagsOf(token) & TOKEN_VOWELLESS) !== 0;
  }

  /** Finds a part that is listed exactly as written. */
  find(text: string): number | undefined {
    let found: number | undefined;
    this.forKey(exactKey(text), (token) => {
      if (!this.isVowelless(token) && this.hasText(token, text)) found = token;
    });
    return found;
  }

  /** Returns whether a part is listed exactly as written, in any script. */
  isWritten(text: string): boolean {
    let found = false;
    this.forKey(exactKey(text), (token) => {
      found ||= this.hasText(token, text);
    });
    return found;
  }

  /** Returns whether a part is listed in any spelling. Cheaper than a similarity search. */
  isListed(text: string, wellKnown = false): boolean {
    const canonical = canonicalSpelling(text);
    let found = false;
    this.forKey(canonicalKey(canonical), (token) => {
      if (wellKnown && (this.table.flagsOf(token) & TOKEN_ESTABLISHED) === 0) return;
      found ||= this.hasCanonical(token, canonical);
    });
    return found;
  }

  /** Returns whether a listed part differs only in vowels and doubled letters. */
  isSounded(text: string): boolean {
    const skeleton = consonantSkeleton(text);
    const first = canonicalSpelling(text).charCodeAt(0);
    let found = this.isListed(text);
    if (found || skeleton.length < MIN_SOUNDED) return found;
    const { canonText } = this.#sections;
    this.forKey(skeletonKey(skeleton), (token) => {
      if (found || Math.abs(this.table.textLength(token) - text.length) > 1) return;
      if (canonText[this.table.canonicalFrom(token)] !== first || this.isVowelless(token)) return;
      found = consonantSkeleton(this.text(token)) === skeleton;
    });
    return found;
  }
}

function equals(bytes: Uint8Array, from: number, length: number, text: string): boolean {
  if (length !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) {
    if (bytes[from + at] !== text.charCodeAt(at)) return false;
  }
  return true;
}
