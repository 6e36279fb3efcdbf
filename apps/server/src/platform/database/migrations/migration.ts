// What a migration is.
import type { Sealer } from '../../sealing/sealer.ts';
import type { Engine, Transaction } from '../database.ts';

/**
 * `expand` adds what the version before this one can live with: it is applied at start, while processes of that version go on.
 * `contract` takes away what only that version needs: `limen migrate --contract` applies it, once none of them is left.
 */
export type Phase = 'expand' | 'contract';

export interface Migration {
  name: string;
  /** Those from before there were phases have none: every process has to be stopped for them. */
  phase?: Phase;
  up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void>;
}

/** For migrations that change what is sealed; asked only where there is something. */
export type OpenSealer = () => Promise<Sealer>;
