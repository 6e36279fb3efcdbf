// A step of the schema, applied once to each database.

import type { Phase } from '../../tables.ts';
import type { Engine, Transaction } from '../database.ts';

export interface Migration {
  name: string;
  phase: Phase;
  up(trx: Transaction, engine: Engine): Promise<void>;
}
