// What a migration is.
import type { Sealer } from '../../sealing/sealer.ts';
import type { Engine, Transaction } from '../database.ts';
import type { Phase } from '../schema.ts';

export interface Migration {
  name: string;
  /** Those from before there were phases have none: every process has to be stopped for them. */
  phase?: Phase;
  up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void>;
}

/** For migrations that change what is sealed; asked only where there is something. */
export type OpenSealer = () => Promise<Sealer>;
