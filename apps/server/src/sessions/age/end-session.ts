// Ends age sessions, for devices, timers and the test mode alike.
import type { AgeSessionResult, Indicators } from '@limen/contract';
import type { CameraSign } from '@limen/plan';
import type { Context } from '../../platform/context.ts';
import { verbatim } from '../../platform/json/verbatim.ts';
import type { Activity } from '../../records/activity.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import type { SessionEvidence } from '../device/session-evidence.ts';
import type { EndSession } from '../host/calls.ts';
import { listCountNames } from '../host/count.ts';
import type { AgeSessionOutcome } from '../lifecycle/kinds.ts';
import { END_STATES } from '../lifecycle/rules.ts';
import type { Session } from '../lifecycle/session.ts';
import { endRow, type Sessions } from '../lifecycle/sessions.ts';
import { AGE_KEY_OFFER_TTL_MS } from '../limits.ts';
import { formatMonth } from '../proofs/age-keys/rules.ts';
import { evaluateRisk, listLightFindings } from '../risk/evaluate.ts';
import type { FinishedCheck, FinishedChecks } from '../risk/finished-checks.ts';
import type { Finding, RiskFlag } from '../risk/table.ts';
import type { WalletLinkStore } from './device/wallet-link-store.ts';
import { type AgeAnswer, decideAge, earnedBy, isOldEnough, mayAskForDocument } from './rules.ts';

export interface AgeEnding {
  answer: AgeAnswer;
  indicators: Indicators | null;
  cameraSigns: readonly CameraSign[];
  /** Undefined for an end without findings, and in test mode. */
  check?: FinishedCheck | undefined;
  madeUpFlags?: readonly RiskFlag[];
  /** The person who proved their age may not have the session's device, so no key is made there. */
  isProvenElsewhere?: boolean;
}

export type EndAgeSession = EndSession<'age', AgeEnding, AgeSessionResult>;

interface AgeEndParts {
  evidence: Pick<SessionEvidence<unknown>, 'remove'>;
  links: Pick<WalletLinkStore, 'removeOf'>;
  activity: Pick<Activity, 'count'>;
  finishedChecks: Pick<FinishedChecks, 'examine'>;
}

export function createEndSession(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  { sessions, webhooks }: { sessions: Sessions; webhooks: Pick<Webhooks, 'enqueue'> },
  { evidence, links, activity, finishedChecks }: AgeEndParts,
): EndAgeSession {
  return async (
    session,
    { answer, indicators, cameraSigns, behavior, check, madeUpFlags = [], isProvenElsewhere, ...course },
    keep,
  ) => {
    const { settings, callback, handoff } = session.contents;
    const decision = decideAge(settings, answer);
    const { sessionStatus, flowStatus, result, errors, findings } = decision;
    const examined = check && (await finishedChecks.examine(session, check, indicators));
    const composeOutcome = (ofCheck: readonly Finding[]): AgeSessionOutcome => {
      const riskEvaluation = evaluateRisk({
        indicators,
        cameraSigns,
        behavior,
        findings: [...findings, ...ofCheck, ...listLightFindings(answer.face, settings.light)],
        flowStatus,
        documentSigns: answer.document?.signs ?? [],
        madeUp: madeUpFlags,
        hasErrors: errors.length > 0,
        passed: isOldEnough(decision),
        mayCrossDevices: handoff === 'allow',
        tellsBehavior: true,
      });
      // A program that sends no browser data gets no key for a year.
      const mayMakeKey = riskEvaluation.recommendation === 'ALLOW' && indicators !== null && !isProvenElsewhere;
      const earned =
        mayMakeKey && settings.proofs?.accepted.includes('age_key') && earnedBy(settings, answer, decision);
      const now = clock.now();
      return {
        sessionStatus,
        flowStatus,
        errors,
        riskEvaluation,
        result,
        ...(indicators && { indicators }),
        ...(earned && {
          ageKeyOffer: { proven: { ...earned, month: formatMonth(now) }, until: now + AGE_KEY_OFFER_TTL_MS },
        }),
      };
    };

    const ended = await database.transact(async (trx) => {
      const outcome = composeOutcome(examined ? [...examined.findings, ...(await examined.remember(trx))] : []);
      const body = buildAgeResult(session, outcome);
      const row = await endRow(trx, sessions, session, { ...course, outcome });
      if (!row) return undefined;
      if (callback) {
        const { owner, apiKeyId, id: sessionId } = session;
        const about = { owner, apiKeyId, sessionId, ...callback, purgeAt: row.purgeAt };
        await webhooks.enqueue(trx, { ...about, event: 'age_session.ended', body });
      }
      if (settings.proofs) {
        await evidence.remove(trx, session.id);
        await links.removeOf(trx, session.id);
      }
      await keep?.(trx);
      return { outcome, body };
    });
    if (!ended) return undefined;
    const { outcome, body } = ended;
    activity.count(
      { apiKeyId: session.apiKeyId, world: session.owner.world },
      listCountNames(session, outcome, behavior),
    );
    return { session: { ...session, state: END_STATES[flowStatus], outcome }, result: body };
  };
}

export function buildAgeResult(
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
    ...(outcome && { flowStatus: outcome.flowStatus, result: outcome.result }),
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
