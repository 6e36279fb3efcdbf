// What devices and passkeys of a person have in common: whether more than a face has spoken for one, and how many are kept.

import type { PersonId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { MAX_UNVOUCHED, MAX_VOUCHED } from '../limits.ts';
import type { Vouched } from '../tables.ts';

/** Whoever it is goes on to what is bound beside it. Only a host has looked: somebody with a photograph may have enrolled first. */
export const VOUCHED_BY = { nobody: 0, enrolment: 1, host: 2 } as const satisfies Record<string, Vouched>;

interface VouchedRow {
  id: string;
  vouched: Vouched;
  last_used_at: number;
}

interface VouchedRowsOptions<Row> {
  /** One that is the person's, kept from others until the transaction ends. */
  lockOf(trx: Transaction, personId: PersonId, id: string): Promise<Row | undefined>;
  /** False when the row is no longer as it was read. */
  change(trx: Transaction, row: Row, changes: Pick<VouchedRow, 'vouched'>): Promise<boolean>;
  listOf(trx: Transaction, personId: PersonId): Promise<VouchedRow[]>;
  remove(trx: Transaction, ids: string[]): Promise<unknown>;
}

export function createVouchedRows<Row extends Pick<VouchedRow, 'vouched'>>(options: VouchedRowsOptions<Row>) {
  const { lockOf, change, listOf, remove } = options;
  return {
    /** Returns which party besides a face has vouched for this row of the person. */
    voucherOf: async (trx: Transaction, personId: PersonId, id: string) =>
      (await lockOf(trx, personId, id))?.vouched ?? VOUCHED_BY.nobody,

    /** From now on it speaks for the person, at least as this. */
    async vouch(trx: Transaction, personId: PersonId, id: string, by: Vouched) {
      const row = await lockOf(trx, personId, id);
      if (row && row.vouched < by) await change(trx, row, { vouched: by });
    },

    /**
     * Marks the `trusted` rows as vouched for by the host. Rows that the host has never vouched for
     * count as unvouched from now on. Returns false if none of the `trusted` rows exist.
     */
    async trustOnly(trx: Transaction, personId: PersonId, trusted: readonly string[]) {
      let isAny = false;
      // In one order, so that of two who trust at once the second waits.
      for (const id of (await listOf(trx, personId)).map((row) => row.id).sort()) {
        const row = await lockOf(trx, personId, id);
        if (!row) continue;
        const isTrusted = trusted.includes(id);
        const vouched = isTrusted || row.vouched === VOUCHED_BY.host ? VOUCHED_BY.host : VOUCHED_BY.nobody;
        if (vouched !== row.vouched) await change(trx, row, { vouched });
        isAny ||= isTrusted;
      }
      return isAny;
    },

    /** Keeps those that were used last: of the vouched, and apart from them of the others. */
    async keepLatest(trx: Transaction, personId: PersonId) {
      const surplus = listSurplus(await listOf(trx, personId));
      if (surplus.length > 0) await remove(trx, surplus);
    },
  };
}

export type VouchedRows = ReturnType<typeof createVouchedRows>;

function listSurplus(rows: readonly VouchedRow[]): string[] {
  const latestFirst = [...rows].sort(
    (one, other) => other.last_used_at - one.last_used_at || (one.id < other.id ? 1 : -1),
  );
  const vouched = latestFirst.filter((row) => row.vouched !== VOUCHED_BY.nobody);
  const others = latestFirst.filter((row) => row.vouched === VOUCHED_BY.nobody);
  return [...vouched.slice(MAX_VOUCHED), ...others.slice(MAX_UNVOUCHED)].map(({ id }) => id);
}
