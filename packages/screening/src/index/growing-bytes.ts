// Bytes that grow to hundreds of megabytes: in pieces, so that neither growing nor sharing them needs twice the room.
const PIECE_BYTES = 1 << 22;

export class GrowingBytes {
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  length = 0;

  append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const at = this.length % PIECE_BYTES;
      if (at === 0) this.#pieces.push(new Uint8Array(PIECE_BYTES));
      const part = bytes.subarray(done, done + PIECE_BYTES - at);
      this.#pieces.at(-1)!.set(part, at);
      this.length += part.length;
      done += part.length;
    }
  }

  /** A copy of a stretch, which may lie over the end of a piece. */
  slice(from: number, to: number): Uint8Array {
    const copy = new Uint8Array(to - from);
    for (let at = from; at < to; ) {
      const piece = this.#pieces[Math.floor(at / PIECE_BYTES)]!;
      const part = piece.subarray(at % PIECE_BYTES, (at % PIECE_BYTES) + to - at);
      copy.set(part, at - from);
      at += part.length;
    }
    return copy;
  }

  /** All of them in memory that several threads can see; what was held is given back on the way. */
  share(): Uint8Array {
    const shared = new Uint8Array(new SharedArrayBuffer(this.length));
    for (const [number, piece] of this.#pieces.entries()) {
      const from = number * PIECE_BYTES;
      shared.set(piece.subarray(0, this.length - from), from);
      piece.buffer.transfer(0); // at once: nothing here would make the collector run
    }
    this.#pieces = [];
    this.length = 0;
    return shared;
  }
}
