// Storage for the state of the key-holder: a file, or a PostgreSQL database that several key-holders share.
import type { Sealer } from '../../../platform/sealing/sealer.ts';

export type RowValue = string | number | Uint8Array | null;

export interface RowCount {
  n: number;
}

/** Each method is a template tag: values become parameters, never part of the statement. Statements work in both databases. */
export interface Rows {
  /** Milliseconds since 1970, by this machine's clock for a file and by the database's clock otherwise. */
  readonly now: number;
  /** Milliseconds for short lifetimes: monotonic for a file, and otherwise the database's clock, which all machines share. */
  readonly steady: number;
  get<T>(statement: TemplateStringsArray, ...values: RowValue[]): Promise<T | undefined>;
  all<T>(statement: TemplateStringsArray, ...values: RowValue[]): Promise<T[]>;
  /** Returns how many rows changed. */
  run(statement: TemplateStringsArray, ...values: RowValue[]): Promise<number>;
}

export interface KeyHolderStore {
  readonly sealer: Sealer;
  /** Runs `work` alone and durably, or not at all if it throws. `work` awaits only the rows, because all other writers wait. */
  transact<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  /** Erases deleted data from the disk, as far as possible from here. */
  eraseFreed(): Promise<void>;
  close(): Promise<void>;
}
