// The distinct name parts of an index, numbered in order of appearance, with their lookup keys.
import { classifyPart, TOKEN_ESTABLISHED } from '../names/part-class.ts';
import { filingKeys } from '../names/part-keys.ts';
import { canonicalSpelling } from '../names/spelling.ts';
import { GrowingArray } from './growing-array.ts';
import { allocateSection } from './screening-index.ts';
import { tellingBits } from './telling-bits.ts';

/** Number and share of entities from which a part counts as a name and not as a typo. */
const ESTABLISHED_FROM = 4;
const ESTABLISHED_SHARE = 1 / 50_000;

export function createDictionary() {
  /** Vowelless parts have separate tokens: Arabic `mhmd` is not the Latin word `mhmd`. */
  const ids = new Map<string, number>();
  const lastEntity = new GrowingArray(Uint32Array);
  const entitiesWith: number[] = [];

  function free(): void {
    ids.clear();
    lastEntity.free();
    entitiesWith.length = 0;
  }

  return {
    size: () => ids.size,
    idOf(text: string, vowelless: boolean): number {
      const key = vowelless ? `~${text}` : text;
      let id = ids.get(key);
      if (id === undefined) {
        id = ids.size;
        ids.set(key, id);
        lastEntity.push(0);
        entitiesWith.push(0);
      }
      return id;
    },
    countEntity(token: number, entity: number): void {
      if (lastEntity.at(token) === entity + 1) return;
      lastEntity.set(token, entity + 1);
      entitiesWith[token]! += 1;
    },
    /** Releases the memory without building a result. */
    free,
    finish(entities: number) {
      const tokenText = new GrowingArray(Uint8Array, 1 << 16);
      const tokenTextOffsets = new GrowingArray(Uint32Array);
      const canonText = new GrowingArray(Uint8Array, 1 << 16);
      const canonTextOffsets = new GrowingArray(Uint32Array);
      const tokenBits = allocateSection('tokenBits', ids.size);
      const tokenFlags = allocateSection('tokenFlags', ids.size);
      const keys = new GrowingArray(Uint32Array, 1 << 16);
      const keyOwners = new GrowingArray(Uint32Array, 1 << 16);
      const encoder = new TextEncoder();
      tokenTextOffsets.push(0);
      canonTextOffsets.push(0);
      const establishedFrom = Math.max(ESTABLISHED_FROM, entities * ESTABLISHED_SHARE);
      let token = 0;
      for (const key of ids.keys()) {
        const vowelless = key.startsWith('~');
        const text = vowelless ? key.slice(1) : key;
        tokenText.append(encoder.encode(text));
        tokenTextOffsets.push(tokenText.length);
        canonText.append(encoder.encode(canonicalSpelling(text)));
        canonTextOffsets.push(canonText.length);
        const bearers = entitiesWith[token]!;
        tokenBits[token] = tellingBits(text, bearers, entities);
        tokenFlags[token] = classifyPart(text, vowelless) | (bearers >= establishedFrom ? TOKEN_ESTABLISHED : 0);
        for (const hash of new Set(filingKeys(text, vowelless))) {
          keys.push(hash);
          keyOwners.push(token);
        }
        token += 1;
      }
      free();
      return {
        tokenText: tokenText.share(),
        tokenTextOffsets: tokenTextOffsets.share(),
        canonText: canonText.share(),
        canonTextOffsets: canonTextOffsets.share(),
        tokenBits,
        tokenFlags,
        ...buildBuckets(keys, keyOwners),
      };
    },
  };
}

/**
 * Groups keys into buckets by their low bits, with as many buckets as keys. The high bits then rule
 * out most mismatches within a bucket.
 */
function buildBuckets(keys: GrowingArray<Uint32ArrayConstructor>, owners: GrowingArray<Uint32ArrayConstructor>) {
  const buckets = 2 ** Math.ceil(Math.log2(Math.max(16, keys.length)));
  const keyOffsets = allocateSection('keyOffsets', buckets + 1);
  for (let at = 0; at < keys.length; at += 1) keyOffsets[keys.at(at) & (buckets - 1)]! += 1;
  for (let bucket = 1; bucket <= buckets; bucket += 1) keyOffsets[bucket]! += keyOffsets[bucket - 1]!;
  const keyTokens = allocateSection('keyTokens', keys.length);
  const keyTags = allocateSection('keyTags', keys.length);
  // Fills each bucket from the back, so that its offset moves from end to start without a second
  // array.
  for (let at = keys.length - 1; at >= 0; at -= 1) {
    const bucket = keys.at(at) & (buckets - 1);
    keyOffsets[bucket]! -= 1;
    keyTokens[keyOffsets[bucket]!] = owners.at(at);
    keyTags[keyOffsets[bucket]!] = keys.at(at) >>> 24;
  }
  keys.free();
  owners.free();
  return { keyTokens, keyTags, keyOffsets };
}
