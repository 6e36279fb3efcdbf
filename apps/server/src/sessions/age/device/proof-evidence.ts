// What a session remembers of the proofs that were tried: kept sealed until its end.
import type { RequestState } from '@limen/wallet';
import type { Transaction } from '../../../platform/database/database.ts';
import type { SessionEvidence } from '../../device/evidence-store.ts';
import type { TakenCall } from '../../device/take-call.ts';

export interface ProofEvidence {
  /** Of the plan: what one device was asked for, another cannot answer. */
  nonce: string;
  /** Options given out for an age key, over all devices of the session. */
  ageKeyAttempts: number;
  /** The one of them that was not answered yet. */
  ageKeyOpen?: number;
  /** Requests to wallets, over all devices of the session. */
  walletAttempts: number;
  /** What the last requests to a wallet are answered with, until they were. */
  walletOpen?: WalletStates | undefined;
}

export type WalletStates = readonly RequestState[];

export type ProofEvidenceStore = SessionEvidence<ProofEvidence>;

/** As it stands for the plan that the call came under: of another plan's only the counts go on. */
export async function readProofEvidence(
  evidence: Pick<ProofEvidenceStore, 'find'>,
  { plan: { nonce }, session }: TakenCall,
  trx: Transaction,
): Promise<ProofEvidence> {
  const kept = await evidence.find(session.id, trx);
  if (kept?.nonce === nonce) return kept;
  return { nonce, ageKeyAttempts: kept?.ageKeyAttempts ?? 0, walletAttempts: kept?.walletAttempts ?? 0 };
}
