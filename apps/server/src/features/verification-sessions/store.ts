// The rows of evidence and of selfies: sealed, one per session, gone with its end.

import { Overtaken } from '../../core/overtaken.ts';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import { isMissingReference } from '../../platform/database/failures.ts';
import type { SessionId } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { Evidence } from './device/evidence.ts';

export interface EvidenceStore {
  find(sessionId: SessionId, trx?: Transaction): Promise<Evidence | undefined>;
  /** Throws `Overtaken` when the session is gone. */
  save(trx: Transaction, sessionId: SessionId, evidence: Evidence): Promise<void>;
  /** The JPEG that came under this plan. */
  findSelfie(trx: Transaction, sessionId: SessionId, nonce: string): Promise<Buffer | undefined>;
  /** In place of an earlier one. Throws `Overtaken` when the session is gone. */
  saveSelfie(trx: Transaction, sessionId: SessionId, nonce: string, jpeg: Uint8Array): Promise<void>;
  /** With the selfie. */
  remove(trx: Transaction, sessionId: SessionId): Promise<void>;
}

export function createEvidenceStore({ queries }: Pick<Database, 'queries'>, sealer: Sealer): EvidenceStore {
  return {
    async find(sessionId, trx) {
      const from: Queries = trx ?? queries;
      const row = await from
        .selectFrom('session_evidence')
        .select('sealed')
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return row && (sealer.openJson(row.sealed, placeOf(sessionId)) as Evidence);
    },

    async save(trx, sessionId, evidence) {
      const sealed = sealer.sealJson(evidence, placeOf(sessionId));
      await trx
        .insertInto('session_evidence')
        .values({ session_id: sessionId, sealed })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ sealed }))
        .execute()
        .catch(refuseGone);
    },

    async findSelfie(trx, sessionId, nonce) {
      const row = await trx
        .selectFrom('session_selfies')
        .select('sealed')
        .where('session_id', '=', sessionId)
        .where('nonce', '=', nonce)
        .executeTakeFirst();
      return row && sealer.open(row.sealed, selfiePlace(sessionId, nonce));
    },

    async saveSelfie(trx, sessionId, nonce, jpeg) {
      const sealed = sealer.seal(jpeg, selfiePlace(sessionId, nonce));
      await trx
        .insertInto('session_selfies')
        .values({ session_id: sessionId, nonce, sealed })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ nonce, sealed }))
        .execute()
        .catch(refuseGone);
    },

    async remove(trx, sessionId) {
      await trx.deleteFrom('session_evidence').where('session_id', '=', sessionId).execute();
      await trx.deleteFrom('session_selfies').where('session_id', '=', sessionId).execute();
    },
  };
}

function refuseGone(error: unknown): never {
  throw isMissingReference(error) ? new Overtaken() : error;
}

function placeOf(sessionId: SessionId): string {
  return `session_evidence/sealed/${sessionId}`;
}

function selfiePlace(sessionId: SessionId, nonce: string): string {
  return `session_selfies/sealed/${sessionId}/${nonce}`;
}
