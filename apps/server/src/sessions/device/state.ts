// Changes the state of a session’s channel: functions over one sealed value, pure apart from drawn numbers.
import { createHash, randomInt } from 'node:crypto';
import type { DeviceView } from '@limen/contract';
import {
  beginsWith,
  checkPrefix,
  LOG_MAX_ENTRIES,
  type LogEntry,
  listFinishedSteps,
  measureLog,
  type PlanCourse,
  RETURN_CODE_TRIES,
  readPlan,
} from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';
import { MAX_DEVICES } from '../limits.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type {
  ChannelPlan,
  ChannelState,
  EarlierCourse,
  OfferedHandoff,
  RefusalCounter,
  ReturnCode,
} from './channel-state.ts';
import type { Signer } from './signature.ts';

/** Limit of counted refusals, so that a stranger cannot make the service write forever. */
const COUNTED_AT_MOST = 5;

export function newChannelState(openedAt: number): ChannelState {
  return {
    devices: [],
    active: 0,
    plan: null,
    log: [],
    logOverrunMs: null,
    openedAt,
    before: { orderBreaks: 0, retries: 0, ...NO_COURSE },
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

export function bindDevice(signer: Signer, plan: ChannelPlan, log: readonly LogEntry[] = []): ChannelState {
  return { ...newChannelState(plan.servedAt), devices: [signer], plan, log };
}

/** Returns the key of the device that began the session, even after a handoff. */
export function findFirstDevice({ devices }: ChannelState): string | undefined {
  return devices[0]?.key;
}

export function findDevice({ devices }: ChannelState, key: string): Signer | undefined {
  return devices.find((device) => device.key === key);
}

export function findRole(state: ChannelState, key: string) {
  if (state.devices[state.active]?.key === key) return 'active';
  return findDevice(state, key) ? 'follower' : 'none';
}

export function advanceCounter(state: ChannelState, { key, counter }: Signer): ChannelState {
  return { ...state, devices: state.devices.map((device) => (device.key === key ? { key, counter } : device)) };
}

export function countRefusal(state: ChannelState, what: RefusalCounter): ChannelState | undefined {
  if (state.counts[what] >= COUNTED_AT_MOST) return undefined;
  return { ...state, counts: { ...state.counts, [what]: state.counts[what] + 1 } };
}

/** `codeDigest` is the digest of the code that came with the claim, if any. */
export function judgeClaim(state: ChannelState, key: string, codeDigest: string | undefined, now: number) {
  const role = findRole(state, key);
  if (role === 'active') return 'holds';
  if (role === 'none' && state.devices.length >= MAX_DEVICES) return 'third device';
  if (codeDigest === undefined) return 'needs a code';
  const { handoff } = state;
  return handoff && handoff.digest === codeDigest && now < handoff.expiresAt ? 'takes over' : 'code does not work';
}

/** Slewed clocks differ by up to a thousandth. Networks, outages and reloads only make an honest log run behind. */
const CLOCK_DRIFT = 1.001;

export function keepLog(state: ChannelState, log: readonly LogEntry[], now: number): ChannelState {
  // A device that reports has received its box. While it offers the session, the box is for the next device.
  const kept = { ...state, log, holdsBox: state.holdsBox && state.handoff !== null };
  const elapsed = computeElapsed(state, now);
  if (elapsed === null) return kept;
  const overrun = Math.round(measureLog(log).lastAt - elapsed * CLOCK_DRIFT);
  return { ...kept, logOverrunMs: Math.max(state.logOverrunMs ?? overrun, overrun) };
}

/** Less than the movements and a round of colors take. Clocks of servers and devices may differ by a little. */
const LIGHT_AHEAD_MS = 2_000;

/** Returns whether new entries report light before it can have been shown, as a client that knows the colors could. */
export function isLightAhead(state: ChannelState, log: readonly LogEntry[], now: number): boolean {
  const elapsed = computeElapsed(state, now);
  if (elapsed === null) return false;
  return log
    .slice(state.log.length)
    .some(([event, , at]) => (event === 'lit' || event === 'stopped') && at - elapsed > LIGHT_AHEAD_MS);
}

/** Returns the time since the plan was served, or null if the server's clock was set back. */
function computeElapsed({ plan }: ChannelState, now: number): number | null {
  return plan && now >= plan.servedAt ? now - plan.servedAt : null;
}

/** Drops the plan and its key, so that nothing can be opened after the end. */
export function closeChannel(state: ChannelState, accepted: string | null): ChannelState {
  const code = String(randomInt(10 ** RETURN_CODE_DIGITS)).padStart(RETURN_CODE_DIGITS, '0');
  const returning = wasHandedOver(state) ? { code, triesLeft: RETURN_CODE_TRIES, lastWrong: null, done: false } : null;
  const ended = { plan: null, handoff: null, linkRefusal: null, holdsBox: false };
  return { ...state, ...ended, ...NO_REFUSAL, accepted, returning };
}

export function behaviorOfState(state: ChannelState, answeredAt?: number): BehaviorFacts {
  const { orderBreaks, retries } = measureLog(state.log);
  const ownMs = answeredAt === undefined ? null : computeElapsed(state, answeredAt);
  const { challengeMs, lightMs, captureMs, steps } = joinCourses(state.before, state.log, ownMs ?? 0);
  const [first, second] = state.log;
  const isBareStart = !second && first?.[0] === 'started' && first[2] === 0;
  return {
    captureMs: ownMs === null ? null : captureMs,
    // A claim that starts the first step shows only intent; later entries show a real start.
    stepsStarted: answeredAt === undefined && isBareStart ? steps - 1 : steps,
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
const [LEAST_NUMBER, NUMBERS_END] = [10, 100];
const RETURN_CODE_DIGITS = 6;

const NO_REFUSAL = { wrongNumber: false, declined: false } as const;

const NO_COURSE: Omit<EarlierCourse, 'orderBreaks' | 'retries'> = {
  challengeMs: [],
  rhythm: [],
  lightMs: null,
  light: { colours: 0, isStopped: false },
  captureMs: 0,
  servedAt: null,
};

/** Draws the right number and two others, in an order that reveals nothing. */
export function drawChoices(): Pick<OfferedHandoff, 'number' | 'choices'> {
  const drawn = new Set<string>();
  while (drawn.size < CHOICES) drawn.add(String(randomInt(LEAST_NUMBER, NUMBERS_END)));
  const choices = [...drawn];
  return { number: choices[randomInt(CHOICES)] ?? '', choices };
}

export function offerHandoff(state: ChannelState, handoff: OfferedHandoff): ChannelState {
  const holdsBox = handoff.carries.length > 0;
  return { ...state, handoff, handoffsMade: state.handoffsMade + 1, holdsBox, ...NO_REFUSAL };
}

/** Voids the code after a wrong number or a decline. Both count in the risk: the code may have come from someone else. */
export function refuseHandoff(state: ChannelState, why: keyof typeof NO_REFUSAL): ChannelState {
  const counted = countRefusal(state, 'handoffNumbersWrong') ?? state;
  return { ...counted, handoff: null, holdsBox: false, ...NO_REFUSAL, [why]: true };
}

/** Returns the steps that the next device can skip: none if one of them began again since. */
export function carriedOn({ handoff, plan, log }: ChannelState): readonly number[] {
  if (!handoff || !plan || log.slice(handoff.sealedAtEntry).some(([event]) => event === 'retried')) return [];
  const finished = listFinishedSteps(readPlan(plan.text), log);
  return handoff.carries.every((position, index) => position === finished[index]) ? handoff.carries : [];
}

/** Moves the claim to `signer` with a new plan and an empty log. `carries`: steps of the previous device stay done. */
export function takeOver(state: ChannelState, signer: Signer, plan: ChannelPlan, now: number, carries = false) {
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

function courseBefore(state: ChannelState, isCarried: boolean, now: number): EarlierCourse {
  const { before, plan, log } = state;
  const measured = measureLog(log);
  const counted = {
    orderBreaks: before.orderBreaks + measured.orderBreaks,
    retries: before.retries + measured.retries,
  };
  if (!isCarried) return { ...counted, ...NO_COURSE };
  const { steps: _, ...joined } = joinCourses(before, log, Math.max(0, now - (plan?.servedAt ?? now)));
  const servedAt = (measured.carried > 0 ? before.servedAt : null) ?? plan?.servedAt ?? null;
  return { ...counted, ...joined, servedAt };
}

/** Joins the log with the course of the previous device, if steps of that were carried over. */
export function joinCourses(before: EarlierCourse, log: readonly LogEntry[], ownMs: number) {
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

export function tryReturnCode(returning: ReturnCode, isRight: boolean, digest: string): ReturnCode {
  if (returning.triesLeft === 0 || returning.lastWrong === digest) return returning;
  if (isRight) return { ...returning, done: true };
  return { ...returning, triesLeft: returning.triesLeft - 1, lastWrong: digest };
}

type EndFields = Pick<NonNullable<DeviceView['end']>, 'redirectUrl' | 'returnCode' | 'returnCodeTriesLeft'>;

/**
 * Returns the fields that redirect a device at the end. After a handover the person who finished may have been sent here by the
 * person who began, so neither gets the address before the two screens have met again.
 */
export function sendBack(state: ChannelState, isFirst: boolean, redirectUrl: string): EndFields {
  if (!wasHandedOver(state)) return { redirectUrl };
  const { returning } = state;
  if (!returning) return {};
  if (isFirst) return returning.done ? { redirectUrl } : { returnCodeTriesLeft: returning.triesLeft };
  return returning.done || returning.triesLeft === 0 ? {} : { returnCode: returning.code };
}

/** Adds entries to a log. Known ones may arrive again after a lost reply; different ones in their place are a conflict. */
export function extendLog(plan: PlanCourse, log: readonly LogEntry[], from: number, entries: readonly LogEntry[]) {
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

export function digestContent(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url');
}
