// Joins chunks as they come. A list of them would cost hundreds of bytes for each, also where a client sends single bytes.

export interface ByteCollector {
  readonly length: number;
  add(chunk: Uint8Array): void;
  bytes(): Buffer;
}

export function createByteCollector(): ByteCollector {
  let joined: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(chunk) {
      const needed = length + chunk.length;
      if (needed > joined.length) {
        const larger = Buffer.allocUnsafe(length === 0 ? needed : Math.max(needed, 2 * length));
        joined.copy(larger, 0, 0, length);
        joined = larger;
      }
      joined.set(chunk, length);
      length = needed;
    },
    bytes: () => joined.subarray(0, length),
  };
}
