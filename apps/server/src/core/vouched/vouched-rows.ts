// What devices and passkeys of a person have in common: whether more than a face has spoken for one, and how many are kept.
import type { Transaction } from '../../platform/database/database.ts';

/** Of one person, of each kind; the one that was not used for longest goes. */
const MAX_VOUCHED = 20;
/** Whoever has a photograph makes as many as they like: these few are all that theirs take the place of. */
const MAX_UNVOUCHED = 3;

export interface VouchedRow {
  id: string;
  vouched: 0 | 1;
  last_used_at: number;
}

export interface VouchedRows {
  /** Whether more than a face has spoken for this one of the person's. */
  isVouched(trx: Transaction, personId: string, id: string): Promise<boolean>;
  /** From now on it speaks for the person; false when they have no such one. */
  vouch(trx: Transaction, personId: string, id: string): Promise<boolean>;
  /** Keeps those that were used last: of the vouched, and apart from them of the others. */
  keepLatest(trx: Transaction, personId: string): Promise<void>;
}

interface VouchedRowsOptions<Row> {
  /** One that is the person's, kept from others until the transaction ends. */
  lockOf(trx: Transaction, personId: string, id: string): Promise<Row | undefined>;
  /** False when the row is no longer as it was read. */
  change(trx: Transaction, row: Row, changes: Pick<VouchedRow, 'vouched'>): Promise<boolean>;
  listOf(trx: Transaction, personId: string): Promise<VouchedRow[]>;
  remove(trx: Transaction, ids: string[]): Promise<unknown>;
}

export function createVouchedRows<Row extends Pick<VouchedRow, 'vouched'>>(
  options: VouchedRowsOptions<Row>,
): VouchedRows {
  const { lockOf, change, listOf, remove } = options;
  return {
    isVouched: async (trx, personId, id) => (await lockOf(trx, personId, id))?.vouched === 1,

    async vouch(trx, personId, id) {
      const row = await lockOf(trx, personId, id);
      return row !== undefined && change(trx, row, { vouched: 1 });
    },

    async keepLatest(trx, personId) {
      const surplus = listSurplus(await listOf(trx, personId));
      if (surplus.length > 0) await remove(trx, surplus);
    },
  };
}

function listSurplus(rows: readonly VouchedRow[]): string[] {
  const latestFirst = [...rows].sort(
    (one, other) => other.last_used_at - one.last_used_at || (one.id < other.id ? 1 : -1),
  );
  const [vouched, others] = [1, 0].map((kind) => latestFirst.filter((row) => row.vouched === kind));
  return [...vouched!.slice(MAX_VOUCHED), ...others!.slice(MAX_UNVOUCHED)].map(({ id }) => id);
}
