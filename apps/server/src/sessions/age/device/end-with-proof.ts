// What the calls that bring a proof have in common: whether the session takes it, and how it ends with it.
import type { Indicators, SeenIndicators } from '@limen/contract';
import type { Proof } from '@limen/plan';
import { AppError, invalid } from '../../../platform/base/errors.ts';
import { readIndicators } from '../../device/answer/read-indicators.ts';
import type { TakenCall } from '../../device/take-call.ts';
import type { ProofSettings } from '../../lifecycle/kinds/age.ts';
import type { Session } from '../../lifecycle/session.ts';
import type { AgeEnding, EndAgeSession } from '../end-session.ts';
import type { ProofAnswer } from '../rules.ts';

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
