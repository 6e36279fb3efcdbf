// Which version of which subject an index holds: a few bytes for each, in the order of their ids.

export interface RowVersion {
  id: string;
  changed_at: number;
}

/** Ids are kept as text: it is compared as the database orders it, and need not be parsed. */
const ID_BYTES = 36;

export class KnownRows {
  readonly size: number;
  readonly #ids: Buffer;
  readonly #changedAt: Float64Array;

  /** `rows` in the order of their ids. */
  constructor(rows: readonly RowVersion[]) {
    this.size = rows.length;
    this.#ids = Buffer.alloc(rows.length * ID_BYTES);
    for (const [at, { id }] of rows.entries()) this.#ids.write(id, at * ID_BYTES, 'latin1');
    this.#changedAt = Float64Array.from(rows, ({ changed_at }) => changed_at);
  }

  /** Walks along with pages that come in the order of their ids, from the first on. */
  walk() {
    const [size, ids, changedAt] = [this.size, this.#ids, this.#changedAt];
    const wanted = Buffer.alloc(ID_BYTES);
    let at = 0;
    let stale = 0;
    return {
      /** Number of rows that are gone or were changed, up to where the walk has come. */
      get stale() {
        return stale;
      },
      /** Whether it is held as it is. */
      holds({ id, changed_at }: RowVersion): boolean {
        wanted.write(id, 'latin1');
        for (; at < size; at += 1) {
          const order = ids.compare(wanted, 0, ID_BYTES, at * ID_BYTES, (at + 1) * ID_BYTES);
          if (order > 0) return false;
          const isSame = order === 0 && changedAt[at] === changed_at;
          if (!isSame) stale += 1;
          if (order === 0) {
            at += 1;
            return isSame;
          }
        }
        return false;
      },
    };
  }
}
