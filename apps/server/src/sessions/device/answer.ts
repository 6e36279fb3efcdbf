// Takes the sealed answer of a device: opens it, holds it against the plan, and ends the session with it.
import { createHash } from 'node:crypto';
import {
  AGE_ERROR_CODES,
  beginsWith,
  carriedSteps,
  checkWhole,
  type DevicePlan,
  type LogEntry,
  type Misfit,
  measureLog,
  readLog,
  stepsBegun,
} from '@limen/plan';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import { parseJson } from '../../platform/http/body/json.ts';
import type { AnySession } from '../lifecycle/session.ts';
import type { ChannelState } from './channel-state.ts';
import { openEnvelope, unpad } from './envelope.ts';
import type { AnswerCourse, ReadAnswer } from './flow.ts';
import { refusal } from './refusals.ts';
import { behaviorOfState, closeChannel, countRefusal, isLightAhead, joinCourses, keepLog } from './state.ts';
import type { ChannelStore } from './store.ts';
import type { DeviceTurn } from './turns.ts';

/** Names the envelope that was accepted, so that it can come again when its reply was lost. */
export function digestOfEnvelope(envelope: Uint8Array): string {
  return createHash('sha256').update(envelope).digest('base64url');
}

/** When an answer came, and where from. */
interface Arrival {
  at: number;
  client: string | undefined;
}

/** As the answer leaves them. */
interface Answered {
  session: AnySession;
  state: ChannelState;
}

/** Throws a refusal when the answer does not fit; the session has ended either way. */
export async function takeAnswer(
  store: ChannelStore,
  turn: DeviceTurn,
  envelope: Uint8Array,
  arrival: Arrival,
): Promise<Answered> {
  const { at: now } = arrival;
  const taken = readEnvelope(turn, envelope, arrival);
  if ('counted' in taken) throw await refuseAnswer(store, turn, taken, now);
  const state = keepLog(turn.state, taken.log, now);
  const closed = closeChannel(state, digestOfEnvelope(envelope));
  const keep = store.toUpdate(turn.session.id, turn.record, closed);
  const session = await taken.answer.end(behaviorOfState(state, now), keep);
  if (!session) throw new ConflictError();
  return { session, state: closed };
}

interface Taken {
  answer: ReadAnswer;
  log: readonly LogEntry[];
}

function readEnvelope(turn: DeviceTurn, envelope: Uint8Array, arrival: Arrival): Taken | Fault {
  const { session, held, plan } = turn;
  const keys = { publicKey: plan.publicKey, privateKey: held.privateKey };
  const sealed = { envelope, keys, sessionId: session.id, planText: held.text };
  const padded = openEnvelope(sealed);
  if (!padded) return replayed('The answer cannot be opened: it was not sealed for this session and its plan.');
  const text = unpad(padded);
  const answer = text && parseObject(text);
  const sentences = { form: 'The answer does not have the form that the plan asks for.' };
  if (!answer || typeof answer['sessionId'] !== 'string' || typeof answer['nonce'] !== 'string') {
    return outOfPlan(plan, { step: 0 }, sentences.form);
  }
  if (answer['sessionId'] !== session.id) return replayed('The answer was made for another session.');
  if (answer['nonce'] !== plan.nonce) return replayed('The answer carries the nonce of another plan.');
  const log = readLog(answer['log']);
  const course = log && courseOf(turn, log, arrival);
  const read = course && turn.flow.readAnswer(plan, answer, course);
  if (!read || !log) return outOfPlan(plan, { step: 0 }, sentences.form);
  const fault = judgeLog(turn, read, log, arrival.at);
  return fault ?? { answer: read, log };
}

function courseOf({ plan, held, state }: DeviceTurn, log: readonly LogEntry[], { at, client }: Arrival): AnswerCourse {
  const carried = carriedSteps(plan, log);
  const servedAt = carried.length > 0 ? (state.before.servedAt ?? held.servedAt) : held.servedAt;
  const isFaceCarried = carried.some((position) => plan.steps[position]?.step === 'face');
  const { light } = isFaceCarried ? state.before : measureLog(log);
  const { rhythm } = joinCourses(state.before, log, 0);
  return { servedAt, answeredAt: at, begun: stepsBegun(log), carried, light, client, rhythm };
}

function judgeLog(turn: DeviceTurn, read: ReadAnswer, log: readonly LogEntry[], answeredAt: number): Fault | undefined {
  const { plan, state } = turn;
  if (state.log.length === 0)
    return outOfPlan(plan, { step: 0 }, 'The answer came before its first step was reported.');
  const misfit = checkWhole(plan, log, read);
  if (misfit) return outOfPlan(plan, misfit, 'The answer’s log is not what the plan asks for.');
  // As of a report: two tabs of one device went on from the same place, and nothing ends by it.
  if (!beginsWith(log, state.log)) throw refusal('logConflict');
  return isLightAhead(state, log, answeredAt) ? lightAhead(turn) : undefined;
}

function parseObject(text: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export interface Fault {
  counted: 'replayAttempts' | 'outOfPlanAnswers';
  code: number;
  sentence: string;
}

/** Made for another session, another plan or another key, or an old one sent again. */
function replayed(sentence: string): Fault {
  return { counted: 'replayAttempts', code: AGE_ERROR_CODES.payloadReplayed, sentence };
}

/** Returns a fault at the misfit's step. Callers name the plan's first step if they know none. */
export function outOfPlan({ steps }: DevicePlan, { step }: Misfit, sentence: string): Fault {
  const { documentScanError, faceScanError } = AGE_ERROR_CODES;
  const code = steps[step]?.step === 'identity_document' ? documentScanError : faceScanError;
  return { counted: 'outOfPlanAnswers', code, sentence };
}

export function lightAhead({ plan }: Pick<DeviceTurn, 'plan'>): Fault {
  const step = plan.steps.findIndex((one) => one.step === 'face');
  return outOfPlan(plan, { step }, 'The light was told of before it can have been shown.');
}

/** `answeredAt` is undefined where no answer but a piece of the log was refused. */
export async function refuseAnswer(
  store: ChannelStore,
  { session, flow, record, state }: DeviceTurn,
  { counted, code, sentence }: Fault,
  answeredAt?: number,
): Promise<AppError> {
  const closed = countRefusal(state, counted) ?? state;
  const keep = store.toUpdate(session.id, record, closeChannel(closed, null));
  if (!(await flow.cancel(code, behaviorOfState(closed, answeredAt), keep))) throw new ConflictError();
  return new AppError('answer_refused', `${sentence} The session has ended without a decision.`, { sessionCode: code });
}
