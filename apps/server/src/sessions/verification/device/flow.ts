// Connects verification sessions to the device channel: their plan, the answers that fit it, and their ends.
import { type LightPolicy, VerificationDeviceAnswer } from '@limen/contract';
import type { PlanStep } from '@limen/plan';
import type { Owner } from '../../../platform/api-keys/owner.ts';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import type { DeviceFlows, FaceDraw, FinishedCourse, MovementTuning, PageSettings } from '../../device/flow.ts';
import { chooseLight, describeLight, isSpoofByLight, type LightChallenge } from '../../device/light.ts';
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

export function createVerificationDeviceFlow(options: VerificationFlowOptions): DeviceFlows['verification'] {
  const { endSession, expire, galleryGuid, evidence, modelId, lightChallenge, movements } = options;
  return (session) => {
    const { id, contents, owner, outcome } = session;
    const light = chooseLight(contents.light, lightChallenge);
    return {
      describe() {
        const { locale, enableDesktop, handoff, redirectUrl: host, debugLevel } = contents;
        // Live sessions get no measurements of the light, which would show an attacker how near a try came.
        const pageLevel = owner.world === 'live' && debugLevel > 2 ? 2 : debugLevel;
        // Only a success redirects the person; otherwise the page shows the outcome.
        const redirectUrl = outcome?.status === 'SUCCESS' ? host : undefined;
        return {
          locale,
          enableDesktop,
          redirectUrl,
          host,
          handoff,
          returnsByCode: true,
          debugLevel: pageLevel || undefined,
          asks: describeAsks(contents, light),
        };
      },

      async planSteps(drawFace) {
        const gallery = await galleryGuid(owner);
        return planSteps(contents, { gallery, modelId, face: drawFace({ movements, light }) });
      },

      endOf: () => outcome && { flowStatus: outcome.flowStatus, errors: outcome.errors.map(({ code }) => code) },

      readAnswer(plan, rawAnswer, course) {
        const read = readDeviceAnswer(plan.steps, rawAnswer, course);
        if (!read) return undefined;
        const { indicators, cameraSigns, stepsDue, cutShort } = read;
        const isSpoof = isSpoofByLight(lightChallenge, read.answer.face, course.light);
        const answer = isSpoof ? { face: { spoof: true as const } } : read.answer;
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
        // Nothing can fail before the first step.
        const isReason = code !== undefined && (session.state === 'capturing' || !isFailure(code));
        const end = { end: 'cancelled' as const, ...(isReason && { code }) };
        return (await endSession(session, { end, indicators: null, cameraSigns: [], behavior }, keep)) !== undefined;
      },

      expire: () => expire(session),

      async handOn(trx, from, to) {
        const namesOf = (positions: readonly number[]) => positions.flatMap((at) => to.steps[at]?.step ?? []);
        const kept = await evidence.find(id, trx);
        if (!kept) return;
        const settled = settle(evidenceFor(from.plan.nonce, kept), namesOf(from.carried));
        await evidence.save(trx, id, handOnEvidence(settled, to.nonce, namesOf(to.carried ?? [])));
      },
    };
  };
}

/** Counts only steps with a camera, because only those can be too quick. */
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

/** An enrollment finds the person before it makes a passkey. A sign-in asks for the passkey first. */
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

function planSteps(
  { type, requirements, contact, sendImages, estimateAge }: VerificationContents,
  { gallery, modelId, face }: { gallery: string; modelId: string; face: FaceDraw },
): PlanStep[] {
  const when = 'always';
  const report = estimateAge ? 'age' : 'none';
  const steps = {
    face: { step: 'face', when, report, ageThreshold: 0, ...face },
    identity_document: { step: 'identity_document', when, report: 'none', ageThreshold: 0, fromFile: false },
    token: { step: 'token', when, operation: type, gallery, modelId, sendsSelfie: sendImages },
    contact: { step: 'contact', when, fields: [...contact] },
    passkey: { step: 'passkey', when, operation: type === 'ENROLL' ? 'register' : 'assert' },
  } satisfies { [Name in PlanStep['step']]: PlanStep };
  return listSteps(type, requirements, contact.length > 0).map((step) => steps[step]);
}

const isDeviceAnswer = compileCheck(VerificationDeviceAnswer);

/** Returns undefined for an answer that does not fit the plan. */
export function readDeviceAnswer(steps: readonly PlanStep[], rawAnswer: unknown, course: FinishedCourse) {
  if (!isDeviceAnswer(rawAnswer)) return undefined;
  const read = readCaptures(steps, rawAnswer, course);
  if (!read) return undefined;
  const { contact } = rawAnswer;
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
