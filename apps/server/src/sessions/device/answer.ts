// Takes the sealed answer of a device: opens it, checks it against the plan, and ends the session with it.
import {
  AGE_ERROR_CODES,
  beginsWith,
  checkWhole,
  type DevicePlan,
  type LogEntry,
  listBegunSteps,
  listCarriedSteps,
  type Misfit,
  measureLog,
  readLog,
} from '@limen/plan';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import { parseJson } from '../../platform/http/body/json.ts';
import { openEnvelope, unpad } from './envelope.ts';
import type { FinishedCourse, ReadAnswer } from './flow.ts';
import { refusal } from './refusals.ts';
import {
  behaviorOfState,
  closeChannel,
  countRefusal,
  digestContent,
  isLightAhead,
  joinCourses,
  keepLog,
} from './state.ts';
import type { ChannelStore } from './store.ts';
import type { DeviceTurn } from './turns.ts';

interface Arrival {
  at: number;
  client: string | undefined;
}

/** Returns session and state after the answer. Throws a refusal if it does not fit; the session has ended either way. */
export async function takeAnswer(store: ChannelStore, turn: DeviceTurn, envelope: Uint8Array, arrival: Arrival) {
  const opened = readEnvelope(turn, envelope, arrival);
  if ('counted' in opened) throw await refuseAnswer(store, turn, opened, arrival.at);
  const state = keepLog(turn.state, opened.log, arrival.at);
  const closed = closeChannel(state, digestContent(envelope));
  const keep = store.toUpdate(turn.session.id, turn.record, closed);
  const session = await opened.answer.end(behaviorOfState(state, arrival.at), keep);
  if (!session) throw new ConflictError();
  return { session, state: closed };
}

function readEnvelope(turn: DeviceTurn, envelope: Uint8Array, arrival: Arrival) {
  const { session, held, plan } = turn;
  const keys = { publicKey: plan.publicKey, privateKey: held.privateKey };
  const padded = openEnvelope({ envelope, keys, sessionId: session.id, planText: held.text });
  if (!padded) return replayed('The answer cannot be opened: it was not sealed for this session and its plan.');
  const text = unpad(padded);
  const answer = text && parseObject(text);
  const malformed = outOfPlan(plan, { step: 0 }, 'The answer does not have the form that the plan asks for.');
  if (!answer || typeof answer['sessionId'] !== 'string' || typeof answer['nonce'] !== 'string') return malformed;
  if (answer['sessionId'] !== session.id) return replayed('The answer was made for another session.');
  if (answer['nonce'] !== plan.nonce) return replayed('The answer carries the nonce of another plan.');
  const log = readLog(answer['log']);
  const read = log && turn.flow.readAnswer(plan, answer, describeCourse(turn, log, arrival));
  if (!read) return malformed;
  return judgeLog(turn, read, log, arrival.at) ?? { answer: read, log };
}

function describeCourse(
  { plan, held, state }: DeviceTurn,
  log: readonly LogEntry[],
  { at, client }: Arrival,
): FinishedCourse {
  const carried = listCarriedSteps(plan, log);
  const servedAt = carried.length > 0 ? (state.before.servedAt ?? held.servedAt) : held.servedAt;
  const isFaceCarried = carried.some((position) => plan.steps[position]?.step === 'face');
  const { light } = isFaceCarried ? state.before : measureLog(log);
  const { rhythm } = joinCourses(state.before, log, 0);
  return { servedAt, answeredAt: at, begun: listBegunSteps(log), carried, light, client, rhythm };
}

function judgeLog(turn: DeviceTurn, read: ReadAnswer, log: readonly LogEntry[], answeredAt: number) {
  const { plan, state } = turn;
  if (state.log.length === 0)
    return outOfPlan(plan, { step: 0 }, 'The answer came before its first step was reported.');
  const misfit = checkWhole(plan, log, read);
  if (misfit) return outOfPlan(plan, misfit, 'The answer’s log is not what the plan asks for.');
  // As for a report, two tabs of one device may both have gone on from the same place. Nothing ends by it.
  if (!beginsWith(log, state.log)) throw refusal('logConflict');
  return isLightAhead(state, log, answeredAt) ? lightAhead(plan) : undefined;
}

function parseObject(text: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

export interface AnswerFault {
  counted: 'replayAttempts' | 'outOfPlanAnswers';
  code: number;
  sentence: string;
}

/** Returns the fault of an answer for another session, plan or key, or of an old answer sent again. */
function replayed(sentence: string): AnswerFault {
  return { counted: 'replayAttempts', code: AGE_ERROR_CODES.payloadReplayed, sentence };
}

/** Returns a fault at the misfit's step. Callers name the plan's first step if they know none. */
export function outOfPlan({ steps }: DevicePlan, { step }: Misfit, sentence: string): AnswerFault {
  const { documentScanError, faceScanError } = AGE_ERROR_CODES;
  const code = steps[step]?.step === 'identity_document' ? documentScanError : faceScanError;
  return { counted: 'outOfPlanAnswers', code, sentence };
}

export function lightAhead(plan: DevicePlan): AnswerFault {
  const step = plan.steps.findIndex((planned) => planned.step === 'face');
  return outOfPlan(plan, { step }, 'The light was reported before it can have been shown.');
}

/** Ends the session and returns the refusal. `answeredAt` is undefined if a report was refused. */
export async function refuseAnswer(
  store: ChannelStore,
  { session, flow, record, state }: DeviceTurn,
  { counted, code, sentence }: AnswerFault,
  answeredAt?: number,
): Promise<AppError> {
  const closed = countRefusal(state, counted) ?? state;
  const keep = store.toUpdate(session.id, record, closeChannel(closed, null));
  if (!(await flow.cancel(code, behaviorOfState(closed, answeredAt), keep))) throw new ConflictError();
  return new AppError('answer_refused', `${sentence} The session has ended without a decision.`, { sessionCode: code });
}
