// Which slots of a gallery changed while searches were under way.

/** Entries kept although no search needs them any longer, so that trimming stays rare. */
const SLACK = 1024;

export interface ChangeLog {
  /** Begins to watch; every call wants its `end`. */
  begin(): number;
  /** The slots that changed since. */
  since(mark: number): Set<number>;
  end(mark: number): void;
  record(slot: number): void;
  /** Entries that it holds. */
  readonly length: number;
}

export function createChangeLog(): ChangeLog {
  // Marks count all changes ever recorded; `slots` holds the last of them, and nothing while nobody watches.
  let slots: number[] = [];
  let first = 0;
  const marks: number[] = [];
  return {
    begin() {
      const mark = first + slots.length;
      marks.push(mark);
      return mark;
    },
    since: (mark) => new Set(slots.slice(mark - first)),
    end(mark) {
      marks.splice(marks.indexOf(mark), 1);
      const oldest = marks[0] ?? first + slots.length;
      if (marks.length > 0 && oldest - first < SLACK) return;
      slots = slots.slice(oldest - first);
      first = oldest;
    },
    record(slot) {
      if (marks.length > 0) slots.push(slot);
    },
    get length() {
      return slots.length;
    },
  };
}
