// The result object of an age session: the same for the result endpoint and the webhook.
import type { AgeSessionResult } from '@limen/contract';
import type { Session } from '../../core/sessions/sessions.ts';
import { verbatim } from '../../platform/json/verbatim.ts';
import type { AgeSessionContents } from './contents.ts';
import { completeOutcome, type OlderOutcome } from './older-outcome.ts';
import { mayAskForDocument } from './rules.ts';

/** What the end adds; sealed in the session's row. */
export type AgeSessionOutcome = Required<
  Pick<AgeSessionResult, 'sessionStatus' | 'flowStatus' | 'errors' | 'result' | 'riskEvaluation'>
> &
  Pick<AgeSessionResult, 'indicators'>;

/** Only age sessions come here, and their contents and outcome were sealed by this feature. */
export function contentsOf(session: Session): AgeSessionContents {
  return session.contents as AgeSessionContents;
}

export function resultOf(session: Session): AgeSessionResult {
  const outcome = session.outcome as OlderOutcome | undefined;
  return composeResult(session, outcome && completeOutcome(contentsOf(session).settings, outcome));
}

export function composeResult(session: Session, outcome: AgeSessionOutcome | undefined): AgeSessionResult {
  const { settings, metadata } = contentsOf(session);
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
      ...(mayAskForDocument(settings) && { documentAgeThreshold }),
      compareThreshold: faceMatchThreshold,
      faceMatchThreshold,
    },
    metadata: verbatim(typeof metadata === 'string' ? metadata : JSON.stringify(metadata)),
    ...(outcome?.indicators && { indicators: outcome.indicators }),
    ...(outcome && { riskEvaluation: outcome.riskEvaluation }),
    errors: outcome?.errors ?? [],
  };
}
