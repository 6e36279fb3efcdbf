// Attempts to prove an age: the sealed record of them, and the end of a session by a proof.
import type { Indicators, SeenIndicators } from '@limen/contract';
import type { Proof } from '@limen/plan';
import type { RequestState } from '@limen/wallet';
import { AppError, invalid } from '../../../platform/base/errors.ts';
import { readIndicators } from '../../device/read-answer.ts';
import type { SessionEvidence } from '../../device/session-evidence.ts';
import type { AcceptedCall, DeviceCalls } from '../../device/take-call.ts';
import type { ProofSettings } from '../../lifecycle/kinds.ts';
import type { Session } from '../../lifecycle/session.ts';
import type { AgeEnding, EndAgeSession } from '../end-session.ts';
import type { ProofAnswer } from '../rules.ts';

interface ProofEvidence {
  /** Nonce of the plan. A device cannot answer a request that was made to another device. */
  nonce: string;
  /** Options given out for an age key, over all devices of the session. */
  ageKeyAttempts: number;
  ageKeyOpen?: number;
  /** Requests to wallets, over all devices of the session. */
  walletAttempts: number;
  /** States of the last requests to a wallet, until an answer uses them up. */
  walletOpen?: readonly RequestState[] | undefined;
}

/** Only the counts carry over from another plan. */
export function proofEvidenceFor(nonce: string, kept: ProofEvidence | undefined): ProofEvidence {
  if (kept?.nonce === nonce) return kept;
  return { nonce, ageKeyAttempts: kept?.ageKeyAttempts ?? 0, walletAttempts: kept?.walletAttempts ?? 0 };
}

export interface ProofParts {
  calls: DeviceCalls;
  evidence: SessionEvidence<ProofEvidence>;
  endSession: EndAgeSession;
}

export function requireAccepted({ contents }: Session<'age'>, proof: Proof): ProofSettings {
  const { proofs } = contents.settings;
  if (proofs?.accepted.includes(proof)) return proofs;
  throw new AppError('forbidden', `This session does not accept ${proof} as a proof; continue with its steps.`);
}

export function readSeen(indicators: SeenIndicators | undefined): Indicators | null {
  const read = readIndicators(indicators ?? null);
  if (read === undefined) throw invalid('body.indicators', 'names an indicator that does not exist');
  return read;
}

export function endWithProof(
  endSession: EndAgeSession,
  call: Pick<AcceptedCall<'age'>, 'session' | 'end'>,
  proof: ProofAnswer,
  indicators: Indicators | null,
  { isProvenElsewhere = false }: Pick<AgeEnding, 'isProvenElsewhere'> = {},
): Promise<void> {
  return call.end(async (behavior, keep) => {
    const answer = { proof, end: 'finished' as const };
    const check = { client: undefined, rhythm: [] };
    // No camera may have been used, but the session passes through `capturing` all the same.
    const ending = { answer, indicators, cameraSigns: [], check, behavior, asDevice: true, isProvenElsewhere };
    return (await endSession(call.session, ending, keep)) !== undefined;
  });
}
