// Reads and changes what a session's device has shown, as its calls do it.

import type { Transaction } from '../../../platform/database/database.ts';
import type { TakenCall } from '../../device/take-call.ts';
import type { EvidenceStore } from '../store.ts';
import { type Evidence, evidenceFor } from './evidence.ts';

/** As it stands for the plan that the call came under. */
export async function readEvidence(
  evidence: Pick<EvidenceStore, 'find'>,
  { plan, session }: TakenCall,
  trx: Transaction,
): Promise<Evidence> {
  return evidenceFor(plan.nonce, await evidence.find(session.id, trx));
}

/** Unless the session has ended or was handed on since; `edit` may come again when somebody else was at it. */
export function changeEvidence(
  evidence: Pick<EvidenceStore, 'find' | 'save'>,
  call: TakenCall,
  edit: (now: Evidence) => Evidence,
): Promise<Evidence> {
  return call.keep(async (trx) => {
    const after = edit(await readEvidence(evidence, call, trx));
    await evidence.save(trx, call.session.id, after);
    return after;
  });
}
