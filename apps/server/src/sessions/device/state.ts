// How each call changes the state of a session's device channel: pure functions.
import { type LogEntry, measureLog } from '@limen/plan';
import { MAX_DEVICES } from '../limits.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type { ChannelState, Counted, HeldPlan } from './channel-state.ts';
import { drawReturning, joinCourses, NO_LIGHT, NO_REFUSAL, wasHandedOver } from './handoff-state.ts';
import type { Signer } from './signature/signature.ts';

/** More of the same say nothing new; and a stranger shall not be able to make the service write without end. */
const COUNTED_AT_MOST = 5;

export type Role = 'none' | 'active' | 'follower';

export function newChannelState(openedAt: number): ChannelState {
  return {
    devices: [],
    active: 0,
    plan: null,
    log: [],
    logOverrunMs: null,
    openedAt,
    before: {
      orderBreaks: 0,
      retries: 0,
      challengeMs: [],
      rhythm: [],
      lightMs: null,
      light: NO_LIGHT,
      captureMs: 0,
      servedAt: null,
    },
    handoff: null,
    handoffsMade: 0,
    handoffMs: [],
    ...NO_REFUSAL,
    linkRefusal: null,
    holdsBox: false,
    returning: null,
    counts: { otherDeviceAttempts: 0, replayAttempts: 0, outOfPlanAnswers: 0, handoffNumbersWrong: 0 },
    accepted: null,
    offer: { attempts: 0, open: null, taken: false },
  };
}

export function bindDevice(signer: Signer, plan: HeldPlan, log: readonly LogEntry[] = []): ChannelState {
  return { ...newChannelState(plan.servedAt), devices: [signer], plan, log };
}

/** Key of the device that began the session, whoever holds it now. */
export function firstDeviceOf({ devices }: ChannelState): string | undefined {
  return devices[0]?.key;
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

/**
 * How much faster than the service's a device's clock may run: two clocks that are slewed against each other differ by up
 * to a thousandth. A device's log begins when the plan has arrived and reaches the service later than it was written, so
 * networks, outages and reloads only ever make an honest log run behind.
 */
const CLOCK_DRIFT = 1.001;

export function keepLog(state: ChannelState, log: readonly LogEntry[], now: number): ChannelState {
  // A device that reports has what was sealed for it; while it offers the session itself, the box is the next one's.
  const kept = { ...state, log, holdsBox: state.holdsBox && state.handoff !== null };
  const elapsed = elapsedOf(state, now);
  if (elapsed === null) return kept;
  const overrun = Math.round(measureLog(log).lastAt - elapsed * CLOCK_DRIFT);
  return { ...kept, logOverrunMs: Math.max(state.logOverrunMs ?? overrun, overrun) };
}

/**
 * Less than the movements and a round of colours take: a log that has all of it at the moment of the claim is ahead. Clocks
 * of several servers, and that of a device, may differ by a little.
 */
const LIGHT_AHEAD_MS = 2_000;

/** Whether what is new in a log says of light that it was shown after it was told of. Whoever knows the colours can say so in advance. */
export function isLightAhead(state: ChannelState, log: readonly LogEntry[], now: number): boolean {
  const elapsed = elapsedOf(state, now);
  if (elapsed === null) return false;
  return log
    .slice(state.log.length)
    .some(([event, , at]) => (event === 'lit' || event === 'stopped') && at - elapsed > LIGHT_AHEAD_MS);
}

/** Since the plan was served; null when the server's clock was set back, for then it measures nothing. */
function elapsedOf({ plan }: ChannelState, now: number): number | null {
  return plan && now >= plan.servedAt ? now - plan.servedAt : null;
}

/** Nothing can be opened after the end. */
export function closeChannel(state: ChannelState, accepted: string | null): ChannelState {
  const returning = wasHandedOver(state) ? drawReturning() : null;
  return {
    ...state,
    plan: null,
    handoff: null,
    ...NO_REFUSAL,
    linkRefusal: null,
    holdsBox: false,
    accepted,
    returning,
  };
}

function isBareStart(log: readonly LogEntry[]): boolean {
  return log.length === 1 && log[0]?.[0] === 'started' && log[0][2] === 0;
}

/** `answeredAt`: when an answer came; undefined when none did. */
export function behaviorOfState(state: ChannelState, answeredAt?: number): BehaviorFacts {
  const { orderBreaks, retries } = measureLog(state.log);
  const ownMs = answeredAt === undefined ? null : elapsedOf(state, answeredAt);
  const { challengeMs, lightMs, captureMs, steps } = joinCourses(state.before, state.log, ownMs ?? 0);
  return {
    captureMs: ownMs === null ? null : captureMs,
    // A claim that starts the first step says that somebody wants to; whether they got as far is told by what follows.
    stepsStarted: answeredAt === undefined && isBareStart(state.log) ? steps - 1 : steps,
    challengeMs,
    lightMs: lightMs ?? 0,
    logOrderBreaks: state.before.orderBreaks + orderBreaks,
    logOverrunMs: state.logOverrunMs ?? 0,
    retries: state.before.retries + retries,
    handoffMs: state.handoffMs,
    ...state.counts,
  };
}
