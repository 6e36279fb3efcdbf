// Which version of which subject an index holds: a few bytes for each, in the order of their ids.

export interface RowVersion {
  id: string;
  changed_at: number;
}

export interface KnownRows {
  readonly size: number;
  /** Walks along with pages that come in the order of their ids, from the first on. */
  walk(): KnownWalk;
}

interface KnownWalk {
  /** Whether it is held as it is. */
  holds(row: RowVersion): boolean;
  /** How many are gone or were changed, up to where the walk has come. */
  readonly stale: number;
}

/** As text: it is compared as the database orders it, and need not be read. */
const ID_BYTES = 36;

/** `rows` in the order of their ids. */
export function rememberRows(rows: readonly RowVersion[]): KnownRows {
  const ids = Buffer.alloc(rows.length * ID_BYTES);
  const changedAt = new Float64Array(rows.length);
  for (const [at, { id, changed_at }] of rows.entries()) {
    ids.write(id, at * ID_BYTES, 'latin1');
    changedAt[at] = changed_at;
  }
  const size = rows.length;
  return {
    size,
    walk() {
      const wanted = Buffer.alloc(ID_BYTES);
      let at = 0;
      let stale = 0;
      return {
        get stale() {
          return stale;
        },
        holds({ id, changed_at }) {
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
    },
  };
}
