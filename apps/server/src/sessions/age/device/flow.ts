// How an age session looks to the device channel: its plan, which answers fit it, and how it ends.

import { AgeDeviceAnswer } from '@limen/contract';
import {
  AGE_ERROR_CODES,
  type AgeBound,
  type AgeReport,
  CANCEL_CODES,
  type DocumentPlanStep,
  type FacePlanStep,
  type PlanStep,
  type Proof,
} from '@limen/plan';
import { invalid } from '../../../platform/base/errors.ts';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import {
  type AnswerCourse,
  type DrawFace,
  describeLight,
  type FaceDraw,
  type MovementTuning,
  type SessionFlow,
} from '../../device/flow.ts';
import { chooseLight, isSpoofByLight, type LightChallenge } from '../../device/light.ts';
import { readCaptures } from '../../device/read-answer.ts';
import type { AgeContents, AgeReturnFormat } from '../../lifecycle/kinds.ts';
import type { Session } from '../../lifecycle/session.ts';
import type { EndAgeSession } from '../end-session.ts';
import { type AgeAnswer, isDocumentDue } from '../rules.ts';

const KNOWN_CODES: ReadonlySet<number> = new Set(Object.values(AGE_ERROR_CODES));

type AgePlanStep = FacePlanStep | DocumentPlanStep;

interface AgeDeviceFlowOptions {
  endSession: EndAgeSession;
  expire(session: Session<'age'>): Promise<void>;
  /** Whether the service can check such a proof now: what it cannot is not offered. */
  offersProof: (proof: Proof, session: Session<'age'>) => boolean;
  lightChallenge: LightChallenge;
  movements?: MovementTuning | undefined;
  /** Undefined for the one that every page has. */
  ageBound?: AgeBound | undefined;
}

/** Its plan needs nobody to be asked. */
interface AgeSessionFlow extends SessionFlow {
  planSteps(drawFace: DrawFace): AgePlanStep[];
}

export function createAgeDeviceFlow(options: AgeDeviceFlowOptions): (session: Session<'age'>) => AgeSessionFlow {
  const { endSession, expire, offersProof, lightChallenge, movements, ageBound } = options;
  return (session) => {
    const { contents, outcome } = session;
    const light = chooseLight(contents.settings.light, lightChallenge);
    return {
      describe() {
        const { locale, enableDesktop, redirectUrl, handoff, requester, settings } = contents;
        // All that may come, a document that depends on the face too: who agrees at the start agrees to that as well.
        const possible = planSteps(contents, () => NOTHING_DRAWN);
        const proofs = settings.proofs?.accepted.filter((proof) => offersProof(proof, session)) ?? [];
        const asks = {
          requester,
          operation: 'AGE' as const,
          steps: [...settings.requirements],
          mayAskForDocument: possible.some(({ when }) => when === 'face_below_threshold'),
          sendsAge: possible.some(({ report }) => report === 'age'),
          sharesSelfie: false,
          contact: [],
          passkey: false,
          ...(proofs.length > 0 && { proofs }),
          ...describeLight(settings.requirements.includes('face') ? light : undefined),
        };
        return { locale, enableDesktop, redirectUrl, host: redirectUrl, handoff, returnsByCode: false, asks };
      },

      planSteps: (drawFace) =>
        planSteps(contents, () => ({ ...drawFace({ movements, light }), ...(ageBound && { ageBound }) })),

      endOf() {
        if (!outcome) return undefined;
        const { flowStatus, errors, ageKeyOffer: offer } = outcome;
        const ageKeyOffer = offer &&
          offersProof('age_key', session) && { ageOver: offer.proven.ageOver, until: offer.until };
        return { flowStatus, errors: errors.map(({ code }) => code), ...(ageKeyOffer && { ageKeyOffer }) };
      },

      readAnswer(plan, answer, course) {
        const read = readDeviceAnswer(plan.steps, answer, course);
        if (!read) return undefined;
        const { stepsDue, cutShort, face, document, indicators, cameraSigns } = read;
        const steppedUp = document !== undefined && !isDocumentDue(contents.settings, face);
        const found: AgeAnswer = isSpoofByLight(lightChallenge, face, course.light)
          ? { face: { spoof: true }, end: 'finished' }
          : {
              ...(face && { face }),
              ...(document && { document }),
              ...(steppedUp && { steppedUp }),
              end: 'finished',
            };
        return {
          stepsDue,
          cutShort,
          end: async (behavior, keep) =>
            (await endSession(session, { answer: found, indicators, cameraSigns, check: course, behavior }, keep))
              ?.session,
        };
      },

      async cancel(code, behavior, keep) {
        const answer = answerOfCancel(code);
        return (await endSession(session, { answer, indicators: null, cameraSigns: [], behavior }, keep)) !== undefined;
      },

      expire: () => expire(session),
    };
  };
}

const NOTHING_DRAWN: FaceDraw = { challenges: [], challengeMs: 0 };

function planSteps(
  { settings, enableDocumentFile }: AgeContents,
  draw: () => FaceDraw & Pick<FacePlanStep, 'ageBound'>,
): AgePlanStep[] {
  const { requirements, ageThreshold, documentAgeThreshold, stepUpEnabled } = settings;
  const documentStep = (when: DocumentPlanStep['when']): AgePlanStep => ({
    step: 'identity_document',
    when,
    report: reportOf(settings.documentAgeReturnFormat),
    ageThreshold: documentAgeThreshold,
    fromFile: enableDocumentFile,
  });
  const faceStep = (): AgePlanStep => ({
    step: 'face',
    when: 'always',
    report: reportOf(settings.facialAgeEstimationReturnFormat),
    ageThreshold,
    ...draw(),
  });
  const steps = requirements.map((step) => (step === 'face' ? faceStep() : documentStep('always')));
  const canStepUp = stepUpEnabled && !requirements.includes('identity_document');
  return canStepUp ? [...steps, documentStep('face_below_threshold')] : steps;
}

/** With the threshold alone asked for, the age does not leave the device. */
function reportOf(format: AgeReturnFormat): AgeReport {
  return format === 'threshold' ? 'threshold' : 'age';
}

function answerOfCancel(code: number | undefined): AgeAnswer {
  if (code === AGE_ERROR_CODES.cameraFailure) return { end: 'camera_failure' };
  if (code === AGE_ERROR_CODES.desktopNotEnabled) return { end: 'desktop' };
  if (code === undefined) return { end: 'cancelled' };
  if (KNOWN_CODES.has(code)) return { end: 'cancelled', errors: [code] };
  const possible = CANCEL_CODES.filter((known) => KNOWN_CODES.has(known)).join(', ');
  throw invalid('body.code', `must be a code that an age session can end with: ${possible}`);
}

const isDeviceAnswer = compileCheck(AgeDeviceAnswer);

export type ReadDeviceAnswer = NonNullable<ReturnType<typeof readDeviceAnswer>>;

/** Undefined for anything that does not fit the plan. */
export function readDeviceAnswer(steps: readonly PlanStep[], answer: unknown, course: AnswerCourse) {
  return isDeviceAnswer(answer) ? readCaptures(steps, answer, course) : undefined;
}
