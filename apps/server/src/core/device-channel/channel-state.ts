// What the channel of a session remembers, and how each call changes it: pure functions over one sealed value.
import type { LogEntry } from '@limen/contract';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import { measureLog } from './check-log.ts';
import type { Signer } from './device-signature.ts';

/** A session knows the device that opened it and one that it was handed to, ever. */
const MAX_DEVICES = 2;
/** More of the same say nothing new; and a stranger shall not be able to make the service write without end. */
const COUNTED_AT_MOST = 5;

export interface HeldPlan {
  text: string;
  privateKey: string;
  servedAt: number;
}

interface Handoff {
  /** SHA-256 of the code, base64url. */
  digest: string;
  madeAt: number;
  expiresAt: number;
}

/** What is counted of calls that were refused. */
export type Counted = 'otherDeviceAttempts' | 'replayAttempts' | 'outOfPlanAnswers';

export interface ChannelState {
  /** In the order they came; each with the counter of its last call that changed something. */
  devices: readonly Signer[];
  /** Position of the one that holds the session. */
  active: number;
  /** Null once the session has ended. */
  plan: HeldPlan | null;
  log: readonly LogEntry[];
  /** The worst of all reports; null without any. */
  logOverrunMs: number | null;
  /** Of the logs of plans that were handed on. */
  before: { orderBreaks: number; retries: number };
  handoff: Handoff | null;
  handoffsMade: number;
  handoffMs: readonly number[];
  counts: Readonly<Record<Counted, number>>;
  /** SHA-256 of the envelope that ended the session, base64url. */
  accepted: string | null;
}

export type Role = 'none' | 'active' | 'follower';

export function bindDevice(signer: Signer, plan: HeldPlan): ChannelState {
  return {
    devices: [signer],
    active: 0,
    plan,
    log: [],
    logOverrunMs: null,
    before: { orderBreaks: 0, retries: 0 },
    handoff: null,
    handoffsMade: 0,
    handoffMs: [],
    counts: { otherDeviceAttempts: 0, replayAttempts: 0, outOfPlanAnswers: 0 },
    accepted: null,
  };
}

export function deviceOf({ devices }: ChannelState, key: string): Signer | undefined {
  return devices.find((device) => device.key === key);
}

export function roleOf(state: ChannelState, key: string): Role {
  if (state.devices[state.active]?.key === key) return 'active';
  return deviceOf(state, key) ? 'follower' : 'none';
}

/** Remembers the counter of a call by a known device. */
export function advanceCounter(state: ChannelState, { key, counter }: Signer): ChannelState {
  return { ...state, devices: state.devices.map((device) => (device.key === key ? { key, counter } : device)) };
}

/** Undefined when it was counted often enough. */
export function countRefusal(state: ChannelState, what: Counted): ChannelState | undefined {
  if (state.counts[what] >= COUNTED_AT_MOST) return undefined;
  return { ...state, counts: { ...state.counts, [what]: state.counts[what] + 1 } };
}

export type ClaimVerdict = 'holds' | 'takes over' | 'needs a code' | 'code does not work' | 'third device';

/** `codeDigest` is of the code that came with the claim, if any. */
export function judgeClaim(
  state: ChannelState,
  key: string,
  codeDigest: string | undefined,
  now: number,
): ClaimVerdict {
  const role = roleOf(state, key);
  if (role === 'active') return 'holds';
  if (role === 'none' && state.devices.length >= MAX_DEVICES) return 'third device';
  if (codeDigest === undefined) return 'needs a code';
  const { handoff } = state;
  return handoff && handoff.digest === codeDigest && now < handoff.expiresAt ? 'takes over' : 'code does not work';
}

/** The claim moves, the log begins anew under the plan that is given, and the code is used up. */
export function takeOver(state: ChannelState, signer: Signer, plan: HeldPlan, now: number): ChannelState {
  const { orderBreaks, retries } = measureLog(state.log);
  const devices = [...state.devices.filter(({ key }) => key !== signer.key), signer];
  return {
    ...state,
    devices,
    active: devices.length - 1,
    plan,
    log: [],
    before: { orderBreaks: state.before.orderBreaks + orderBreaks, retries: state.before.retries + retries },
    handoff: null,
    handoffMs: [...state.handoffMs, now - (state.handoff?.madeAt ?? now)],
  };
}

/** A new code voids the one before. */
export function offerHandoff(state: ChannelState, handoff: Handoff): ChannelState {
  return { ...state, handoff, handoffsMade: state.handoffsMade + 1 };
}

export function keepLog(state: ChannelState, log: readonly LogEntry[], now: number): ChannelState {
  const elapsed = elapsedOf(state, now);
  if (elapsed === null) return { ...state, log };
  const overrun = measureLog(log).lastAt - elapsed;
  return { ...state, log, logOverrunMs: Math.max(state.logOverrunMs ?? overrun, overrun) };
}

/** Since the plan was served; null when the server's clock was set back, for then it measures nothing. */
function elapsedOf({ plan }: ChannelState, now: number): number | null {
  return plan && now >= plan.servedAt ? now - plan.servedAt : null;
}

/** After the end nothing can be opened any more. */
export function closeChannel(state: ChannelState, accepted: string | null): ChannelState {
  return { ...state, plan: null, handoff: null, accepted };
}

/** `answeredAt`: when an answer came; undefined when none did. */
export function behaviorOfState(state: ChannelState, answeredAt?: number): BehaviorFacts {
  const { challengeMs, orderBreaks, retries, steps } = measureLog(state.log);
  return {
    captureMs: answeredAt === undefined ? null : elapsedOf(state, answeredAt),
    stepsStarted: steps,
    challengeMs,
    logOrderBreaks: state.before.orderBreaks + orderBreaks,
    logOverrunMs: state.logOverrunMs ?? 0,
    retries: state.before.retries + retries,
    handoffMs: state.handoffMs,
    ...state.counts,
  };
}
