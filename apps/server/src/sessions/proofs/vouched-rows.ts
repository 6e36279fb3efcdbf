// Devices and passkeys of a person: whether more than a face vouches for them, and how many are kept.
import type { PersonId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { MAX_UNVOUCHED, MAX_VOUCHED } from '../limits.ts';
import type { VouchingLevel } from '../tables.ts';

/** Only `host` means that someone looked: a photograph can enroll. */
export const VOUCHED_BY = { nobody: 0, enrolment: 1, host: 2 } as const satisfies Record<string, VouchingLevel>;

interface VouchedRow {
  id: string;
  vouched: VouchingLevel;
  last_used_at: number;
}

export abstract class VouchedRows<Row extends Pick<VouchedRow, 'vouched'>> {
  /** Locks the row until the transaction ends. Returns undefined if it is not the person's. */
  protected abstract lockOf(trx: Transaction, personId: PersonId, id: string): Promise<Row | undefined>;
  protected abstract change(trx: Transaction, row: Row, changes: Pick<VouchedRow, 'vouched'>): Promise<boolean>;
  protected abstract listOf(trx: Transaction, personId: PersonId): Promise<VouchedRow[]>;
  protected abstract remove(trx: Transaction, ids: string[]): Promise<unknown>;

  async voucherOf(trx: Transaction, personId: PersonId, id: string) {
    return (await this.lockOf(trx, personId, id))?.vouched ?? VOUCHED_BY.nobody;
  }

  async vouch(trx: Transaction, personId: PersonId, id: string, by: VouchingLevel) {
    const row = await this.lockOf(trx, personId, id);
    if (row && row.vouched < by) await this.change(trx, row, { vouched: by });
  }

  /**
   * Marks the `trusted` rows as vouched for by the host, and revokes all vouchers except the
   * host's. Returns false if none of the `trusted` rows exist.
   */
  async trustOnly(trx: Transaction, personId: PersonId, trusted: readonly string[]) {
    let isAny = false;
    // Sorted, so that concurrent calls lock in one order.
    for (const id of (await this.listOf(trx, personId)).map((row) => row.id).sort()) {
      const row = await this.lockOf(trx, personId, id);
      if (!row) continue;
      const isTrusted = trusted.includes(id);
      const vouched = isTrusted || row.vouched === VOUCHED_BY.host ? VOUCHED_BY.host : VOUCHED_BY.nobody;
      if (vouched !== row.vouched) await this.change(trx, row, { vouched });
      isAny ||= isTrusted;
    }
    return isAny;
  }

  /** Deletes all but the most recently used rows, of vouched and unvouched ones each. */
  protected async keepLatest(trx: Transaction, personId: PersonId) {
    const latestFirst = (await this.listOf(trx, personId)).sort(
      (a, b) => b.last_used_at - a.last_used_at || (a.id < b.id ? 1 : -1),
    );
    const vouched = latestFirst.filter((row) => row.vouched !== VOUCHED_BY.nobody);
    const unvouched = latestFirst.filter((row) => row.vouched === VOUCHED_BY.nobody);
    const surplus = [...vouched.slice(MAX_VOUCHED), ...unvouched.slice(MAX_UNVOUCHED)].map(({ id }) => id);
    if (surplus.length > 0) await this.remove(trx, surplus);
  }
}
