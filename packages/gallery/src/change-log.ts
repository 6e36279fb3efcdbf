// Which slots of a gallery changed while searches were under way.

/** Entries kept although no search needs them any longer, so that trimming stays rare. */
const SLACK = 1024;

export class ChangeLog {
  // Marks count all changes ever recorded. `#slots` holds the last of them, and nothing while no search is under way.
  #slots: number[] = [];
  #first = 0;
  readonly #marks: number[] = [];

  /** Begins to watch. Every call needs its `end`. */
  begin(): number {
    const mark = this.#first + this.#slots.length;
    this.#marks.push(mark);
    return mark;
  }

  /** Returns the slots that changed since. */
  since(mark: number): Set<number> {
    return new Set(this.#slots.slice(mark - this.#first));
  }

  end(mark: number): void {
    this.#marks.splice(this.#marks.indexOf(mark), 1);
    const oldest = this.#marks[0] ?? this.#first + this.#slots.length;
    if (this.#marks.length > 0 && oldest - this.#first < SLACK) return;
    this.#slots = this.#slots.slice(oldest - this.#first);
    this.#first = oldest;
  }

  record(slot: number): void {
    if (this.#marks.length > 0) this.#slots.push(slot);
  }

  /** Number of entries that it holds. */
  get length(): number {
    return this.#slots.length;
  }
}
