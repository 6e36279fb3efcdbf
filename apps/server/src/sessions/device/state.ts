// State of a session’s channel and how each call changes it: pure functions over one sealed value, apart from drawn numbers.

import { createHash, randomInt } from 'node:crypto';
import type { DeviceView } from '@limen/contract';
import {
  beginsWith,
  checkPrefix,
  finishedSteps,
  type LightCourse,
  LOG_MAX_ENTRIES,
  type LogEntry,
  type Misfit,
  measureLog,
  type PlanCourse,
  RETURN_CODE_TRIES,
  readPlan,
} from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';
import { MAX_DEVICES } from '../limits.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type { ChannelState, Counted, CourseBefore, HeldPlan, OfferedHandoff, Returning } from './channel-state.ts';
import type { Signer } from './signature.ts';

/** More of the same say nothing new; and a stranger shall not be able to make the service write without end. */
const COUNTED_AT_MOST = 5;

export type DeviceRole = 'none' | 'active' | 'follower';

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

/** Returns the key of the device that began the session, even after a handoff. */
export function firstDeviceOf({ devices }: ChannelState): string | undefined {
  return devices[0]?.key;
}

export function deviceOf({ devices }: ChannelState, key: string): Signer | undefined {
  return devices.find((device) => device.key === key);
}

export function roleOf(state: ChannelState, key: string): DeviceRole {
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

/**
 * Returns whether new log entries report light before it can have been shown. A client that knows
 * the colors could send such a report in advance.
 */
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
    // A claim that starts the first step shows only intent. Later entries show whether the person
    // got that far.
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

const CHOICES = 3;
/** Two digits without a leading zero, which people leave out. */
const [LEAST_NUMBER, NUMBERS_END] = [10, 100];
const RETURN_CODE_DIGITS = 6;

/** How it is with a new code, after a device took over, and after the end. */
const NO_REFUSAL = { wrongNumber: false, declined: false } as const;

const NO_LIGHT: LightCourse = { colours: 0, isStopped: false };

/** Draws the right number and two others, in an order that reveals nothing. */
export function drawChoices(): Pick<OfferedHandoff, 'number' | 'choices'> {
  const drawn = new Set<string>();
  while (drawn.size < CHOICES) drawn.add(String(randomInt(LEAST_NUMBER, NUMBERS_END)));
  const choices = [...drawn];
  return { number: choices[randomInt(CHOICES)] ?? '', choices };
}

/** A new code voids the one before, and its box. */
export function offerHandoff(state: ChannelState, handoff: OfferedHandoff): ChannelState {
  const holdsBox = handoff.carries.length > 0;
  return { ...state, handoff, handoffsMade: state.handoffsMade + 1, holdsBox, ...NO_REFUSAL };
}

/**
 * Voids the code after a wrong number, which was not seen on the screen, or after the person declined. Both count in the risk: the
 * code may have come from someone else.
 */
export function refuseHandoff(state: ChannelState, why: keyof typeof NO_REFUSAL): ChannelState {
  const counted = countRefusal(state, 'handoffNumbersWrong') ?? state;
  return { ...counted, handoff: null, holdsBox: false, ...NO_REFUSAL, [why]: true };
}

/** Positions of the steps that the next device need not do: none when one of them was begun again since. */
export function carriedOn({ handoff, plan, log }: ChannelState): readonly number[] {
  if (!handoff || !plan || log.slice(handoff.sealedAtEntry).some(([event]) => event === 'retried')) return [];
  const finished = finishedSteps(readPlan(plan.text), log);
  return handoff.carries.every((position, index) => position === finished[index]) ? handoff.carries : [];
}

/** The claim moves, the log starts again under the plan that is given, and the code is used up. `carries`: with steps done. */
export function takeOver(
  state: ChannelState,
  signer: Signer,
  plan: HeldPlan,
  now: number,
  carries = false,
): ChannelState {
  const known = state.devices.findIndex(({ key }) => key === signer.key);
  const devices = known < 0 ? [...state.devices, signer] : state.devices.with(known, signer);
  return {
    ...state,
    devices,
    active: known < 0 ? devices.length - 1 : known,
    plan,
    log: [],
    before: courseBefore(state, carries, now),
    handoff: null,
    handoffMs: [...state.handoffMs, now - (state.handoff?.madeAt ?? now)],
    holdsBox: state.holdsBox && carries,
    ...NO_REFUSAL,
    linkRefusal: null,
  };
}

function courseBefore(state: ChannelState, isCarried: boolean, now: number): CourseBefore {
  const { before, plan, log } = state;
  const measured = measureLog(log);
  const counted = {
    orderBreaks: before.orderBreaks + measured.orderBreaks,
    retries: before.retries + measured.retries,
  };
  if (!isCarried)
    return { ...counted, challengeMs: [], rhythm: [], lightMs: null, light: NO_LIGHT, captureMs: 0, servedAt: null };
  const joined = joinCourses(before, log, Math.max(0, now - (plan?.servedAt ?? now)));
  const { challengeMs, rhythm, lightMs, light, captureMs } = joined;
  const isOlder = measured.carried > 0 && before.servedAt !== null;
  const servedAt = isOlder ? before.servedAt : (plan?.servedAt ?? null);
  return { ...counted, challengeMs, rhythm, lightMs, light, captureMs, servedAt };
}

/** Joins the course in the present log with the previous device's course, as far as that counts. */
export function joinCourses(before: CourseBefore, log: readonly LogEntry[], ownMs: number) {
  const { challengeMs, rhythm, lightMs, light, steps, carried } = measureLog(log);
  const counts = carried > 0;
  return {
    challengeMs: counts ? [...before.challengeMs, ...challengeMs] : challengeMs,
    rhythm: counts && rhythm.length === 0 ? before.rhythm : rhythm,
    lightMs: lightMs ?? (counts ? before.lightMs : null),
    light: counts && lightMs === null ? before.light : light,
    captureMs: counts ? before.captureMs + ownMs : ownMs,
    steps: steps + carried,
  };
}

export function wasHandedOver({ handoffMs }: Pick<ChannelState, 'handoffMs'>): boolean {
  return handoffMs.length > 0;
}

function drawReturning(): Returning {
  const code = String(randomInt(10 ** RETURN_CODE_DIGITS)).padStart(RETURN_CODE_DIGITS, '0');
  return { code, triesLeft: RETURN_CODE_TRIES, lastWrong: null, done: false };
}

/** `isRight`: whether the code that came is the one that is shown. */
export function tryReturnCode(returning: Returning, isRight: boolean, digest: string): Returning {
  if (returning.triesLeft === 0 || returning.lastWrong === digest) return returning;
  if (isRight) return { ...returning, done: true };
  return { ...returning, triesLeft: returning.triesLeft - 1, lastWrong: digest };
}

type EndFields = Pick<NonNullable<DeviceView['end']>, 'redirectUrl' | 'returnCode' | 'returnCodeTriesLeft'>;

/**
 * Returns the fields that lead a device on at the end of a session. The person who began a session
 * that was handed over may have sent the person who finished it here. Neither of them gets the
 * address before the two screens have met again.
 */
export function sendBack(state: ChannelState, isFirst: boolean, redirectUrl: string): EndFields {
  if (!wasHandedOver(state)) return { redirectUrl };
  const { returning } = state;
  if (!returning) return {};
  if (isFirst) return returning.done ? { redirectUrl } : { returnCodeTriesLeft: returning.triesLeft };
  return returning.done || returning.triesLeft === 0 ? {} : { returnCode: returning.code };
}

/**
 * Adds entries to a log. Known entries may arrive again, because a reply can get lost. Different
 * entries in their place are a conflict, for example between two tabs of one device. A course that
 * the plan does not allow is a misfit, even if it also conflicts with known entries.
 */
export function extendLog(
  plan: PlanCourse,
  log: readonly LogEntry[],
  from: number,
  entries: readonly LogEntry[],
): { log: readonly LogEntry[] } | { misfit: Misfit } | { conflict: true } {
  if (from > log.length) {
    throw invalid('body.from', `must be ${log.length} or less: the entries before it have not arrived`);
  }
  if (from + entries.length > LOG_MAX_ENTRIES) {
    throw invalid('body.entries', `must not make the log longer than ${LOG_MAX_ENTRIES} entries`);
  }
  const misfit = checkPrefix(plan, [...log.slice(0, from), ...entries]);
  if (misfit) return { misfit };
  const known = log.slice(from, from + entries.length);
  return beginsWith(entries, known) ? { log: [...log, ...entries.slice(known.length)] } : { conflict: true };
}

export function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}
