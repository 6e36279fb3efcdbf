// Ends a session whose device sent something that does not fit: without a decision, and counted.
import { AGE_ERROR_CODES, type DevicePlan, type Misfit } from '@limen/plan';
import { AppError, ConflictError } from '../../../platform/base/errors.ts';
import type { Turn } from '../find-channel.ts';
import { behaviorOfState, closeChannel, countRefusal } from '../state.ts';
import type { ChannelStore } from '../store.ts';

export interface Fault {
  counted: 'replayAttempts' | 'outOfPlanAnswers';
  code: number;
  sentence: string;
}

/** Made for another session, another plan or another key, or an old one sent again. */
export function replayed(sentence: string): Fault {
  return { counted: 'replayAttempts', code: AGE_ERROR_CODES.payloadReplayed, sentence };
}

/** Where the step is not known, it is the plan's first. */
export function outOfPlan({ steps }: DevicePlan, { step }: Misfit, sentence: string): Fault {
  const { documentScanError, faceScanError } = AGE_ERROR_CODES;
  const code = steps[step]?.step === 'identity_document' ? documentScanError : faceScanError;
  return { counted: 'outOfPlanAnswers', code, sentence };
}

export function lightAhead({ plan }: Pick<Turn, 'plan'>): Fault {
  const step = plan.steps.findIndex((one) => one.step === 'face');
  return outOfPlan(plan, { step }, 'The light was told of before it can have been shown.');
}

/** `answeredAt` is undefined where no answer but a piece of the log was refused. */
export async function refuseAnswer(
  store: ChannelStore,
  { session, flow, record, state }: Turn,
  { counted, code, sentence }: Fault,
  answeredAt?: number,
): Promise<AppError> {
  const closed = countRefusal(state, counted) ?? state;
  const keep = store.toUpdate(session.id, record, closeChannel(closed, null));
  if (!(await flow.cancel(code, behaviorOfState(closed, answeredAt), keep))) throw new ConflictError();
  return new AppError('answer_refused', `${sentence} The session has ended without a decision.`, { sessionCode: code });
}
