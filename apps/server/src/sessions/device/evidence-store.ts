// The rows of evidence: what the calls of a session's device have shown so far. Sealed, one per session, gone with its end.

import { isMissingReference } from '../../platform/base/database-failures.ts';
import { ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { tables } from '../tables.ts';

export interface SessionEvidence<Evidence> {
  find(sessionId: SessionId, trx?: Transaction): Promise<Evidence | undefined>;
  /** Throws `ConflictError` when the session is gone. */
  save(trx: Transaction, sessionId: SessionId, evidence: Evidence): Promise<void>;
  remove(trx: Transaction, sessionId: SessionId): Promise<void>;
}

export function createSessionEvidence<Evidence>(
  { queries }: Pick<Database, 'queries'>,
  sealer: Sealer,
): SessionEvidence<Evidence> {
  return {
    async find(sessionId, trx) {
      const from: Queries = trx ?? queries;
      const row = await from
        .selectFrom('session_evidence')
        .select('sealed')
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return (
        row &&
        (sealer.openJson(row.sealed, tables.session_evidence.places.sealed({ session_id: sessionId })) as Evidence)
      );
    },

    async save(trx, sessionId, evidence) {
      const sealed = sealer.sealJson(evidence, tables.session_evidence.places.sealed({ session_id: sessionId }));
      await trx
        .insertInto('session_evidence')
        .values({ session_id: sessionId, sealed })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ sealed }))
        .execute()
        .catch(refuseGone);
    },

    async remove(trx, sessionId) {
      await trx.deleteFrom('session_evidence').where('session_id', '=', sessionId).execute();
    },
  };
}

/** What hangs on a session cannot be written once that is deleted. */
export function refuseGone(error: unknown): never {
  throw isMissingReference(error) ? new ConflictError() : error;
}
