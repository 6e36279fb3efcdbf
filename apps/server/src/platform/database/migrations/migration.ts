// A step of the schema, applied once to each database.
import type { Engine, Transaction } from '../database.ts';
import type { Phase } from '../schema.ts';

export interface Migration {
  name: string;
  phase: Phase;
  up(trx: Transaction, engine: Engine): Promise<void>;
}
