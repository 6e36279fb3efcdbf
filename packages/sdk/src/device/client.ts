// The device's side of a session: claims it, follows its plan, reports, answers. docs/device-protocol.md

import type {
  AgeDeviceAnswer,
  CancelRequest,
  ClaimReply,
  ClaimRequest,
  DeviceView,
  VerificationDeviceAnswer,
} from '@limen/contract';
import { type DevicePlan, type LogEntry, readPlan } from '@limen/plan';
import { buildUrl, type CallOptions, createExchange, type Fetch } from '../http/exchange.ts';
import { parseBaseUrl, parseRetries, parseTimeout } from '../http/options.ts';
import { type RetryOptions, sleep as sleepForReal } from '../http/retry.ts';
import { sealAnswer } from './answer.ts';
import { createDeviceExchange, type DeviceCall, pathOf } from './exchange.ts';
import { checkFindings, type DeviceFindings } from './findings.ts';
import { type FollowOptions, followSession } from './follow.ts';
import { unpackCarried } from './handoff/handoff.ts';
import { createHandoffCalls, type HandoffCalls } from './handoff/handoff-calls.ts';
import { createMemoryKeys, type DeviceKeys } from './keys/keys.ts';
import { type DeviceKeyPair, exportDeviceKey, generateDeviceKeyPair } from './keys/signing.ts';
import { checkEntry, createStepLog } from './log.ts';
import { createProofCalls, type ProofCalls } from './proofs.ts';
import { type Capture, DeviceSession } from './session.ts';
import { createVerificationCalls, type VerificationCalls } from './verification.ts';

export interface DeviceClientOptions {
  /** Where Limen is served, with its path prefix if it has one; on a page also relative, such as `/`. */
  baseUrl: string;
  sessionId: string;
  /** Where the key pair is kept; in memory by default. */
  keys?: DeviceKeys | undefined;
  /** The platform's by default. */
  fetch?: Fetch | undefined;
  /** For each attempt. Default 30,000. */
  timeoutMs?: number | undefined;
  retries?: RetryOptions | undefined;
  /** Milliseconds since 1970, where the counter of the calls begins. */
  now?: (() => number) | undefined;
  /** Milliseconds on a clock that is never set, for the times of the log. */
  monotonicNow?: (() => number) | undefined;
  /** Waits between attempts. For tests. */
  sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** 0 up to, but not including, 1. For tests. */
  random?: (() => number) | undefined;
}

export interface ClaimOptions extends CallOptions {
  /** The one-time code of a handoff. */
  code?: string | undefined;
  /** With a code: the number that the person picked among the choices of `look`. A wrong one ends the handoff. */
  number?: string | undefined;
  /** From the launch URL: opens what the device before has found. */
  boxKey?: string | undefined;
  /** The first step starts now: to `record` its `started` then takes no call of its own. */
  start?: boolean | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** Position of the step that ends with this answer: its `finished` is in the answer's log and is not reported before. */
  finish?: number | undefined;
}

export interface DeviceClient extends VerificationCalls, ProofCalls, HandoffCalls {
  readonly sessionId: string;
  /** What a page may know. Signed, with role and progress, once the session was claimed or the key had been stored. */
  view(options?: CallOptions): Promise<DeviceView>;
  /** Takes the session, or takes it over with a code, and gets the plan. The same device gets the same plan again. */
  claim(options?: ClaimOptions): Promise<DevicePlan>;
  /**
   * Notes that something happened now. What begins an attempt, or begins or stops its light, is reported at once, and all
   * while another device follows; the rest goes with the next call or the answer, as all does without a network.
   * Rejects with a `TypeError` for an event or index that the plan cannot have, and keeps nothing of it.
   * Rejects when the service refuses it: `answer_refused` ends the session, `log_conflict` means that another tab
   * reported something else and ends nothing; after `claim()` the log is the one that was kept. What is refused with 400
   * is not kept either.
   */
  record(event: LogEntry[0], index: number, options?: CallOptions): Promise<void>;
  /**
   * The log of the present plan. After a reload `claim` brings back what was reported. Findings are kept by nobody: the
   * earliest step whose findings were lost begins again with `retried`, whether it was finished or not, and with it all
   * after it.
   */
  log(): LogEntry[];
  /**
   * Seals log and findings and sends them. Called again after a lost reply, it sends the very same envelope. Findings that
   * are not what the plan asks for are a `TypeError`, and nothing is sent. With `finish` the last step is finished only
   * together with the answer: a page that is loaded again before that can begin the step again with `retried`.
   */
  submit(findings: DeviceFindings, options?: SubmitOptions): Promise<DeviceView>;
  /** Ends the session without an answer; the code says why, if it was not the person's own wish. */
  cancel(code?: CancelRequest['code'], options?: CallOptions): Promise<DeviceView>;
  /** Calls back with the view of every reply, also of those whose call gives something else. The result stops it. */
  onView(callback: (view: DeviceView) => void): () => void;
  /** The present view and each change, up to the end; always signed. */
  follow(options?: FollowOptions): AsyncGenerator<DeviceView, void, undefined>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function createDeviceClient(options: DeviceClientOptions): Promise<DeviceClient> {
  const { sessionId, keys = createMemoryKeys(), timeoutMs = 30_000, retries = {} } = options;
  const { now = Date.now, monotonicNow = () => performance.now() } = options;
  const { sleep = sleepForReal, random = Math.random } = options;
  if (!UUID.test(sessionId)) throw new TypeError('sessionId must be the sessionId of a launch URL');
  const baseUrl = parseBaseUrl(options.baseUrl);
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const exchange = createExchange({ baseUrl, apiKey: undefined, fetch, timeoutMs: parseTimeout(timeoutMs) });
  const stored = await keys.load(sessionId);
  const pair = stored ?? (await makePair(keys, sessionId));
  const repeats = { retries: parseRetries(retries), sleep, random, now };
  const device = createDeviceExchange({ sessionId, pair, exchange, ...repeats });
  const publicKey = await exportDeviceKey(pair.publicKey);
  const session = new DeviceSession(device);
  const { send } = session;
  const proofs: ProofCalls = createProofCalls((call) => session.inTurn(() => send(call)));
  const handoffs: HandoffCalls = createHandoffCalls(session, pair.privateKey);
  return {
    sessionId,
    // What happened so far goes first: the service takes these only in their step.
    ...createVerificationCalls(({ signal }, work) =>
      session.inTurn(async () => {
        const { planText, plan } = session.requireCapture();
        await session.report({ signal });
        return work({ planText, plan, send });
      }),
    ),
    ...proofs,
    ...handoffs,
    view: ({ signal } = {}) =>
      session.inTurn(async () => {
        await session.tryReport(signal);
        return session.readView(signal, session.capture === undefined && stored === undefined);
      }),
    claim: ({ code, number, boxKey, start, signal } = {}) =>
      session.inTurn(async () => {
        const handoff = { ...(code && { code }), ...(number && { number }) };
        const json: ClaimRequest = { publicKey, ...handoff, ...(start && { start }) };
        const reply = await send<ClaimReply>({ operation: 'claim', json, signal });
        const { plan: planText, log, view, followed = false } = reply;
        const before = session.capture?.planText === planText ? session.capture.carried : undefined;
        // The own log stays where it goes on from the one that is kept; another tab may have reported something else.
        if (session.capture?.planText !== planText || !session.capture.log.beginsWith(log)) {
          // A reply may have got lost: what a new key finds on record is of its own claim.
          const isOwnStart = start === true && !stored && !session.capture && log.length === 1;
          const own = createStepLog(monotonicNow, log, reply.started || isOwnStart);
          session.capture = { planText, plan: readPlan(planText), log: own, followed };
        }
        session.capture.carried = before ?? (await unpackCarried(session.capture.plan, reply.carried, boxKey));
        delete session.capture.lost;
        session.tell(view);
        return session.capture.plan;
      }),
    async record(event, index, { signal } = {}) {
      // Before its turn: the time of an event is that of the call.
      const { log, plan, envelope, followed } = session.requireCapture();
      if (envelope) throw new Error('the answer is sealed and sent, and its log with it');
      checkEntry(plan, event, index);
      const entry = log.append(event, index);
      if (!followed && !log.isReportDue()) return;
      await session.inTurn(() => session.reportWith(log, entry, signal));
    },
    log: () => session.capture?.log.entries() ?? [],
    submit: (findings, { finish, signal } = {}) =>
      session.inTurn(async () => {
        const current = session.requireCapture();
        if (!current.envelope) checkAnswer(current, findings, finish);
        // The answer brings the rest of the log; of a capture that nobody knows to have begun, it is not taken.
        if (!current.log.isOnRecord() || current.followed) await session.report({ signal });
        current.envelope ??= await seal(current, findings, finish);
        return session.sendForView({ operation: 'answer', bytes: current.envelope, signal });
      }),
    cancel: (code, { signal } = {}) =>
      session.inTurn(async () => {
        await session.tryReport(signal);
        const json: CancelRequest = code === undefined ? {} : { code };
        const saysGone: DeviceCall['saysGone'] = (error) => error.code === 'session_ended';
        const view = await send<DeviceView | undefined>({ operation: 'cancel', json, signal, saysGone });
        return view ? session.tell(view) : session.readView(signal);
      }),
    onView: (callback) => session.onView(callback),
    follow: (followOptions) =>
      followSession(
        {
          url: buildUrl(baseUrl, { path: pathOf(sessionId, 'updates') }),
          fetch,
          sleep,
          random,
          signRead: () => device.signRead('updates'),
          readView: (signal) => session.inTurn(() => session.readView(signal)),
        },
        followOptions,
      ),
  };
}

/** Read back, because another tab may have been first. */
async function makePair(keys: DeviceKeys, sessionId: string): Promise<DeviceKeyPair> {
  const made = await generateDeviceKeyPair();
  await keys.save(made, sessionId);
  return (await keys.load(sessionId)) ?? made;
}

function checkAnswer({ plan, log }: Capture, findings: DeviceFindings, finish: number | undefined): void {
  checkFindings(plan.steps, findings, log.entries());
  if (finish !== undefined) checkEntry(plan, 'finished', finish);
}

function seal({ planText, plan, log }: Capture, findings: DeviceFindings, finish: number | undefined) {
  // Not in the client's own log, from where any other call would report it.
  const last = finish === undefined ? [] : [log.draft('finished', finish)];
  return sealAnswer({ planText, answer: composeAnswer(plan, findings, [...log.entries(), ...last]) });
}

function composeAnswer(
  plan: DevicePlan,
  findings: DeviceFindings,
  log: LogEntry[],
): AgeDeviceAnswer | VerificationDeviceAnswer {
  const { face, document, contact, indicators = null, camera = [] } = findings;
  return {
    version: 1,
    sessionId: plan.sessionId,
    nonce: plan.nonce,
    ...(face && { face }),
    ...(document && { document }),
    ...(contact && { contact }),
    indicators,
    ...(camera.length > 0 && { camera }),
    log,
    // Held against the plan before, which tells which of the two it is.
  } as AgeDeviceAnswer | VerificationDeviceAnswer;
}
