// The reading SQLite connection: reads of one turn of the event loop share one snapshot.
//
// Outside a transaction every SELECT takes and releases the locks of the write-ahead log, which costs more than a look-up
// by key itself. Here the first read of a turn opens a read transaction and the end of the turn closes it. It also ends
// whenever this process commits, so a read always sees everything this process has acknowledged. What another process
// commits is seen from the next turn on, microseconds later.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export class SqliteReader {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #open = false;
  #endScheduled = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare('begin');
    this.#end = db.prepare('commit');
  }

  run<T>(read: () => T): T {
    if (!this.#open || !this.#db.isTransaction) {
      this.#begin.run();
      this.#open = true;
      this.#scheduleEnd();
    }
    return read();
  }

  /** Lets go of the snapshot; the next read takes a new one. */
  endSnapshot(): void {
    if (!this.#open) return;
    this.#open = false;
    // After an I/O error SQLite has ended the transaction by itself.
    if (this.#db.isTransaction) this.#end.run();
  }

  #scheduleEnd(): void {
    if (this.#endScheduled) return;
    this.#endScheduled = true;
    setImmediate(() => {
      this.#endScheduled = false;
      this.endSnapshot();
    });
  }
}
