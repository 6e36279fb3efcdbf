// A hash of bytes that is wide enough to stand for them: two of a million records share one once in ten thousand lists.

/** 53 bits, the most that a number holds: two FNV-1a of different starts, each with a final mix. */
export function hashBytes(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let one = 0x811c9dc5;
  let two = 0x01234567;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at]!;
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x5bd1e995);
    two ^= two >>> 15;
  }
  return mix(one) * 2 ** 21 + (mix(two ^ one) >>> 11);
}

function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
