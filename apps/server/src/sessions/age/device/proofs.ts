// Attempts to prove an age: the sealed record of them, their limits, and the end of a session by a proof.

import type { Indicators, SeenIndicators } from '@limen/contract';
import { type Proof, WALLET_TRIES } from '@limen/plan';
import type { RequestState } from '@limen/wallet';
import { AppError, invalid } from '../../../platform/base/errors.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { readIndicators } from '../../device/read-answer.ts';
import type { SessionEvidence } from '../../device/session-evidence.ts';
import type { DeviceCalls, TakenCall } from '../../device/take-call.ts';
import type { ProofSettings } from '../../lifecycle/kinds.ts';
import type { Session } from '../../lifecycle/session.ts';
import type { WalletProofs } from '../../proofs/wallets/proofs.ts';
import type { AgeEnding, EndAgeSession } from '../end-session.ts';
import type { ProofAnswer } from '../rules.ts';

export interface ProofEvidence {
  /** Nonce of the plan. A device cannot answer a request that was made to another device. */
  nonce: string;
  /** Options given out for an age key, over all devices of the session. */
  ageKeyAttempts: number;
  /** The one of them that was not answered yet. */
  ageKeyOpen?: number;
  /** Requests to wallets, over all devices of the session. */
  walletAttempts: number;
  /** States of the last requests to a wallet, until an answer uses them up */
  walletOpen?: WalletStates | undefined;
}

export type WalletStates = readonly RequestState[];

export type ProofEvidenceStore = SessionEvidence<ProofEvidence>;

/** Only the counts carry over from another plan. */
export function proofEvidenceFor(nonce: string, kept: ProofEvidence | undefined): ProofEvidence {
  if (kept?.nonce === nonce) return kept;
  return { nonce, ageKeyAttempts: kept?.ageKeyAttempts ?? 0, walletAttempts: kept?.walletAttempts ?? 0 };
}

/** Parts that every call with a proof uses. */
export interface ProofParts {
  calls: DeviceCalls;
  evidence: ProofEvidenceStore;
  endSession: EndAgeSession;
}

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
  const before = await evidence.read(trx, call);
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

export function requireAccepted({ contents }: Session<'age'>, proof: Proof): ProofSettings {
  const { proofs } = contents.settings;
  if (proofs?.accepted.includes(proof)) return proofs;
  throw new AppError('forbidden', `This session does not accept ${proof} as a proof; continue with its steps.`);
}

/** Null without browser data. */
export function readSeen(indicators: SeenIndicators | undefined): Indicators | null {
  const read = readIndicators(indicators ?? null);
  if (read === undefined) throw invalid('body.indicators', 'names an indicator that does not exist');
  return read;
}

/** The proof was found good; no camera looked at anybody. */
export function endWithProof(
  endSession: EndAgeSession,
  call: Pick<TakenCall<'age'>, 'session' | 'end'>,
  proof: ProofAnswer,
  indicators: Indicators | null,
  { isProvenElsewhere = false }: Pick<AgeEnding, 'isProvenElsewhere'> = {},
): Promise<void> {
  return call.end(async (behavior, keep) => {
    const answer = { proof, end: 'finished' as const };
    // Nothing may have been captured before: it moves through that state all the same.
    const check = { client: undefined, rhythm: [] };
    const ending = { answer, indicators, cameraSigns: [], check, behavior, asDevice: true, isProvenElsewhere };
    return (await endSession(call.session, ending, keep)) !== undefined;
  });
}
