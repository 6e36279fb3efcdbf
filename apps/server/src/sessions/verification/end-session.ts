// The one way in which a verification session ends, whoever ends it: a device, a timer or the test mode.

import type { Indicators, RiskEvaluation, VerificationSessionResult } from '@limen/contract';
import type { CameraSign, PlanStep } from '@limen/plan';
import type { FaceTokens } from '../../faces/tokens/open.ts';
import type { Clock } from '../../platform/base/clock.ts';
import type { PersonId, SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Activity } from '../../records/activity.ts';
import type { Keep } from '../device/flow.ts';
import { wasHandedOver } from '../device/state.ts';
import type { EndCourse, EndSession } from '../host/calls.ts';
import { namesOf } from '../host/count.ts';
import type { SessionCore } from '../host/open.ts';
import type { VerificationContents, VerificationOutcome } from '../lifecycle/kinds.ts';
import { END_STATES } from '../lifecycle/rules.ts';
import type { Session } from '../lifecycle/session.ts';
import { endRow } from '../lifecycle/sessions.ts';
import { VOUCHED_BY } from '../proofs/vouched-rows.ts';
import { evaluateRisk, listLightFindings } from '../risk/evaluate.ts';
import type { FinishedCheck, FinishedChecks } from '../risk/finished-checks.ts';
import type { Finding, RiskFlag } from '../risk/table.ts';
import type { Vouched } from '../tables.ts';
import { type EvidenceStore, listSpeaking, type ShownEvidence, type ShownInSteps, without } from './device/evidence.ts';
import { composeOutcome, composeWebhook, resultOf } from './result.ts';
import { decideVerification, refuseEnrolment, type VerificationDecision, type VerificationEnd } from './rules.ts';
import { listTrustable, type Vouching } from './vouching.ts';

export interface VerificationEnding {
  end: VerificationEnd;
  /** Null without browser data. */
  indicators: Indicators | null;
  cameraSigns: readonly CameraSign[];
  /** Of the plan that was answered; without an answer, what was shown says nothing but how long to wait. */
  nonce?: string | undefined;
  /** The steps that the device before has done, by the log of the answer. */
  carried?: readonly PlanStep['step'][];
  /** How a device finished it; undefined for an end without an answer, and in test mode. */
  check?: FinishedCheck | undefined;
  /** In place of what was shown: a person that the test mode makes up, whom nothing is kept for. */
  madeUp?: MadeUp | undefined;
}

/** What the test mode puts in place of what devices show. */
interface MadeUp extends Partial<Pick<ShownEvidence, 'person' | 'passkey' | 'retryAfter'>> {
  selfie?: string;
  /** The person is to be one whom nothing but the face speaks for. */
  newDevice?: boolean;
  /** Raised beside what the ending raises. */
  flags?: readonly RiskFlag[];
}

export type EndVerificationSession = EndSession<'verification', VerificationEnding, VerificationSessionResult>;

type FullEnding = VerificationEnding & EndCourse;

/** The person or the passkey that a session would end well with is gone. */
class EvidenceGone extends Error {
  readonly part: 'person' | 'passkey';

  constructor(part: 'person' | 'passkey') {
    super(`the ${part} is gone`);
    this.part = part;
  }
}

/** The session had ended already or was deleted: all that was done for it is undone. */
class SessionOver extends Error {}

interface EndParts {
  database: Database;
  evidence: EvidenceStore;
  tokens: Pick<FaceTokens, 'lockFor' | 'confirm' | 'hold' | 'discard'>;
  vouching: Vouching;
  activity: Pick<Activity, 'count'>;
  finishedChecks: Pick<FinishedChecks, 'examine'>;
  clock: Clock;
}

/** What the person is to the session that ends well with them. */
interface Standing {
  personId: PersonId;
  /** They were enrolled before. */
  wasKnown: boolean;
  /** What speaks for them besides the face; for somebody new, that there was nobody before. */
  vouched: Vouched;
  /** A passkey of theirs that is vouched for was used on the device that began the session. */
  hasBegun: boolean;
}

export function createEndVerificationSession(
  { sessions, webhooks, devices }: Pick<SessionCore, 'sessions' | 'webhooks' | 'devices'>,
  { database, evidence, tokens, vouching, activity, finishedChecks, clock }: EndParts,
): EndVerificationSession {
  return async (session, ending, keep) => {
    const { nonce, madeUp, carried = [] } = ending;
    let shown: Partial<ShownEvidence> = madeUp ?? (await evidence.settled(session.id, nonce, carried));
    // Each part can be gone once.
    for (let tries = 0; tries < 3; tries += 1) {
      try {
        const { outcome, result } = await endWith(session, ending, shown, keep);
        activity.count(
          { apiKeyId: session.apiKeyId, world: session.owner.world },
          namesOf(session, outcome, ending.behavior),
        );
        return { session: { ...session, state: END_STATES[outcome.flowStatus], outcome }, result };
      } catch (error) {
        if (error instanceof SessionOver) return undefined;
        if (!(error instanceof EvidenceGone)) throw error;
        shown = without(shown, error.part);
      }
    }
    throw new Error('a session did not end without what it had shown');
  };

  async function endWith(
    session: Session<'verification'>,
    { end, indicators, cameraSigns, behavior, check, madeUp, nonce, carried = [], ...course }: FullEnding,
    shown: Partial<ShownEvidence>,
    keep: Keep | undefined,
  ): Promise<{ outcome: VerificationOutcome; result: VerificationSessionResult }> {
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
      const assess = (decision: VerificationDecision, standing?: Standing) =>
        assessRisk(contents, { end, indicators, cameraSigns, behavior, madeUp }, decision, ofCheck, standing);
      // After a BLOCK nothing is kept that could be used later. The person's standing never leads to a BLOCK.
      const isBlocked = assess(decided).recommendation === 'BLOCK';
      const decision = type === 'ENROLL' && isBlocked ? refuseEnrolment(decided) : decided;
      const personId = madeUp ? undefined : decision.person?.personId;
      // Galleries, then the person, then the session, as whoever deletes people does: neither waits for the other for ever.
      await tokens.lockFor(trx, session.id);
      const standing =
        personId === undefined ? undefined : await standAs({ tokens, vouching }, trx, session, personId, speaking);
      const riskEvaluation = assess(decision, standing);
      const trustable = standing && !isBlocked ? listTrustable(standing.personId, shown) : undefined;
      const wasKnown = standing?.wasKnown ?? madeUp?.newDevice ?? false;
      const facts = { decision, answer, wasKnown, retryAfter, indicators, riskEvaluation, trustable };
      const outcome = composeOutcome(contents, { ...facts, endedAt: clock.now() });
      const ended = await endRow(trx, sessions, session, { ...course, outcome, personId });
      if (!ended) throw new SessionOver();
      // Nothing is worth more later than it was now. On two devices there may be two people, and neither speaks for what the
      // other has shown.
      const isSound = riskEvaluation.recommendation === 'ALLOW' && !changedDevices;
      if (standing && !isBlocked) {
        const owner = { owner: session.owner, session: session.id, personId: standing.personId };
        const isKept = await vouching.keep(trx, owner, shown, isSound ? standing.vouched : VOUCHED_BY.nobody);
        if (!isKept) throw new EvidenceGone('passkey');
      }
      // What is left was begun for somebody else, or for nothing.
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
      return { outcome, result: resultOf(session, outcome) };
    });
  }
}

/** Called twice for an end: before and after the person's standing is known. */
function assessRisk(
  { handoff, light }: VerificationContents,
  { end, madeUp, ...seen }: Pick<FullEnding, 'end' | 'indicators' | 'cameraSigns' | 'behavior' | 'madeUp'>,
  decision: VerificationDecision,
  ofCheck: readonly Finding[],
  standing: Standing | undefined,
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
    // A person who began a session can pass its number on with the link, but not a passkey on that device.
    mayCrossDevices: handoff === 'allow' || (standing?.hasBegun ?? false),
    tellsBehavior: false,
  });
}

/** Holds the person until the end of the transaction. */
async function standAs(
  { tokens, vouching }: Pick<EndParts, 'tokens' | 'vouching'>,
  trx: Transaction,
  session: Session<'verification'>,
  personId: PersonId,
  speaking: ShownInSteps,
): Promise<Standing> {
  if (session.contents.type === 'ENROLL') {
    const confirmed = await tokens.confirm(trx, session.id, personId);
    if (!confirmed) throw new EvidenceGone('person');
    if (confirmed === 'made') return { personId, wasKnown: false, vouched: VOUCHED_BY.enrolment, hasBegun: false };
  } else if (!(await tokens.hold(trx, personId))) {
    throw new EvidenceGone('person');
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
