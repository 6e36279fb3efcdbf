// Mutates a response depending on a seed: bits, lengths, shapes.
import { createHash } from 'node:crypto';

export interface Mutation {
  name: string;
  bytes: Uint8Array;
}

type Mutator = (bytes: Uint8Array, draw: (below: number) => number) => Uint8Array;

const MUTATORS: Readonly<Record<string, Mutator>> = {
  flipBit: (bytes, draw) => change(bytes, draw(bytes.length), (byte) => byte ^ (1 << draw(8))),
  otherByte: (bytes, draw) => change(bytes, draw(bytes.length), (byte) => byte + 1 + draw(255)),
  cutOff: (bytes, draw) => bytes.subarray(0, draw(bytes.length)),
  takeOut: (bytes, draw) => {
    const at = draw(bytes.length);
    return join(bytes.subarray(0, at), bytes.subarray(at + 1 + draw(8)));
  },
  putIn: (bytes, draw) => {
    const at = draw(bytes.length);
    return join(
      bytes.subarray(0, at),
      Uint8Array.from({ length: 1 + draw(8) }, () => draw(256)),
      bytes.subarray(at),
    );
  },
  repeat: (bytes, draw) => {
    const [at, length] = [draw(bytes.length), 1 + draw(64)];
    return join(bytes.subarray(0, at + length), bytes.subarray(at));
  },
  /** Replaces a definite length by an indefinite one with its end. */
  indefinite: (bytes, draw) => {
    const at = findHead(bytes, draw, (major) => major >= 2 && major <= 5);
    return join(
      change(bytes, at, (byte) => (byte & 0xe0) | 31),
      Uint8Array.of(0xff),
    );
  },
  /** A length beyond the end. */
  hugeLength: (bytes, draw) => {
    const at = findHead(bytes, draw, (major) => major >= 2 && major <= 5);
    const head = Uint8Array.of((bytes[at]! & 0xe0) | 27, draw(128), ...Array.from({ length: 7 }, () => draw(256)));
    return join(bytes.subarray(0, at), head, bytes.subarray(at + 1));
  },
  /** Repeats the first entry of a map. */
  duplicateKey: (bytes, draw) => {
    const at = findHead(bytes, draw, (major, info) => major === 5 && info > 0 && info < 23);
    const entry = bytes.subarray(at + 1, at + 1 + 8 + draw(32));
    return join(change(bytes, at, (byte) => byte + 1).subarray(0, at + 1), entry, bytes.subarray(at + 1));
  },
  /** Encodes a number in more bytes than necessary. */
  longForm: (bytes, draw) => {
    const at = findHead(bytes, draw, (_, info) => info < 24);
    const [major, info] = [bytes[at]! & 0xe0, bytes[at]! & 31];
    return join(bytes.subarray(0, at), Uint8Array.of(major | 24, info), bytes.subarray(at + 1));
  },
  otherType: (bytes, draw) => change(bytes, draw(bytes.length), (byte) => (byte & 31) | (draw(8) << 5)),
  deep: (bytes, draw) => {
    const at = draw(bytes.length);
    return join(bytes.subarray(0, at), new Uint8Array(1000 + draw(20_000)).fill(0x81), bytes.subarray(at));
  },
};

/** Returns the n-th mutation of a seed, never the original bytes. */
export function mutate(bytes: Uint8Array, seed: string, n: number): Mutation {
  const names = Object.keys(MUTATORS);
  const name = names[n % names.length]!;
  const draw = createDraw(`${seed} ${n}`);
  for (;;) {
    const mutated = MUTATORS[name]!(bytes, draw);
    if (Buffer.compare(mutated, bytes) !== 0) return { name, bytes: mutated };
  }
}

function createDraw(seed: string): (below: number) => number {
  let count = 0;
  return (below) => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE(0) % below;
}

/** Any byte may look like an item's head. Most are none, which is just as useful. */
function findHead(
  bytes: Uint8Array,
  draw: (below: number) => number,
  fits: (major: number, info: number) => boolean,
): number {
  const start = draw(bytes.length);
  const found = bytes.findIndex((byte, at) => at >= start && fits(byte >> 5, byte & 31));
  return found === -1 ? 0 : found;
}

function change(bytes: Uint8Array, at: number, to: (byte: number) => number): Uint8Array {
  return bytes.with(at, to(bytes[at]!) & 0xff);
}

function join(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
