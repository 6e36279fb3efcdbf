// Names the counters of a session that has ended.
import { END_STATES } from '../lifecycle/rules.ts';
import { type AnySession, isOfKind } from '../lifecycle/session.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';

/** Upper bounds of the time buckets. Longer times are in the bucket `more`. */
export const FINISH_SECONDS = [10, 20, 30, 45, 60, 90, 120, 300] as const;

/** Stages that a person reaches. A proof is a wallet or an age key, in place of the camera. */
export const STAGES = ['created', 'opened', 'face', 'document', 'proof', 'ended'] as const;
export type Stage = (typeof STAGES)[number];

export function listCountNames(
  session: AnySession,
  outcome: NonNullable<AnySession['outcome']>,
  behavior: Pick<BehaviorFacts, 'captureMs' | 'stepsStarted'> | null,
): string[] {
  const { kind } = session;
  const state = END_STATES[outcome.flowStatus];
  const { recommendation, flags } = outcome.riskEvaluation;
  const isCompleted = state === 'completed';
  const source = 'result' in outcome ? outcome.result?.source : undefined;
  const isByProof = source === 'wallet' || source === 'age_key';
  const stages = listStages(session, behavior?.stepsStarted, isCompleted, isByProof);
  const errors = new Set(outcome.errors.map(({ code }) => code));
  return [
    ...stages.map((stage) => `${kind}/stage/${stage}`),
    `${kind}/state/${state}`,
    ...(isCompleted ? [`${kind}/recommendation/${recommendation}`] : []),
    ...[...errors].map((code) => `${kind}/error/${code}`),
    ...[...new Set(flags)].map((flag) => `${kind}/flag/${flag}`),
    ...(isCompleted && behavior?.captureMs != null ? [`${kind}/seconds/${findBucket(behavior.captureMs)}`] : []),
  ];
}

/** `started` is the number of steps that began, or undefined if no device opened the session. */
function listStages(
  session: AnySession,
  started: number | undefined,
  isCompleted: boolean,
  isByProof: boolean,
): Stage[] {
  const stepsStarted = started ?? 0;
  const steps: readonly string[] = isOfKind(session, 'age')
    ? session.contents.settings.requirements
    : session.contents.requirements;
  // A completed session passed all its steps, also in test mode. A proof replaces the remaining ones.
  const begun = isCompleted && !isByProof ? steps : steps.slice(0, stepsStarted);
  // A step beyond the requirements is the document of a step-up.
  const hasDocument = begun.includes('identity_document') || stepsStarted > steps.length;
  return [
    'created',
    ...(started !== undefined || isCompleted ? (['opened'] as const) : []),
    ...(begun.includes('face') ? (['face'] as const) : []),
    ...(hasDocument ? (['document'] as const) : []),
    ...(isByProof ? (['proof'] as const) : []),
    ...(isCompleted ? (['ended'] as const) : []),
  ];
}

function findBucket(ms: number): string {
  return String(FINISH_SECONDS.find((seconds) => ms <= seconds * 1000) ?? 'more');
}
