// The rows of links that a wallet may still answer: found by a digest of what is in the address, used up by looking.
import { createHash } from 'node:crypto';
import type { Indicators } from '@limen/contract';
import type { RequestState } from '@limen/wallet';
import type { DeviceHold } from '../../../core/device-channel/take-call.ts';
import { refuseGone } from '../../../core/session-evidence/store.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { SessionId } from '../../../platform/ids.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';

export interface OpenLink {
  sessionId: SessionId;
  /** Of the device that asked for the link: only what it holds ends by the answer. */
  hold: DeviceHold;
  state: RequestState;
  /** Counts what the session has asked of wallets; a link of an earlier version has none. */
  attempt?: number;
  /** Signed, where the link only says where it is. */
  requestObject: string | null;
  expiresAt: number;
  /** Of the device that asked. */
  indicators: Indicators | null;
}

export interface WalletLinkStore {
  /** `id` is what stands in the address; it is not kept. */
  add(trx: Transaction, id: string, link: OpenLink): Promise<void>;
  /** Leaves it where it is. */
  find(id: string, now: number): Promise<OpenLink | undefined>;
  /** Once: whoever comes second finds nothing. */
  take(id: string, now: number): Promise<OpenLink | undefined>;
  removeOf(trx: Transaction, sessionId: SessionId): Promise<void>;
  /** Deletes what is over, at most so many, and says how many. */
  purge(now: number, limit: number): Promise<number>;
}

export function createWalletLinkStore({ queries }: Pick<Database, 'queries'>, sealer: Sealer): WalletLinkStore {
  return {
    async add(trx, id, link) {
      const digest = digestOf(id);
      await trx
        .insertInto('wallet_links')
        .values({
          id: digest,
          session_id: link.sessionId,
          expires_at: link.expiresAt,
          sealed: sealer.sealJson(link, placeOf(digest)),
        })
        .execute()
        .catch(refuseGone);
    },

    async find(id, now) {
      const digest = digestOf(id);
      const row = await queries.selectFrom('wallet_links').select('sealed').where('id', '=', digest).executeTakeFirst();
      return openRow(row, digest, now);
    },

    async take(id, now) {
      const digest = digestOf(id);
      const row = await queries
        .deleteFrom('wallet_links')
        .where('id', '=', digest)
        .returning('sealed')
        .executeTakeFirst();
      return openRow(row, digest, now);
    },

    async removeOf(trx, sessionId) {
      await trx.deleteFrom('wallet_links').where('session_id', '=', sessionId).execute();
    },

    async purge(now, limit) {
      const over = queries
        .selectFrom('wallet_links')
        .select('id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit);
      const { numDeletedRows } = await queries.deleteFrom('wallet_links').where('id', 'in', over).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };

  function openRow(row: { sealed: Uint8Array } | undefined, digest: string, now: number): OpenLink | undefined {
    const link = row && (sealer.openJson(row.sealed, placeOf(digest)) as OpenLink);
    return link && link.expiresAt > now ? link : undefined;
  }
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

function placeOf(digest: string): string {
  return `wallet_links/sealed/${digest}`;
}
