// The result object of an age session: the same for the result endpoint and the webhook.
import type { AgeSessionResult } from '@limen/contract';
import { verbatim } from '../../platform/json/verbatim.ts';
import type { AgeSessionOutcome } from '../lifecycle/kinds/age.ts';
import type { Session } from '../lifecycle/session.ts';
import { mayAskForDocument } from './rules.ts';

export function resultOf(
  session: Session<'age'>,
  outcome: AgeSessionOutcome | undefined = session.outcome,
): AgeSessionResult {
  const { settings, metadata } = session.contents;
  const { ageThreshold, documentAgeThreshold, faceMatchThreshold } = settings;
  const sessionStatus = outcome?.sessionStatus ?? 'AGE_UNKNOWN';
  return {
    token: session.token,
    sessionId: session.id,
    sessionStatus,
    status: sessionStatus,
    ...(outcome && { flowStatus: outcome.flowStatus }),
    ...(outcome && { result: outcome.result }),
    thresholds: {
      ageThreshold,
      ...((mayAskForDocument(settings) || settings.proofs) && { documentAgeThreshold }),
      compareThreshold: faceMatchThreshold,
      faceMatchThreshold,
    },
    metadata: verbatim(metadata),
    ...(outcome?.indicators && { indicators: outcome.indicators }),
    ...(outcome && { riskEvaluation: outcome.riskEvaluation }),
    errors: outcome?.errors ?? [],
  };
}
