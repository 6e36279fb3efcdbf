// Storage for the state of the key-holder: a file of its own, or a PostgreSQL database that several
// key-holders share. The rules are written once, on the rows of either.
import type { Sealer } from '../../../platform/sealing/sealer.ts';

export type RowValue = string | number | Uint8Array | null;

/** The rows, within one turn at them. Statements have a `?` for each value and are understood by both. */
export interface Rows {
  /** Milliseconds since 1970: by this machine for a file, by the database's clock where several machines share it. */
  readonly now: number;
  /**
   * Milliseconds for what lives a minute. For a file they only ever grow, whatever happens to the clock; where several machines
   * share a database they are the database's, because nothing else is the same for all.
   */
  readonly steady: number;
  get<T>(statement: string, ...values: RowValue[]): Promise<T | undefined>;
  all<T>(statement: string, ...values: RowValue[]): Promise<T[]>;
  /** How many rows it has changed. */
  run(statement: string, ...values: RowValue[]): Promise<number>;
}

/**
 * Runs `work` while no other call, process or machine writes; nothing of it stays if it throws. What is written is on disk when this
 * resolves. Await nothing but the rows inside: everybody waits.
 */
export type Transact = <T>(work: (rows: Rows) => Promise<T>) => Promise<T>;

export interface KeyHolderStore {
  readonly sealer: Sealer;
  readonly transact: Transact;
  /** Runs work that only reads. Others may write at the same time. */
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  /** Takes what was deleted off the disk, as far as that can be done from here. */
  eraseFreed(): Promise<void>;
  close(): Promise<void>;
}
