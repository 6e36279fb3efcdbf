// Stores the evidence of a session's steps: one sealed row per session, deleted at its end.
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { tables } from '../tables.ts';
import { refuseGone } from './store.ts';
import type { AcceptedCall } from './take-call.ts';

const sealPlace = (sessionId: SessionId) => tables.session_evidence.places.sealed({ session_id: sessionId });

/** `evidenceFor` returns the evidence that counts for the plan with this nonce. Evidence of another plan counts in part. */
export function createSessionEvidence<Evidence>(
  { queries }: Pick<Database, 'queries'>,
  sealer: Sealer,
  evidenceFor: (nonce: string, kept: Evidence | undefined) => Evidence,
) {
  const evidence = {
    async find(sessionId: SessionId, trx?: Transaction) {
      const row = await (trx ?? queries)
        .selectFrom('session_evidence')
        .select('sealed')
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return row && (sealer.openJson(row.sealed, sealPlace(sessionId)) as Evidence);
    },

    /** Returns the current evidence for the plan of the call. */
    read: async (trx: Transaction, { plan, session }: AcceptedCall) =>
      evidenceFor(plan.nonce, await evidence.find(session.id, trx)),

    /** Throws `ConflictError` if the session was deleted. */
    async save(trx: Transaction, sessionId: SessionId, shown: Evidence) {
      const sealed = sealer.sealJson(shown, sealPlace(sessionId));
      await trx
        .insertInto('session_evidence')
        .values({ session_id: sessionId, sealed })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ sealed }))
        .execute()
        .catch(refuseGone);
    },

    /** Changes the evidence, unless the session has ended or was handed on since. `edit` runs again after a conflict. */
    change: (call: AcceptedCall, edit: (now: Evidence) => Evidence) =>
      call.keep(async (trx) => {
        const after = edit(await evidence.read(trx, call));
        await evidence.save(trx, call.session.id, after);
        return after;
      }),

    async remove(trx: Transaction, sessionId: SessionId) {
      await trx.deleteFrom('session_evidence').where('session_id', '=', sessionId).execute();
    },
  };
  return evidence;
}

export type SessionEvidence<Evidence> = ReturnType<typeof createSessionEvidence<Evidence>>;
