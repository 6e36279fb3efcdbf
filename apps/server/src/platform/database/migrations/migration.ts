// What a migration is.
import type { Sealer } from '../../sealing/sealer.ts';
import type { Engine, Transaction } from '../database.ts';

export interface Migration {
  name: string;
  up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void>;
}

/** For migrations that change what is sealed; asked only where there is something. */
export type OpenSealer = () => Promise<Sealer>;
