// How often a session may ask a wallet, whichever way, and for what.
import { WALLET_TRIES } from '@limen/plan';
import { AppError } from '../../../platform/base/errors.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { TakenCall } from '../../device/take-call.ts';
import type { Session } from '../../lifecycle/session.ts';
import type { WalletProofs } from '../../proofs/wallets/proofs.ts';
import { requireAccepted } from './end-with-proof.ts';
import { type ProofEvidenceStore, readProofEvidence } from './proof-evidence.ts';

export function askedOf(session: Session<'age'>) {
  requireAccepted(session, 'wallet');
  return { world: session.owner.world, threshold: session.contents.settings.documentAgeThreshold };
}

/** Ends what was asked through the browser before. Gives the tries that are left. */
export async function countWalletAttempt(
  wallets: Pick<WalletProofs, 'offers'>,
  evidence: ProofEvidenceStore,
  trx: Transaction,
  call: TakenCall<'age'>,
): Promise<number> {
  const { world, threshold } = askedOf(call.session);
  if (!wallets.offers(world, threshold)) throw nobodyTrusted();
  const before = await readProofEvidence(evidence, call, trx);
  const attempts = before.walletAttempts + 1;
  if (attempts > WALLET_TRIES) throw noMoreTries();
  await evidence.save(trx, call.session.id, { ...before, walletAttempts: attempts, walletOpen: undefined });
  return WALLET_TRIES - attempts;
}

function nobodyTrusted(): AppError {
  return new AppError('forbidden', 'No issuer of wallets is trusted here; continue with the steps of the session.');
}

function noMoreTries(): AppError {
  return new AppError('forbidden', 'This session has no tries left for a wallet; continue with its steps.');
}
