// What the key-holder keeps its state in: a file of its own, or a PostgreSQL database that several key-holders share. The rules are
// written once, on the rows of either.
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { Rows, Transact } from '../rows.ts';

export interface KeyHolderStore {
  readonly sealer: Sealer;
  readonly transact: Transact;
  /** For looking only: others may write meanwhile. */
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  /** Takes what was deleted off the disk, as far as that can be done from here. */
  eraseFreed(): Promise<void>;
  close(): Promise<void>;
}
