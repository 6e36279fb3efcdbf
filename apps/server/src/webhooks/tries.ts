// Each try of a delivery: when it was, and what came of it.
import type { Sealer } from '../platform/sealing/sealer.ts';
import { MAX_KEPT_TRIES } from './limits.ts';
import type { Bound } from './sendable.ts';
import type { DeliveryRow } from './store.ts';
import { tables } from './tables.ts';

export interface Try {
  /** Milliseconds since 1970. */
  at: number;
  /** The HTTP status, or a code for why there is none. Never a text of the receiver's. */
  outcome: number | string;
}

export type TriedRow = Bound & Pick<DeliveryRow, 'tries'>;

export function createTries(sealer: Pick<Sealer, 'sealJson' | 'openJson'>) {
  const read = (row: TriedRow): Try[] => {
    if (row.tries === null) return [];
    try {
      return sealer.openJson(row.tries, tables.webhook_deliveries.places.tries(row)) as Try[];
    } catch {
      // Edited in the database: nothing can be said of them.
      return [];
    }
  };
  return {
    /** Oldest first. */
    read,
    /** What is kept with one more. */
    add: (row: TriedRow, last: Try) =>
      sealer.sealJson([...read(row), last].slice(-MAX_KEPT_TRIES), tables.webhook_deliveries.places.tries(row)),
  };
}
