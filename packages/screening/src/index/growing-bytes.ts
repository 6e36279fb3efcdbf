// Bytes that grow to hundreds of megabytes. Stored in pieces, so that neither growing nor sharing
// doubles the memory.
const FIRST_PIECE_BYTES = 1 << 16;
/** The allocator returns blocks above 32 MB to the system immediately. */
const LARGEST_PIECE_BYTES = 1 << 26;

interface Piece {
  from: number;
  bytes: Uint8Array<ArrayBuffer>;
}

export class GrowingBytes {
  #pieces: Piece[] = [];
  length = 0;

  append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const last = this.#last();
      const part = bytes.subarray(done, done + last.from + last.bytes.length - this.length);
      last.bytes.set(part, this.length - last.from);
      this.length += part.length;
      done += part.length;
    }
  }

  /** Returns a copy of a range, which may span several pieces. */
  slice(start: number, end: number): Uint8Array {
    const copy = new Uint8Array(end - start);
    for (const { from, bytes } of this.#pieces) {
      if (from >= end || from + bytes.length <= start) continue;
      copy.set(bytes.subarray(Math.max(0, start - from), end - from), Math.max(0, from - start));
    }
    return copy;
  }

  /** Releases all pieces that end before this position. Their bytes can no longer be read. */
  releaseBefore(place: number): void {
    while (this.#pieces.length > 0 && this.#pieces[0]!.from + this.#pieces[0]!.bytes.length <= place) {
      this.#pieces.shift()!.bytes.buffer.transfer(0);
    }
  }

  /** Moves all bytes to shared memory and releases the pieces on the way. */
  share(): Uint8Array {
    const shared = new Uint8Array(new SharedArrayBuffer(this.length));
    for (const { from, bytes } of this.#pieces) {
      shared.set(bytes.subarray(0, this.length - from), from);
      bytes.buffer.transfer(0); // nothing here would trigger garbage collection
    }
    this.#pieces = [];
    this.length = 0;
    return shared;
  }

  /** Returns a piece with free space. Each new piece is as large as all previous ones together. */
  #last(): Piece {
    const last = this.#pieces.at(-1);
    if (last !== undefined && this.length < last.from + last.bytes.length) return last;
    const size = Math.min(Math.max(FIRST_PIECE_BYTES, this.length), LARGEST_PIECE_BYTES);
    const next = { from: this.length, bytes: new Uint8Array(size) };
    this.#pieces.push(next);
    return next;
  }
}
