// Finds the listed name parts that a query's part may match.
import { letterBit } from '../index/entity-flags.ts';
import type { IndexSections, ScreeningIndex } from '../index/screening-index.ts';
import { BITS_SCALE, tellingBits } from '../index/telling-bits.ts';
import { lettersOf } from '../names/edit-cost.ts';
import { classifyPart } from '../names/part-class.ts';
import { weightOf } from '../names/part-weight.ts';
import { canonicalSpelling } from '../names/spelling.ts';
import { ListedTokens } from './listed-tokens.ts';
import { createNeighborFinder } from './neighbours.ts';
import { PartComparison } from './part-comparison.ts';
import type { KnownPart } from './part-names.ts';
import { PartSearch } from './part-search.ts';
import type { QueryPart } from './query.ts';
import { cacheByText } from './remember.ts';
import type { TokenTable } from './token-table.ts';
import { createCutFinder, createPieceFinder } from './word-cuts.ts';

const MAX_SIMILAR = 32;
const NO_TOKENS = new Uint32Array();
const NO_NUMBERS = new Float64Array();
const NO_LIKENESSES = new Uint8Array();

export class PartLookup {
  readonly comparison: PartComparison;
  readonly tokens: ListedTokens;
  /** Returns whether a part is listed in this or another spelling. */
  readonly isListed = cacheByText((text) => this.tokens.isListed(text));
  /** Returns whether a listed part differs only in vowels and doubled letters. */
  readonly isSounded = cacheByText((text) => this.tokens.isSounded(text));
  /** Finds the positions at which a part can be split into two listed ones. */
  readonly cutsOf: (text: string) => readonly number[];
  /** Finds the three or more listed parts that make up a part. */
  readonly piecesOf: (text: string) => readonly string[];
  /** Finds the adjacent words that make up a part in a name other than a person's. */
  readonly neighboursOf: (text: string) => readonly string[][];
  readonly #sections: IndexSections;
  readonly #entityCount: number;
  readonly #lax: boolean;
  // `mhmd` in Arabic script is not the Latin word `mhmd`.
  readonly #names = cacheByText((text) => this.#search(text, false, false));
  readonly #vowellessNames = cacheByText((text) => this.#search(text, true, false));
  readonly #words = cacheByText((text) => this.#search(text, false, true));
  readonly #vowellessWords = cacheByText((text) => this.#search(text, true, true));
  readonly #namesInScript = cacheByText((textAndScript) => {
    const [text = '', script] = textAndScript.split(' ');
    return this.#search(text, false, false, script);
  });

  /** `lax` accepts any number of similar tokens, and well-known names as misspellings. */
  constructor(index: ScreeningIndex, table: TokenTable, { lax }: { lax: boolean } = { lax: false }) {
    this.tokens = new ListedTokens(index, table);
    this.comparison = new PartComparison(index, this.tokens, lax);
    this.cutsOf = createCutFinder(this.tokens);
    this.piecesOf = createPieceFinder(this.tokens);
    this.neighboursOf = createNeighborFinder(index, this.tokens);
    this.#sections = index.sections;
    this.#entityCount = index.entityCount;
    this.#lax = lax;
  }

  /** Finds a part of a person's name. */
  find({ text, vowelless, script }: Pick<QueryPart, 'text' | 'vowelless' | 'script'>): KnownPart {
    if (script !== undefined) return this.#namesInScript(`${text} ${script}`);
    return vowelless ? this.#vowellessNames(text) : this.#names(text);
  }

  /** Finds a word in a name other than a person's, including translations. */
  findWord(text: string, vowelless: boolean): KnownPart {
    return vowelless ? this.#vowellessWords(text) : this.#words(text);
  }

  /** Returns whether a part is listed exactly as written. */
  isWritten(text: string): boolean {
    return this.tokens.isWritten(text);
  }

  #search(text: string, vowelless: boolean, isWord: boolean, script?: string): KnownPart {
    const codes = toCodes(text);
    const canonical = toCodes(canonicalSpelling(text));
    const part: KnownPart = {
      text,
      vowelless,
      codes,
      canonical,
      flags: classifyPart(text, vowelless),
      weight: 0,
      bits: 0,
      tokens: NO_TOKENS,
      similarities: NO_NUMBERS,
      likenesses: NO_LIKENESSES,
      evidence: NO_NUMBERS,
      postings: 0,
      names: undefined,
      textLetters: lettersOf(codes),
      canonicalLetters: lettersOf(canonical),
      firstLetters: letterBit(codes[0]!) | letterBit(canonical[0]!),
    };
    const search = new PartSearch(part, { isWord, script, lax: this.#lax }, this.tokens, this.comparison);
    search.run();
    this.#rankTokens(part, search);
    part.bits = this.#bitsOf(part);
    part.weight = weightOf(part.flags, part.bits);
    return part;
  }

  /**
   * Sorts tokens by similarity and drops the least similar ones: in a list of millions, a short
   * part has hundreds of neighbors. A token's evidence depends on the share of all tokens that are
   * at least as similar.
   */
  #rankTokens(part: KnownPart, { found, similarities, likenesses }: PartSearch): void {
    const { tokenBits, postingOffsets } = this.#sections;
    const order = similarities.map((_, at) => at).sort((a, b) => similarities[b]! - similarities[a]!);
    const count = this.#lax ? order.length : Math.min(order.length, MAX_SIMILAR);
    part.tokens = new Uint32Array(count);
    part.similarities = new Float64Array(count);
    part.likenesses = new Uint8Array(count);
    part.evidence = new Float64Array(count);
    let share = 0;
    for (let at = 0; at < count; at += 1) {
      const token = found[order[at]!]!;
      const own = 2 ** (-tokenBits[token]! / BITS_SCALE);
      // A lax lookup cannot know how many similar tokens a list would have, so each token counts on
      // its own.
      share = this.#lax ? own : share + own;
      part.tokens[at] = token;
      part.similarities[at] = similarities[order[at]!]!;
      part.likenesses[at] = likenesses[order[at]!]!;
      part.evidence[at] = -Math.log2(Math.min(1, share));
      part.postings += postingOffsets[token + 1]! - postingOffsets[token]!;
    }
  }

  /** Returns the bits of the listed part, or of the token that it most likely represents. */
  #bitsOf({ text, tokens }: KnownPart): number {
    const best = tokens[0];
    const bits = best === undefined ? tellingBits(text, 0, this.#entityCount) : this.#sections.tokenBits[best]!;
    return bits / BITS_SCALE;
  }
}

/** Faster than TextEncoder for short texts. */
function toCodes(text: string): Uint8Array {
  const codes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) codes[at] = text.charCodeAt(at);
  return codes;
}
