// Finds texts that differ by at most one letter, using the deletion keys of part-keys.ts on both
// sides.
//
// Millions of texts are looked up and hardly any is near, so a small Bloom filter that fits the CPU
// caches rejects most of them. Hashes are sums over letter positions, so the hash without one
// letter follows from the hash of the whole text.

/** Maximum number of letters. Longer texts are truncated; name parts are never that long. */
export const MAX_LETTERS = 64;
/** Size of the Bloom filter: 32-bit words per key, with three bits set per key. */
const WORDS_PER_KEY = 1;
const LEAST_SIZE_BITS = 10;
const MOST_SIZE_BITS = 21;
const FACTOR = 0x01000193;
const POWERS = new Int32Array(MAX_LETTERS + 1);
POWERS[0] = 1;
for (let at = 1; at <= MAX_LETTERS; at += 1) POWERS[at] = Math.imul(POWERS[at - 1]!, FACTOR);

export type NearTexts = ReturnType<typeof createNearTexts>;

export function createNearTexts(texts: readonly string[]) {
  const keys = new Uint32Array(MAX_LETTERS + 1);
  const codes = new Uint8Array(MAX_LETTERS);
  let total = 0;
  for (const { length } of texts) total += Math.min(length, MAX_LETTERS) + 1;
  let sizeBits = LEAST_SIZE_BITS;
  while (sizeBits < MOST_SIZE_BITS && 2 ** sizeBits < total * WORDS_PER_KEY) sizeBits += 1;
  const shift = 32 - sizeBits;
  const filter = new Int32Array(2 ** sizeBits);
  /** Keys and their owners, grouped by leading bits. */
  const offsets = new Uint32Array(2 ** sizeBits + 1);
  const held = new Uint32Array(total);
  const places = new Uint32Array(total);

  function keysOf(text: string): number {
    const length = Math.min(text.length, MAX_LETTERS);
    for (let at = 0; at < length; at += 1) codes[at] = text.charCodeAt(at);
    return writeKeys(codes, length, keys);
  }

  for (const text of texts) {
    const count = keysOf(text);
    for (let at = 0; at < count; at += 1) {
      const key = keys[at]!;
      filter[key >>> shift]! |= filterBits(key);
      offsets[(key >>> shift) + 1]! += 1;
    }
  }
  for (let bucket = 1; bucket < offsets.length; bucket += 1) offsets[bucket]! += offsets[bucket - 1]!;
  const next = offsets.slice();
  for (const [place, text] of texts.entries()) {
    const count = keysOf(text);
    for (let at = 0; at < count; at += 1) {
      const slot = next[keys[at]! >>> shift]!++;
      held[slot] = keys[at]!;
      places[slot] = place;
    }
  }

  function mayHoldKey(key: number): boolean {
    const bits = filterBits(key);
    return (filter[key >>> shift]! & bits) === bits;
  }

  return {
    /** Takes the first `length` ASCII codes. Has no false negatives and few false positives. */
    mayHave(asked: Uint8Array, length: number): boolean {
      let whole = 0;
      for (let at = 0; at < length; at += 1) whole = (Math.imul(whole, FACTOR) + asked[at]!) | 0;
      if (mayHoldKey(mix(whole))) return true;
      let before = 0;
      for (let at = 0; at < length; at += 1) {
        const upTo = (Math.imul(before, FACTOR) + asked[at]!) | 0;
        if (mayHoldKey(mix((whole + Math.imul(before - upTo, POWERS[length - 1 - at]!)) | 0))) return true;
        before = upTo;
      }
      return false;
    },
    /** Returns the positions of the near texts. */
    find(text: string): number[] {
      const found = new Set<number>();
      const count = keysOf(text);
      for (let at = 0; at < count; at += 1) {
        const key = keys[at]!;
        if (!mayHoldKey(key)) continue;
        for (let slot = offsets[key >>> shift]!; slot < offsets[(key >>> shift) + 1]!; slot += 1)
          if (held[slot] === key) found.add(places[slot]!);
      }
      return [...found];
    },
  };
}

/** Writes the keys of the text and of the text without each letter. */
function writeKeys(codes: Uint8Array, length: number, keys: Uint32Array): number {
  let whole = 0;
  for (let at = 0; at < length; at += 1) whole = (Math.imul(whole, FACTOR) + codes[at]!) | 0;
  keys[0] = mix(whole);
  let count = 1;
  let before = 0;
  for (let at = 0; at < length; at += 1) {
    const upTo = (Math.imul(before, FACTOR) + codes[at]!) | 0;
    if (at === 0 || codes[at] !== codes[at - 1]) {
      keys[count] = mix((whole + Math.imul(before - upTo, POWERS[length - 1 - at]!)) | 0);
      count += 1;
    }
    before = upTo;
  }
  return count;
}

function filterBits(key: number): number {
  return (1 << (key & 31)) | (1 << ((key >>> 5) & 31)) | (1 << ((key >>> 10) & 31));
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
