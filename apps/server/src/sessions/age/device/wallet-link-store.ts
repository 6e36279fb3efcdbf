// Stores links that a wallet may still answer, by a digest of the id in the address. Taking a link uses it up.
import type { Indicators } from '@limen/contract';
import type { RequestState } from '@limen/wallet';
import { inBatches } from '../../../platform/base/batches.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../../platform/database/database.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import { digestContent } from '../../device/state.ts';
import { refuseGone } from '../../device/store.ts';
import type { DeviceHold } from '../../device/take-call.ts';
import type { WalletFinding } from '../../proofs/wallets/proofs.ts';
import { tables } from '../../tables.ts';

export interface OpenLink {
  sessionId: SessionId;
  /** Device that asked for the link. The answer ends the session only while this device holds it. */
  hold: DeviceHold;
  state: RequestState;
  /** Number of wallet requests of the session, this one included. */
  attempt: number;
  /** Signed request, if the link only says where it is. */
  requestObject: string | null;
  expiresAt: number;
  indicators: Indicators | null;
  /** Whether the link is for the asking device. Its answer counts once the device comes back with a code. */
  isSameDevice?: boolean;
}

/** Finding of a wallet on the session's own device, until the device comes back with the code. */
interface AnsweredLink extends Pick<OpenLink, 'sessionId' | 'hold' | 'expiresAt' | 'indicators'> {
  finding: WalletFinding;
}

export function createWalletLinkStore({ queries }: Pick<Database, 'queries'>, sealer: Sealer) {
  return {
    add: (trx: Transaction, id: string, link: OpenLink): Promise<void> => insert(trx, digestContent(id), link),

    async find(id: string, now: number) {
      const digest = digestContent(id);
      const row = await queries.selectFrom('wallet_links').select('sealed').where('id', '=', digest).executeTakeFirst();
      return openRow<OpenLink>(row, digest, now);
    },

    async take(id: string, now: number) {
      const digest = digestContent(id);
      const row = await deleteRow(queries, digest).executeTakeFirst();
      return openRow<OpenLink>(row, digest, now);
    },

    addAnswered: (trx: Transaction, code: string, answered: AnsweredLink): Promise<void> =>
      insert(trx, digestOfCode(code), answered),

    async takeAnswered(trx: Transaction, code: string, sessionId: SessionId, now: number) {
      const digest = digestOfCode(code);
      const row = await deleteRow(trx, digest).where('session_id', '=', sessionId).executeTakeFirst();
      return openRow<AnsweredLink>(row, digest, now);
    },

    async removeOf(trx: Transaction, sessionId: SessionId): Promise<void> {
      await trx.deleteFrom('wallet_links').where('session_id', '=', sessionId).execute();
    },

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

  function deleteRow(from: Queries, digest: string) {
    return from.deleteFrom('wallet_links').where('id', '=', digest).returning('sealed');
  }

  async function insert(trx: Transaction, id: string, row: OpenLink | AnsweredLink): Promise<void> {
    const { sessionId: session_id, expiresAt: expires_at } = row;
    const sealed = sealer.sealJson(row, tables.wallet_links.places.sealed({ id }));
    const values = { id, session_id, expires_at, sealed };
    await trx.insertInto('wallet_links').values(values).execute().catch(refuseGone);
  }

  function openRow<Row extends { expiresAt: number }>(
    row: { sealed: Uint8Array } | undefined,
    id: string,
    now: number,
  ) {
    const link = row && (sealer.openJson(row.sealed, tables.wallet_links.places.sealed({ id })) as Row);
    return link && link.expiresAt > now ? link : undefined;
  }
}

export type WalletLinkStore = ReturnType<typeof createWalletLinkStore>;

/** Separates codes from ids: a code opens no link, and an id is no code. */
function digestOfCode(code: string): string {
  return digestContent(`response_code ${code}`);
}

/** A link is gone for wallets at its expiry. Its row is deleted up to this much later. */
const PURGE_EVERY_MS = 60_000;
const BATCH = 100;

const purgeWalletLinks = defineRecurringJob('wallet_links.purge', PURGE_EVERY_MS);

export function registerWalletLinkTimer(jobs: Jobs, links: Pick<WalletLinkStore, 'purge'>, clock: Clock): void {
  jobs.handle(purgeWalletLinks, (_payload, { signal }) =>
    inBatches(signal, BATCH, () => links.purge(clock.now(), BATCH)),
  );
}
