// How handoffs change the state of a session's device channel: pure functions, apart from codes and numbers that are drawn.
import { randomInt } from 'node:crypto';
import type { DeviceView } from '@limen/contract';
import { finishedSteps, type LightCourse, type LogEntry, measureLog, RETURN_CODE_TRIES, readPlan } from '@limen/plan';
import type { ChannelState, CourseBefore, HeldPlan, OfferedHandoff, Returning } from './channel-state.ts';
import type { Signer } from './signature/signature.ts';

const CHOICES = 3;
/** Two digits without a leading zero, which people leave out. */
const [LEAST_NUMBER, NUMBERS_END] = [10, 100];
const RETURN_CODE_DIGITS = 6;

/** How it is with a new code, after a device took over, and after the end. */
export const NO_REFUSAL = { wrongNumber: false, declined: false } as const;

export const NO_LIGHT: LightCourse = { colours: 0, isStopped: false };

/** The right number and two others, in an order that tells nothing. */
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

/** Somebody had the code and did not see the screen, or does not want to: it is void. */
export function endHandoff(state: ChannelState, why: keyof typeof NO_REFUSAL): ChannelState {
  return { ...state, handoff: null, holdsBox: false, ...NO_REFUSAL, [why]: true };
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

/** What the present log shows, with that of the device before as far as it counts. */
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

export function drawReturning(): Returning {
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
 * Who is sent on at the end of a session that goes back by code. Whoever began it may have sent the person who finished
 * it here: neither gets the address before the two screens have met again.
 */
export function sendBack(state: ChannelState, isFirst: boolean, redirectUrl: string): EndFields {
  if (!wasHandedOver(state)) return { redirectUrl };
  const { returning } = state;
  if (!returning) return {};
  if (isFirst) return returning.done ? { redirectUrl } : { returnCodeTriesLeft: returning.triesLeft };
  return returning.done || returning.triesLeft === 0 ? {} : { returnCode: returning.code };
}
