// The device's side of a session: claims it, follows its plan, reports, answers. See
// docs/device-protocol.md.

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
  /** URL of Limen, including any path prefix. On a page it may be relative, such as `/`. */
  baseUrl: string;
  sessionId: string;
  /** Storage of the key pair. Default: in memory. */
  keys?: DeviceKeys | undefined;
  /** fetch implementation. Default: the platform's. */
  fetch?: Fetch | undefined;
  /** Timeout per attempt in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  retries?: RetryOptions | undefined;
  /** Milliseconds since 1970, the start of the call counter. */
  now?: (() => number) | undefined;
  /** Milliseconds of a monotonic clock, for the times of the log. */
  monotonicNow?: (() => number) | undefined;
  /** Waits between attempts. For tests. */
  sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Returns a number from 0 up to, but excluding, 1. For tests. */
  random?: (() => number) | undefined;
}

export interface ClaimOptions extends CallOptions {
  /** One-time code of a handoff. */
  code?: string | undefined;
  /** Number that the person picked in `look`. Required with a code. */
  number?: string | undefined;
  /** Key from the launch URL that opens the previous device's findings. */
  boxKey?: string | undefined;
  /** Starts the first step with this claim, so that recording its `started` takes no call. */
  start?: boolean | undefined;
}

export interface SubmitOptions extends CallOptions {
  /**
   * Position of the step that ends with this answer. Its `finished` is part of the answer's log and
   * not reported earlier.
   */
  finish?: number | undefined;
}

export interface DeviceClient extends VerificationCalls, ProofCalls, HandoffCalls {
  readonly sessionId: string;
  /** Returns the page's view. Signed once claimed or once a key is stored. */
  view(options?: CallOptions): Promise<DeviceView>;
  /** Claims the session, or takes it over with a code, and returns its plan. */
  claim(options?: ClaimOptions): Promise<DevicePlan>;
  /**
   * Records an event with the current time. Starts of attempts, and starts and stops of their
   * light, are reported immediately, as is everything while another device follows. Other events,
   * and all events without a network, go with the next call or the answer. Rejects with a
   * `TypeError` for an event or index that the plan cannot have, and does not keep it. Rejects if
   * the service refuses the report: `answer_refused` ends the session; `log_conflict` means that
   * another tab reported something else, and `claim()` then restores the stored log. Events refused
   * with status 400 are not kept either.
   */
  record(event: LogEntry[0], index: number, options?: CallOptions): Promise<void>;
  /**
   * Returns the log of the current plan. After a reload, `claim` restores the reported part.
   * Findings are not stored: the earliest step whose findings were lost starts again with
   * `retried`, finished or not, and all later steps with it.
   */
  log(): LogEntry[];
  /**
   * Seals and sends log and findings. After a lost reply, another call sends the identical
   * envelope. Throws a `TypeError` without sending if the findings do not match the plan. With
   * `finish`, the last step only finishes together with the answer: a page that reloads before can
   * restart the step with `retried`.
   */
  submit(findings: DeviceFindings, options?: SubmitOptions): Promise<DeviceView>;
  /** Ends the session without an answer. The code states the reason, if any. */
  cancel(code?: CancelRequest['code'], options?: CallOptions): Promise<DeviceView>;
  /**
   * Subscribes to the view of every reply, including calls that return something else. Returns the
   * unsubscribe function.
   */
  onView(callback: (view: DeviceView) => void): () => void;
  /** Yields the current view and each change until the end. Always signed. */
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
    // Reports earlier events first, because the service accepts these calls only in their step.
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
        // Keeps the own log if it continues the stored one. Another tab may have reported something
        // else.
        if (session.capture?.planText !== planText || !session.capture.log.beginsWith(log)) {
          // A reply may have been lost: entries found by a new key come from its own claim.
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
      // Before waiting its turn, because the event's time is that of the call.
      const { log, plan, envelope, followed } = session.requireCapture();
      if (envelope) throw new Error('The answer and its log have already been sealed and sent.');
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
        // The answer contains the rest of the log, but is refused for a capture that was never
        // reported as started.
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

/** Reads the pair back, because another tab may have stored one first. */
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
  // Not added to the client's log, from which other calls would report it.
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
    // checkFindings has compared it with the plan, which determines the type.
  } as AgeDeviceAnswer | VerificationDeviceAnswer;
}
