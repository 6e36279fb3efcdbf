// The device's side of a session: claims it, follows its plan, reports, answers. docs/device-protocol.md

import type {
  AgeDeviceAnswer,
  CancelRequest,
  ClaimReply,
  ClaimRequest,
  DeviceView,
  HandoffDeclineRequest,
  HandoffLook,
  HandoffLookRequest,
  HandoffReply,
  HandoffRequest,
  ReturnCodeRequest,
  VerificationDeviceAnswer,
} from '@limen/contract';
import { type DevicePlan, type LogEntry, readPlan } from '@limen/plan';
import { LimenError } from '../errors.ts';
import { buildUrl, type CallOptions, createExchange, type Fetch } from '../http/exchange.ts';
import { parseBaseUrl, parseRetries, parseTimeout } from '../http/options.ts';
import { isTransient, type RetryOptions, sleep as sleepForReal } from '../http/retry.ts';
import { sealAnswer } from './answer.ts';
import { createDeviceExchange, type DeviceCall, pathOf } from './exchange.ts';
import { checkFindings, type DeviceFindings } from './findings.ts';
import { type FollowOptions, followSession } from './follow.ts';
import { type CarriedSteps, type Handoff, type HandoffOptions, packHandoff, unpackCarried } from './handoff/handoff.ts';
import type { HandoffFindings } from './handoff/handoff-box.ts';
import { createMemoryKeys, type DeviceKeys } from './keys/keys.ts';
import { type DeviceKeyPair, exportDeviceKey, generateDeviceKeyPair } from './keys/signing.ts';
import { checkEntry, createStepLog, type StepLog } from './log.ts';
import { createProofCalls, type ProofCalls } from './proofs.ts';
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

export interface DeviceClient extends VerificationCalls, ProofCalls {
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
  /**
   * A one-time code with which another device takes the session over, for a QR code, and a number to show beside it. It
   * replaces the one before. What was found goes along, sealed under a key that is in the address alone.
   */
  handoff(options: HandoffOptions): Promise<Handoff>;
  /** Who asks and who began it, before this device takes the session over. Changes nothing. */
  look(code: string, options?: CallOptions): Promise<HandoffLook>;
  /** The person saw none of the numbers, or did not begin this: the code works no more, and its device is told. */
  decline(code: string, options?: CallOptions): Promise<void>;
  /** What the device before has found; undefined without any, without its key, or when it cannot be trusted. */
  carried(): CarriedSteps | undefined;
  /**
   * The six digits that the other device shows after a success, where the view has `end.returnCodeTriesLeft`; the view
   * that comes back tells where to go. Rejects with `return_code_refused` for a wrong one.
   */
  sendReturnCode(code: string, options?: CallOptions): Promise<DeviceView>;
  /** Calls back with the view of every reply, also of those whose call gives something else. The result stops it. */
  onView(callback: (view: DeviceView) => void): () => void;
  /** The present view and each change, up to the end; always signed. */
  follow(options?: FollowOptions): AsyncGenerator<DeviceView, void, undefined>;
}

interface Capture {
  planText: string;
  plan: DevicePlan;
  log: StepLog;
  /** Once there is one, no other is made: the service may have taken it although no reply came. */
  envelope?: Uint8Array<ArrayBuffer>;
  /** The service said that another device holds the session: what is not reported yet is of no use to it. */
  lost?: LimenError;
  carried?: CarriedSteps | undefined;
  /** Another device shows what happens here. */
  followed: boolean;
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
  const rules = parseRetries(retries);
  const stored = await keys.load(sessionId);
  const pair = stored ?? (await makePair(keys, sessionId));
  const device = createDeviceExchange({ sessionId, pair, exchange, retries: rules, sleep, random, now });
  const publicKey = await exportDeviceKey(pair.publicKey);
  const inTurn = createQueue();
  const onViews = new Set<(view: DeviceView) => void>();
  let capture: Capture | undefined;

  const send = async <Result>(call: DeviceCall): Promise<Result> => {
    try {
      return await device.send<Result>(call);
    } catch (error) {
      if (capture && error instanceof LimenError && error.code === 'device_mismatch') capture.lost = error;
      throw error;
    }
  };
  const sendForView = async (call: DeviceCall): Promise<DeviceView> => tell(await send<DeviceView>(call));
  const tell = (view: DeviceView): DeviceView => {
    for (const callback of onViews) callback(view);
    return view;
  };
  const report = async (call: Pick<DeviceCall, 'once' | 'signal'>) => {
    if (!capture) return;
    const { log, lost } = capture;
    const json = log.unreported();
    if (!json) return;
    if (lost) throw lost;
    try {
      await sendForView({ ...call, operation: 'log', json });
    } catch (error) {
      if (error instanceof LimenError && error.status === 400) log.drop(json);
      throw error;
    }
    log.markReported(json);
  };
  /** For a call that is worth making whatever becomes of the report. */
  const tryReport = (signal: AbortSignal | undefined) => report({ once: true, signal }).catch(() => undefined);
  const readView = (signal: AbortSignal | undefined, unsigned = false) =>
    sendForView({ operation: 'view', unsigned, signal });
  /** The service lets nothing be carried that was not reported to it as finished. */
  const pack = async ({ planText, plan, log }: Capture, findings: HandoffFindings) => {
    if (log.unreported() !== undefined) return undefined;
    return packHandoff({ planText, plan, log: log.entries(), privateKey: pair.privateKey }, findings);
  };
  const requireCapture = () => {
    if (capture) return capture;
    throw new Error('the session is not claimed by this client: call claim() first');
  };

  return {
    sessionId,
    // What happened so far goes first: the service takes these only in their step.
    ...createVerificationCalls(({ signal }, work) =>
      inTurn(async () => {
        const { planText, plan } = requireCapture();
        await report({ signal });
        return work({ planText, plan, send });
      }),
    ),
    ...createProofCalls((call) => inTurn(() => send(call))),
    view: ({ signal } = {}) =>
      inTurn(async () => {
        await tryReport(signal);
        return readView(signal, capture === undefined && stored === undefined);
      }),
    claim: ({ code, number, boxKey, start, signal } = {}) =>
      inTurn(async () => {
        const handoff = { ...(code && { code }), ...(number && { number }) };
        const json: ClaimRequest = { publicKey, ...handoff, ...(start && { start }) };
        const reply = await send<ClaimReply>({ operation: 'claim', json, signal });
        const { plan: planText, log, view, followed = false } = reply;
        const before = capture?.planText === planText ? capture.carried : undefined;
        // The own log stays where it goes on from the one that is kept; another tab may have reported something else.
        if (capture?.planText !== planText || !capture.log.beginsWith(log)) {
          // A reply may have got lost: what a new key finds on record is of its own claim.
          const isOwnStart = start === true && !stored && !capture && log.length === 1;
          const own = createStepLog(monotonicNow, log, reply.started || isOwnStart);
          capture = { planText, plan: readPlan(planText), log: own, followed };
        }
        capture.carried = before ?? (await unpackCarried(capture.plan, reply.carried, boxKey));
        delete capture.lost;
        tell(view);
        return capture.plan;
      }),
    async record(event, index, { signal } = {}) {
      // Before its turn: the time of an event is that of the call.
      const { log, plan, envelope, followed } = requireCapture();
      if (envelope) throw new Error('the answer is sealed and sent, and its log with it');
      checkEntry(plan, event, index);
      const entry = log.append(event, index);
      if (!followed && !log.isReportDue()) return;
      await inTurn(async () => {
        try {
          await report({ once: true, signal });
        } catch (error) {
          if (!isTransient(error)) throw error;
        }
        // It went with another's report.
        if (!log.entries().includes(entry)) throw new Error('the service refused the report that this entry was in');
      });
    },
    log: () => capture?.log.entries() ?? [],
    submit: (findings, { finish, signal } = {}) =>
      inTurn(async () => {
        const current = requireCapture();
        const { plan, planText, log } = current;
        if (!current.envelope) {
          checkFindings(plan.steps, findings, log.entries());
          if (finish !== undefined) checkEntry(plan, 'finished', finish);
        }
        // The answer brings the rest of the log; of a capture that nobody knows to have begun, it is not taken.
        if (!log.isOnRecord() || current.followed) await report({ signal });
        if (!current.envelope) {
          // Not in the client's own log, from where any other call would report it.
          const last = finish === undefined ? [] : [log.draft('finished', finish)];
          const answer = composeAnswer(plan, findings, [...log.entries(), ...last]);
          current.envelope = await sealAnswer({ planText, answer });
        }
        return sendForView({ operation: 'answer', bytes: current.envelope, signal });
      }),
    cancel: (code, { signal } = {}) =>
      inTurn(async () => {
        await tryReport(signal);
        const json: CancelRequest = code === undefined ? {} : { code };
        const saysGone: DeviceCall['saysGone'] = (error) => error.code === 'session_ended';
        const view = await send<DeviceView | undefined>({ operation: 'cancel', json, signal, saysGone });
        return view ? tell(view) : readView(signal);
      }),
    handoff: ({ began, findings, signal }) =>
      inTurn(async () => {
        await tryReport(signal);
        const packed = findings && capture && (await pack(capture, findings));
        const json: HandoffRequest = { began, ...(packed && { carried: packed.carried }) };
        const reply = await send<HandoffReply>({ operation: 'handoff', json, signal });
        if (!packed) return { ...reply, carried: [] };
        return { ...reply, url: `${reply.url}.${packed.key}`, carried: packed.carried.steps };
      }),
    look: (code, { signal } = {}) => {
      const json: HandoffLookRequest = { code };
      return inTurn(() => send<HandoffLook>({ operation: 'handoff/look', json, signal }));
    },
    decline: (code, { signal } = {}) => {
      const json: HandoffDeclineRequest = { code };
      const saysGone: DeviceCall['saysGone'] = (error) => error.code === 'handoff_code_refused';
      return inTurn(async () => {
        await send({ operation: 'handoff/decline', json, signal, saysGone });
      });
    },
    carried: () => capture?.carried,
    sendReturnCode: (code, { signal } = {}) => {
      const json: ReturnCodeRequest = { code };
      return inTurn(() => sendForView({ operation: 'handoff/return', json, signal }));
    },
    onView(callback) {
      const own = (view: DeviceView) => callback(view);
      onViews.add(own);
      return () => void onViews.delete(own);
    },
    follow: (followOptions) =>
      followSession(
        {
          url: buildUrl(baseUrl, { path: pathOf(sessionId, 'updates') }),
          fetch,
          sleep,
          random,
          signRead: () => device.signRead('updates'),
          readView: (signal) => inTurn(() => readView(signal)),
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

/** Runs one piece of work at a time, in the order of the calls, whether those before failed or not. */
function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
