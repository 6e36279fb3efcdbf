// The rows of links that a wallet may still answer: found by a digest of what is in the address, used up by looking.
import { createHash } from 'node:crypto';
import type { Indicators } from '@limen/contract';
import type { RequestState } from '@limen/wallet';
import { inBatches } from '../../../platform/base/batches.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import { refuseGone } from '../../device/store.ts';
import type { DeviceHold } from '../../device/take-call.ts';
import type { WalletFinding } from '../../proofs/wallets/proofs.ts';
import { tables } from '../../tables.ts';

export interface OpenLink {
  sessionId: SessionId;
  /** Of the device that asked for the link: only what it holds ends by the answer. */
  hold: DeviceHold;
  state: RequestState;
  /** Number of wallet requests of the session, this one included. */
  attempt: number;
  /** Signed, where the link only says where it is. */
  requestObject: string | null;
  expiresAt: number;
  /** Of the device that asked. */
  indicators: Indicators | null;
  /** To be opened on that device: what the wallet shows counts once the device comes with a code. */
  isSameDevice?: boolean;
}

/** What a wallet showed by a link that was to be opened on the session's own device, until that comes with the code. */
export interface AnsweredLink extends Pick<OpenLink, 'sessionId' | 'hold' | 'expiresAt' | 'indicators'> {
  finding: WalletFinding;
}

export function createWalletLinkStore({ queries }: Pick<Database, 'queries'>, sealer: Sealer) {
  return {
    /** `id` is what stands in the address; it is not kept. */
    add: (trx: Transaction, id: string, link: OpenLink): Promise<void> => insert(trx, digestOf(id), link),

    /** Leaves it where it is. */
    async find(id: string, now: number): Promise<OpenLink | undefined> {
      const digest = digestOf(id);
      const row = await queries.selectFrom('wallet_links').select('sealed').where('id', '=', digest).executeTakeFirst();
      return openRow(row, digest, now);
    },

    /** Once: whoever comes second finds nothing. */
    async take(id: string, now: number): Promise<OpenLink | undefined> {
      const digest = digestOf(id);
      const row = await queries
        .deleteFrom('wallet_links')
        .where('id', '=', digest)
        .returning('sealed')
        .executeTakeFirst();
      return openRow(row, digest, now);
    },

    /** `code` is what the wallet leads back with; it is not kept. */
    addAnswered: (trx: Transaction, code: string, answered: AnsweredLink): Promise<void> =>
      insert(trx, digestOf(code, 'code'), answered),

    /** Once, and for this session alone. */
    async takeAnswered(
      trx: Transaction,
      code: string,
      sessionId: SessionId,
      now: number,
    ): Promise<AnsweredLink | undefined> {
      const digest = digestOf(code, 'code');
      const row = await trx
        .deleteFrom('wallet_links')
        .where('id', '=', digest)
        .where('session_id', '=', sessionId)
        .returning('sealed')
        .executeTakeFirst();
      return openRow(row, digest, now);
    },

    async removeOf(trx: Transaction, sessionId: SessionId): Promise<void> {
      await trx.deleteFrom('wallet_links').where('session_id', '=', sessionId).execute();
    },

    /** Deletes what is over, at most so many, and says how many. */
    async purge(now: number, limit: number): Promise<number> {
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

  async function insert(trx: Transaction, digest: string, row: OpenLink | AnsweredLink): Promise<void> {
    const { sessionId: session_id, expiresAt: expires_at } = row;
    await trx
      .insertInto('wallet_links')
      .values({
        id: digest,
        session_id,
        expires_at,
        sealed: sealer.sealJson(row, tables.wallet_links.places.sealed({ id: digest })),
      })
      .execute()
      .catch(refuseGone);
  }

  function openRow<Row extends { expiresAt: number }>(
    row: { sealed: Uint8Array } | undefined,
    digest: string,
    now: number,
  ): Row | undefined {
    const link = row && (sealer.openJson(row.sealed, tables.wallet_links.places.sealed({ id: digest })) as Row);
    return link && link.expiresAt > now ? link : undefined;
  }
}

export type WalletLinkStore = ReturnType<typeof createWalletLinkStore>;

/** A code opens no link, and a link's id is no code. */
function digestOf(id: string, kind: 'link' | 'code' = 'link'): string {
  return createHash('sha256')
    .update(kind === 'code' ? `response_code ${id}` : id)
    .digest('base64url');
}

/** From its expiry on, a link is as good as deleted; its row goes this much later. */
const PURGE_EVERY_MS = 60_000;
const BATCH = 100;

const purgeWalletLinks = defineRecurringJob('wallet_links.purge', PURGE_EVERY_MS);

export function registerWalletLinkTimer(jobs: Jobs, links: Pick<WalletLinkStore, 'purge'>, clock: Clock): void {
  jobs.handle(purgeWalletLinks, (_payload, { signal }) =>
    inBatches(signal, BATCH, () => links.purge(clock.now(), BATCH)),
  );
}
