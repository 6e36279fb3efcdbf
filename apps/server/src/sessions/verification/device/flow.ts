// How a verification session looks to the device channel: its plan, which answers fit it, and how it ends.
import { type LightPolicy, VerificationDeviceAnswer } from '@limen/contract';
import type { PlanStep } from '@limen/plan';
import type { Owner } from '../../../platform/api-keys/owner.ts';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import {
  type AnswerCourse,
  type DeviceFlow,
  describeLight,
  type FaceDraw,
  type MovementTuning,
  type PageSettings,
} from '../../device/flow.ts';
import { chooseLight, isSpoofByLight, type LightChallenge } from '../../device/light.ts';
import { readCaptures } from '../../device/read-answer.ts';
import type { VerificationContents } from '../../lifecycle/kinds.ts';
import type { Session } from '../../lifecycle/session.ts';
import type { BehaviorFacts } from '../../risk/measure-behavior.ts';
import type { EndVerificationSession } from '../end-session.ts';
import { isFailure } from '../rules.ts';
import { type EvidenceStore, evidenceFor, handOnEvidence, settle } from './evidence.ts';

interface VerificationFlowOptions {
  endSession: EndVerificationSession;
  expire(session: Session<'verification'>): Promise<void>;
  galleryGuid(owner: Owner): Promise<string>;
  evidence: Pick<EvidenceStore, 'find' | 'save'>;
  modelId: string;
  lightChallenge: LightChallenge;
  movements?: MovementTuning | undefined;
}

const SPOOF = { spoof: true } as const;

export function createVerificationDeviceFlow(options: VerificationFlowOptions): DeviceFlow<'verification'> {
  const { endSession, expire, galleryGuid, evidence, modelId, lightChallenge, movements } = options;
  return (session) => {
    const { id, contents, owner, outcome } = session;
    const light = chooseLight(contents.light, lightChallenge);
    return {
      describe() {
        const { locale, enableDesktop, handoff, redirectUrl: host } = contents;
        // The person is sent on after success only; otherwise the page says what happened.
        const redirectUrl = outcome?.status === 'SUCCESS' ? host : undefined;
        return {
          locale,
          enableDesktop,
          redirectUrl,
          host,
          handoff,
          returnsByCode: true,
          debugLevel: levelForPage(session),
          asks: describeAsks(contents, light),
        };
      },

      async planSteps(drawFace) {
        const gallery = await galleryGuid(owner);
        return planSteps(contents, { gallery, modelId, face: drawFace({ movements, light }) });
      },

      endOf: () => outcome && { flowStatus: outcome.flowStatus, errors: outcome.errors.map(({ code }) => code) },

      readAnswer(plan, given, course) {
        const read = readDeviceAnswer(plan.steps, given, course);
        if (!read) return undefined;
        const { indicators, cameraSigns, stepsDue, cutShort } = read;
        const answer = isSpoofByLight(lightChallenge, read.answer.face, course.light) ? { face: SPOOF } : read.answer;
        const carried = course.carried.flatMap((position) => plan.steps[position]?.step ?? []);
        const ending = { end: { answer }, indicators, cameraSigns, check: course, nonce: plan.nonce, carried };
        return {
          stepsDue,
          cutShort,
          end: async (behavior, keep) => {
            const course = timeCaptures(behavior, plan.steps);
            return (await endSession(session, { ...ending, behavior: course }, keep))?.session;
          },
        };
      },

      async cancel(code, behavior, keep) {
        // Before the first step there was nothing that could fail.
        const isReason = code !== undefined && (session.state === 'capturing' || !isFailure(code));
        const end = { end: 'cancelled' as const, ...(isReason && { code }) };
        return (await endSession(session, { end, indicators: null, cameraSigns: [], behavior }, keep)) !== undefined;
      },

      expire: () => expire(session),

      async handOn(trx, { from, to }) {
        const namesOf = (positions: readonly number[]) => positions.flatMap((at) => to.steps[at]?.step ?? []);
        const kept = await evidence.find(id, trx);
        if (!kept) return;
        const settled = settle(evidenceFor(from.plan.nonce, kept), namesOf(from.carried));
        await evidence.save(trx, id, handOnEvidence(settled, to.nonce, namesOf(to.carried ?? [])));
      },
    };
  };
}

/** A token or a passkey takes no time that could be too short: only what is shown to a camera does. */
function timeCaptures(behavior: BehaviorFacts, steps: readonly PlanStep[]): BehaviorFacts {
  const captures = steps.filter(({ step }) => step === 'face' || step === 'identity_document').length;
  return { ...behavior, stepsStarted: Math.min(behavior.stepsStarted, captures) };
}

function describeAsks(
  { type, requirements, contact, sendImages, estimateAge, requester }: VerificationContents,
  light: LightPolicy | undefined,
) {
  const steps = listSteps(type, requirements, contact.length > 0).filter((step) => step !== 'token');
  return {
    requester,
    operation: type,
    steps,
    mayAskForDocument: false,
    sendsAge: estimateAge,
    sharesSelfie: sendImages,
    contact: [...contact],
    passkey: requirements.includes('passkey'),
    ...describeLight(light),
  } satisfies PageSettings['asks'];
}

/** Who enrols is found before a passkey is made for them; who signs in shows the passkey first. */
function listSteps(
  type: VerificationContents['type'],
  requirements: VerificationContents['requirements'],
  asksContact: boolean,
) {
  const order =
    type === 'ENROLL'
      ? (['face', 'identity_document', 'token', 'contact', 'passkey'] as const)
      : (['face', 'passkey', 'token'] as const);
  return order.filter((step) => step === 'token' || (step === 'contact' ? asksContact : requirements.includes(step)));
}

interface PlanFacts {
  gallery: string;
  modelId: string;
  face: FaceDraw;
}

function planSteps(contents: VerificationContents, facts: PlanFacts): PlanStep[] {
  const { type, requirements, contact, sendImages, estimateAge } = contents;
  const { gallery, modelId } = facts;
  const when = 'always';
  const report = estimateAge ? 'age' : 'none';
  const made = {
    face: (): PlanStep => {
      return { step: 'face', when, report, ageThreshold: 0, ...facts.face };
    },
    identity_document: (): PlanStep => {
      return { step: 'identity_document', when, report: 'none', ageThreshold: 0, fromFile: false };
    },
    token: (): PlanStep => ({ step: 'token', when, operation: type, gallery, modelId, sendsSelfie: sendImages }),
    contact: (): PlanStep => ({ step: 'contact', when, fields: [...contact] }),
    passkey: (): PlanStep => ({ step: 'passkey', when, operation: type === 'ENROLL' ? 'register' : 'assert' }),
  };
  return listSteps(type, requirements, contact.length > 0).map((step) => made[step]());
}

/**
 * The numbers behind what was found of the light are for whoever measures cameras. Whoever tries to get around the light could tell
 * by them how near they came: live sessions have none.
 */
const MOST_LIVE = 2;

function levelForPage({ contents: { debugLevel }, owner }: Session<'verification'>): PageSettings['debugLevel'] {
  return (owner.world === 'live' && debugLevel > MOST_LIVE ? MOST_LIVE : debugLevel) || undefined;
}

const isDeviceAnswer = compileCheck(VerificationDeviceAnswer);

/** Undefined for anything that does not fit the plan. */
export function readDeviceAnswer(steps: readonly PlanStep[], given: unknown, course: AnswerCourse) {
  if (!isDeviceAnswer(given)) return undefined;
  const read = readCaptures(steps, given, course);
  if (!read) return undefined;
  const { contact } = given;
  const due = read.stepsDue.flatMap((position) => steps[position] ?? []);
  if (!fitsContact(due, contact)) return undefined;
  const { face, document, ...rest } = read;
  return { ...rest, answer: { face, document, contact } };
}

/** Returns whether all given fields were requested. The person may leave fields out. */
function fitsContact(due: readonly PlanStep[], contact: VerificationDeviceAnswer['contact']): boolean {
  if (contact === undefined) return true;
  const step = due.find((planned) => planned.step === 'contact');
  const fields: readonly string[] = step?.fields ?? [];
  return step !== undefined && Object.keys(contact).every((field) => fields.includes(field));
}
