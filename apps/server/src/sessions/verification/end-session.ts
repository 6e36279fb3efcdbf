// Ends verification sessions, for devices, timers and the test mode alike.
import type { Indicators, RiskEvaluation, VerificationSessionResult } from '@limen/contract';
import type { CameraSign, PlanStep } from '@limen/plan';
import type { FaceTokens } from '../../faces/tokens/open.ts';
import type { PersonId, SessionId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Activity } from '../../records/activity.ts';
import type { ChannelWrite } from '../device/flow.ts';
import { wasHandedOver } from '../device/state.ts';
import type { EndDetails, EndSession } from '../host/calls.ts';
import { listCountNames } from '../host/count.ts';
import type { SessionCore } from '../host/open.ts';
import type { VerificationContents } from '../lifecycle/kinds.ts';
import { END_STATES } from '../lifecycle/rules.ts';
import type { Session } from '../lifecycle/session.ts';
import { endRow } from '../lifecycle/sessions.ts';
import { VOUCHED_BY } from '../proofs/vouched-rows.ts';
import { evaluateRisk, listLightFindings } from '../risk/evaluate.ts';
import type { FinishedCheck, FinishedChecks } from '../risk/finished-checks.ts';
import type { Finding, RiskFlag } from '../risk/table.ts';
import type { VouchingLevel } from '../tables.ts';
import {
  type EvidenceStore,
  listSpeaking,
  type StepEvidence,
  type VerificationEvidence,
  without,
} from './device/evidence.ts';
import { buildVerificationResult, composeOutcome, composeWebhook } from './result.ts';
import { decideVerification, refuseEnrollment, type VerificationDecision, type VerificationEnd } from './rules.ts';
import { listTrustable, type Vouching } from './vouching.ts';

export interface VerificationEnding {
  end: VerificationEnd;
  indicators: Indicators | null;
  cameraSigns: readonly CameraSign[];
  /** Nonce of the answered plan. Without an answer, only `retryAfter` of the evidence counts. */
  nonce?: string | undefined;
  carried?: readonly PlanStep['step'][];
  /** Undefined for an end without an answer, and in test mode. */
  check?: FinishedCheck | undefined;
  madeUp?: SimulatedEvidence | undefined;
}

/** Evidence that the test mode makes up. Nothing is kept of its person. */
interface SimulatedEvidence extends Partial<Pick<VerificationEvidence, 'person' | 'passkey' | 'retryAfter'>> {
  selfie?: string;
  /** Nothing but the face vouches for the person. */
  newDevice?: boolean;
  flags?: readonly RiskFlag[];
}

export type EndVerificationSession = EndSession<'verification', VerificationEnding, VerificationSessionResult>;

type FullEnding = VerificationEnding & EndDetails;

/** The person or the passkey of the evidence was deleted. */
class EvidenceGoneError extends Error {
  readonly part: 'person' | 'passkey';

  constructor(part: 'person' | 'passkey') {
    super(`the ${part} is gone`);
    this.part = part;
  }
}

/** The session had ended already or was deleted. Rolls the transaction back. */
class SessionOverError extends Error {}

interface EndParts {
  evidence: EvidenceStore;
  tokens: Pick<FaceTokens, 'lockFor' | 'confirm' | 'hold' | 'discard'>;
  vouching: Vouching;
  activity: Pick<Activity, 'count'>;
  finishedChecks: Pick<FinishedChecks, 'examine'>;
}

interface EndFacts {
  personId: PersonId;
  wasKnown: boolean;
  /** Strongest voucher besides the face. A new person is vouched for by the enrollment. */
  vouched: VouchingLevel;
  /** Whether the person used a vouched passkey on the device that began the session. */
  hasBegun: boolean;
}

export function createEndVerificationSession(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  { sessions, webhooks, devices }: Pick<SessionCore, 'sessions' | 'webhooks' | 'devices'>,
  { evidence, tokens, vouching, activity, finishedChecks }: EndParts,
): EndVerificationSession {
  return async (session, ending, keep) => {
    const { nonce, madeUp, carried = [] } = ending;
    let shown: Partial<VerificationEvidence> = madeUp ?? (await evidence.settled(session.id, nonce, carried));
    // Person and passkey can each be gone once.
    for (let tries = 0; tries < 3; tries += 1) {
      try {
        const { outcome, result } = await endWith(session, ending, shown, keep);
        activity.count(
          { apiKeyId: session.apiKeyId, world: session.owner.world },
          listCountNames(session, outcome, ending.behavior),
        );
        return { session: { ...session, state: END_STATES[outcome.flowStatus], outcome }, result };
      } catch (error) {
        if (error instanceof SessionOverError) return undefined;
        if (!(error instanceof EvidenceGoneError)) throw error;
        shown = without(shown, error.part);
      }
    }
    throw new Error('a session did not end without what it had shown');
  };

  async function endWith(
    session: Session<'verification'>,
    { end, indicators, cameraSigns, behavior, check, madeUp, nonce, carried = [], ...course }: FullEnding,
    shown: Partial<VerificationEvidence>,
    keep: ChannelWrite | undefined,
  ) {
    const { contents } = session;
    const { type, requirements, callback, sendImages } = contents;
    const { person, passkey, retryAfter } = shown;
    const wantsDocument = requirements.includes('identity_document');
    const wantsPasskey = requirements.includes('passkey');
    const decided = decideVerification({ type, person, passkey, wantsDocument, wantsPasskey }, end);
    const answer = 'answer' in end ? end.answer : undefined;
    const examined = check && (await finishedChecks.examine(session, check, indicators));
    const speaking = listSpeaking(shown, carried);
    const changedDevices = behavior !== null && wasHandedOver(behavior);

    return database.transact(async (trx) => {
      const ofCheck = examined ? [...examined.findings, ...(await examined.remember(trx))] : [];
      const assess = (decision: VerificationDecision, standing?: EndFacts) =>
        assessRisk(contents, { end, indicators, cameraSigns, behavior, madeUp }, decision, ofCheck, standing);
      // After a BLOCK nothing is kept for later. The person's standing never leads to a BLOCK.
      const isBlocked = assess(decided).recommendation === 'BLOCK';
      const decision = type === 'ENROLL' && isBlocked ? refuseEnrollment(decided) : decided;
      const personId = madeUp ? undefined : decision.person?.personId;
      // Galleries, then the person, then the session: deletions of people lock in this order too, so there is no deadlock.
      await tokens.lockFor(trx, session.id);
      const standing =
        personId === undefined ? undefined : await standAs({ tokens, vouching }, trx, session, personId, speaking);
      const riskEvaluation = assess(decision, standing);
      const trustable = standing && !isBlocked ? listTrustable(standing.personId, shown) : undefined;
      const wasKnown = standing?.wasKnown ?? madeUp?.newDevice ?? false;
      const facts = { decision, answer, wasKnown, retryAfter, indicators, riskEvaluation, trustable };
      const outcome = composeOutcome(contents, { ...facts, endedAt: clock.now() });
      const ended = await endRow(trx, sessions, session, { ...course, outcome, personId });
      if (!ended) throw new SessionOverError();
      // Evidence vouches later only as far as it was sound now. Two devices may belong to two people.
      const isSound = riskEvaluation.recommendation === 'ALLOW' && !changedDevices;
      if (standing && !isBlocked) {
        const owner = { owner: session.owner, session: session.id, personId: standing.personId };
        const isKept = await vouching.keep(trx, owner, shown, isSound ? standing.vouched : VOUCHED_BY.nobody);
        if (!isKept) throw new EvidenceGoneError('passkey');
      }
      // The rest was begun for other people, or for nothing.
      await tokens.discard(trx, session.id);
      await devices.discard(trx, session.id);
      const sharesSelfie = decision.status === 'SUCCESS' && sendImages;
      const selfie = sharesSelfie
        ? (madeUp?.selfie ?? (await findSelfie(evidence, trx, session.id, nonce)))
        : undefined;
      const { owner, apiKeyId, id: sessionId } = session;
      const ephemeral = selfie === undefined ? undefined : { images: [{ type: 'selfie' as const, data: selfie }] };
      const body = composeWebhook(session, outcome);
      const about = { owner, apiKeyId, sessionId, ...callback, purgeAt: ended.purgeAt };
      await webhooks.enqueue(trx, { ...about, event: 'verification_session.ended', body, ephemeral });
      await evidence.remove(trx, session.id);
      await keep?.(trx);
      return { outcome, result: buildVerificationResult(session, outcome) };
    });
  }
}

function assessRisk(
  { handoff, light }: VerificationContents,
  { end, madeUp, ...seen }: Pick<FullEnding, 'end' | 'indicators' | 'cameraSigns' | 'behavior' | 'madeUp'>,
  decision: VerificationDecision,
  ofCheck: readonly Finding[],
  standing: EndFacts | undefined,
): RiskEvaluation {
  const answer = 'answer' in end ? end.answer : undefined;
  const isNewDevice = standing ? standing.vouched === VOUCHED_BY.nobody : (madeUp?.newDevice ?? false);
  return evaluateRisk({
    ...seen,
    flowStatus: decision.flowStatus,
    hasErrors: decision.errors.length > 0,
    documentSigns: answer?.document?.signs ?? [],
    findings: [
      ...decision.findings,
      ...ofCheck,
      ...(isNewDevice ? (['newDevice'] as const) : []),
      ...listLightFindings(answer?.face, light),
    ],
    madeUp: madeUp?.flags ?? [],
    passed: decision.status === 'SUCCESS',
    // A person can pass on the link with its number, but not a passkey on that device.
    mayCrossDevices: handoff === 'allow' || (standing?.hasBegun ?? false),
    tellsBehavior: false,
  });
}

/** Locks the person until the end of the transaction. */
async function standAs(
  { tokens, vouching }: Pick<EndParts, 'tokens' | 'vouching'>,
  trx: Transaction,
  session: Session<'verification'>,
  personId: PersonId,
  speaking: StepEvidence,
): Promise<EndFacts> {
  if (session.contents.type === 'ENROLL') {
    const confirmed = await tokens.confirm(trx, session.id, personId);
    if (!confirmed) throw new EvidenceGoneError('person');
    if (confirmed === 'made') return { personId, wasKnown: false, vouched: VOUCHED_BY.enrolment, hasBegun: false };
  } else if (!(await tokens.hold(trx, personId))) {
    throw new EvidenceGoneError('person');
  }
  const vouched = await vouching.findVouched(trx, personId, speaking);
  const hasBegun = await vouching.isBegunBy(trx, personId, speaking);
  return { personId, wasKnown: true, vouched, hasBegun };
}

async function findSelfie(evidence: EvidenceStore, trx: Transaction, sessionId: SessionId, nonce: string | undefined) {
  const jpeg = nonce === undefined ? undefined : await evidence.findSelfie(trx, sessionId, nonce);
  const selfie = jpeg?.toString('base64');
  jpeg?.fill(0);
  return selfie;
}
