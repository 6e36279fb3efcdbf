// Connects age sessions to the device channel: their plan, the answers that fit it, and their ends.
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
import type { DrawFace, FaceDraw, FinishedCourse, MovementTuning, SessionFlow } from '../../device/flow.ts';
import { chooseLight, describeLight, isSpoofByLight, type LightChallenge } from '../../device/light.ts';
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
  offersProof: (proof: Proof, session: Session<'age'>) => boolean;
  lightChallenge: LightChallenge;
  movements?: MovementTuning | undefined;
  /** Undefined for the default of every page. */
  ageBound?: AgeBound | undefined;
}

export function createAgeDeviceFlow(options: AgeDeviceFlowOptions) {
  const { endSession, expire, offersProof, lightChallenge, movements, ageBound } = options;
  return (session: Session<'age'>) => {
    const { contents, outcome } = session;
    const light = chooseLight(contents.settings.light, lightChallenge);
    return {
      describe() {
        const { locale, enableDesktop, redirectUrl, handoff, requester, settings } = contents;
        // Consent at the start covers all possible steps, also a document that depends on the face.
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

      planSteps: (drawFace: DrawFace) =>
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
        const found = isSpoofByLight(lightChallenge, face, course.light)
          ? { face: { spoof: true as const } }
          : { ...(face && { face }), ...(document && { document }), ...(steppedUp && { steppedUp }) };
        const ending = { answer: { ...found, end: 'finished' as const }, indicators, cameraSigns, check: course };
        return {
          stepsDue,
          cutShort,
          end: async (behavior, keep) => (await endSession(session, { ...ending, behavior }, keep))?.session,
        };
      },

      async cancel(code, behavior, keep) {
        const answer = answerOfCancel(code);
        return (await endSession(session, { answer, indicators: null, cameraSigns: [], behavior }, keep)) !== undefined;
      },

      expire: () => expire(session),
    } satisfies SessionFlow;
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
    report: chooseReport(settings.documentAgeReturnFormat),
    ageThreshold: documentAgeThreshold,
    fromFile: enableDocumentFile,
  });
  const faceStep = (): AgePlanStep => ({
    step: 'face',
    when: 'always',
    report: chooseReport(settings.facialAgeEstimationReturnFormat),
    ageThreshold,
    ...draw(),
  });
  const steps = requirements.map((step) => (step === 'face' ? faceStep() : documentStep('always')));
  const canStepUp = stepUpEnabled && !requirements.includes('identity_document');
  return canStepUp ? [...steps, documentStep('face_below_threshold')] : steps;
}

/** Keeps the age on the device if the host asked for the threshold alone. */
function chooseReport(format: AgeReturnFormat): AgeReport {
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

/** Returns undefined for an answer that does not fit the plan. */
export function readDeviceAnswer(steps: readonly PlanStep[], answer: unknown, course: FinishedCourse) {
  return isDeviceAnswer(answer) ? readCaptures(steps, answer, course) : undefined;
}
