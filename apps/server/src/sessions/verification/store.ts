// The rows of evidence and of selfies: sealed, one per session, gone with its end.

import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { createSessionEvidence, refuseGone, type SessionEvidence } from '../device/evidence-store.ts';
import { tables } from '../tables.ts';
import type { Evidence } from './device/evidence.ts';

export interface EvidenceStore extends SessionEvidence<Evidence> {
  /** The JPEG that came under this plan. */
  findSelfie(trx: Transaction, sessionId: SessionId, nonce: string): Promise<Buffer | undefined>;
  /** In place of an earlier one. Throws `ConflictError` when the session is gone. */
  saveSelfie(trx: Transaction, sessionId: SessionId, nonce: string, jpeg: Uint8Array): Promise<void>;
  /** With the selfie. */
  remove(trx: Transaction, sessionId: SessionId): Promise<void>;
}

export function createEvidenceStore(database: Pick<Database, 'queries'>, sealer: Sealer): EvidenceStore {
  const evidence = createSessionEvidence<Evidence>(database, sealer);
  return {
    ...evidence,

    async findSelfie(trx, sessionId, nonce) {
      const row = await trx
        .selectFrom('session_selfies')
        .select('sealed')
        .where('session_id', '=', sessionId)
        .where('nonce', '=', nonce)
        .executeTakeFirst();
      return row && sealer.open(row.sealed, tables.session_selfies.places.sealed({ session_id: sessionId, nonce }));
    },

    async saveSelfie(trx, sessionId, nonce, jpeg) {
      const sealed = sealer.seal(jpeg, tables.session_selfies.places.sealed({ session_id: sessionId, nonce }));
      await trx
        .insertInto('session_selfies')
        .values({ session_id: sessionId, nonce, sealed })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ nonce, sealed }))
        .execute()
        .catch(refuseGone);
    },

    async remove(trx, sessionId) {
      await evidence.remove(trx, sessionId);
      await trx.deleteFrom('session_selfies').where('session_id', '=', sessionId).execute();
    },
  };
}
