// What is counted of a session that has ended.

import { END_STATES } from '../lifecycle/rules.ts';
import { type AnySession, isOfKind } from '../lifecycle/session.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';

/** Upper bounds in seconds of the times that are told apart; what took longer is in the last. */
export const FINISH_SECONDS = [10, 20, 30, 45, 60, 90, 120, 300] as const;

/** How far a person came. A proof is a wallet or an age key, in the place of the camera. */
export const STAGES = ['created', 'opened', 'face', 'document', 'proof', 'ended'] as const;
export type Stage = (typeof STAGES)[number];

/** `behavior`: what its devices did; null when nobody opened it. */
export function namesOf(
  session: AnySession,
  outcome: NonNullable<AnySession['outcome']>,
  behavior: Pick<BehaviorFacts, 'captureMs' | 'stepsStarted'> | null,
): string[] {
  const { kind } = session;
  const state = END_STATES[outcome.flowStatus];
  const { recommendation, flags } = outcome.riskEvaluation;
  const stages = stagesOf(session, {
    stepsStarted: behavior?.stepsStarted ?? 0,
    isOpened: behavior !== null,
    isCompleted: state === 'completed',
    isByProof: isByProof(outcome),
  });
  const errors = new Set(outcome.errors.map(({ code }) => code));
  return [
    ...stages.map((stage) => `${kind}/stage/${stage}`),
    `${kind}/state/${state}`,
    ...(state === 'completed' ? [`${kind}/recommendation/${recommendation}`] : []),
    ...[...errors].map((code) => `${kind}/error/${code}`),
    ...[...new Set(flags)].map((flag) => `${kind}/flag/${flag}`),
    ...(state === 'completed' && behavior?.captureMs != null
      ? [`${kind}/seconds/${bucketOf(behavior.captureMs)}`]
      : []),
  ];
}

interface Course {
  stepsStarted: number;
  isOpened: boolean;
  isCompleted: boolean;
  isByProof: boolean;
}

function stagesOf(session: AnySession, { stepsStarted, isOpened, isCompleted, isByProof }: Course): Stage[] {
  const steps: readonly string[] = isOfKind(session, 'age')
    ? session.contents.settings.requirements
    : session.contents.requirements;
  // Whoever completed a session came through all of it, also where the test mode says so; a proof takes the place of what is left.
  const begun = isCompleted && !isByProof ? steps : steps.slice(0, stepsStarted);
  // A step beyond those that were asked for is the document that a face was sent on to.
  const hasDocument = begun.includes('identity_document') || stepsStarted > steps.length;
  return [
    'created',
    ...(isOpened || isCompleted ? (['opened'] as const) : []),
    ...(begun.includes('face') ? (['face'] as const) : []),
    ...(hasDocument ? (['document'] as const) : []),
    ...(isByProof ? (['proof'] as const) : []),
    ...(isCompleted ? (['ended'] as const) : []),
  ];
}

function isByProof(outcome: NonNullable<AnySession['outcome']>): boolean {
  const source = 'result' in outcome ? outcome.result?.source : undefined;
  return source === 'wallet' || source === 'age_key';
}

function bucketOf(ms: number): string {
  return String(FINISH_SECONDS.find((seconds) => ms <= seconds * 1000) ?? 'more');
}
