// Bytes that grow to hundreds of megabytes: in pieces, so that neither growing nor sharing them needs twice the room.
const FIRST_PIECE_BYTES = 1 << 16;
/** The allocator gives what is larger than 32 MB back to the system at once, wherever it lies. */
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

  /** A copy of a stretch, which may lie over the ends of pieces. */
  slice(start: number, end: number): Uint8Array {
    const copy = new Uint8Array(end - start);
    for (const { from, bytes } of this.#pieces) {
      if (from >= end || from + bytes.length <= start) continue;
      copy.set(bytes.subarray(Math.max(0, start - from), end - from), Math.max(0, from - start));
    }
    return copy;
  }

  /** Gives back the pieces that end before this place; what was in them cannot be read any more. */
  releaseBefore(place: number): void {
    while (this.#pieces.length > 0 && this.#pieces[0]!.from + this.#pieces[0]!.bytes.length <= place) {
      this.#pieces.shift()!.bytes.buffer.transfer(0);
    }
  }

  /** All of them in memory that several threads can see; what was held is given back on the way. */
  share(): Uint8Array {
    const shared = new Uint8Array(new SharedArrayBuffer(this.length));
    for (const { from, bytes } of this.#pieces) {
      shared.set(bytes.subarray(0, this.length - from), from);
      bytes.buffer.transfer(0); // nothing here would make the collector run
    }
    this.#pieces = [];
    this.length = 0;
    return shared;
  }

  /** With room: each new piece is as large as all before it. */
  #last(): Piece {
    const last = this.#pieces.at(-1);
    if (last !== undefined && this.length < last.from + last.bytes.length) return last;
    const size = Math.min(Math.max(FIRST_PIECE_BYTES, this.length), LARGEST_PIECE_BYTES);
    const next = { from: this.length, bytes: new Uint8Array(size) };
    this.#pieces.push(next);
    return next;
  }
}
