// Sessions in progress, as held by an attacker's program, and the time that a legitimate one takes.

import type { AgeSessionResult, HandoffReply, RiskEvaluation } from '@limen/contract';
import type { DevicePlan, LogEntry } from '@limen/plan';
import {
  answerTo,
  drawRhythm,
  type FollowedPlan,
  followPlan,
  newDevice,
  type Pace,
  sealAnswer,
  type TestDevice,
  withoutLight,
} from '../../../apps/server/testing/device.ts';
import type { Host, OpenedAgeSession } from './host.ts';
import type { Stage } from './stage.ts';

/** Minimum time of a step by the service's clock to be human. */
const STEP_MS = 2_200;
const MOVEMENTS_MS = 1_620;
const LEAST_MOVEMENT_MS = 300;

export interface ClaimedSession extends OpenedAgeSession {
  device: TestDevice;
  planText: string;
  plan: DevicePlan;
  log: LogEntry[];
}

export async function claimAgeSession(
  stage: Stage,
  host: Host,
  body: object = {},
  address = stage.newAddress(),
): Promise<ClaimedSession> {
  const session = await host.openAgeSession(body);
  const device = await newDevice(stage.speaker.door, address);
  const { body: claimed, status } = await device.claim(session.id);
  if (status !== 200) throw new Error(`the session cannot be claimed: ${status}`);
  return { ...session, device, ...readPlan(claimed.plan) };
}

/** Claims a session and completes it at human pace up to the answer. */
export async function coursePassed(
  stage: Stage,
  host: Host,
  body: object = {},
  address?: string,
): Promise<ClaimedSession> {
  const session = await claimAgeSession(stage, host, body, address);
  await session.device.report(session.id, 0, session.log.slice(0, 1));
  await humanPause(session.plan.steps.length);
  return session;
}

/** A session with its whole course reported at once. */
export async function courseReported(stage: Stage, host: Host, body: object = {}): Promise<ClaimedSession> {
  const session = await claimAgeSession(stage, host, body);
  await session.device.report(session.id, 0, session.log);
  return session;
}

export function readPlan(planText: string) {
  const plan = JSON.parse(planText) as DevicePlan;
  return { planText, plan, log: briskLog(plan) };
}

/**
 * A fast person's times with individual rhythm. All movements together take constant time, so that
 * one pause covers them.
 */
function briskPace(plan: FollowedPlan): Pace {
  const drawn = drawRhythm(plan);
  const spare = MOVEMENTS_MS - 3 * LEAST_MOVEMENT_MS - 90;
  const [first, second] = [drawn(0) * 0.5, drawn(1) * 0.5];
  const shares = [first, second, 1 - first - second];
  return {
    toStart: 100 + Math.round(drawn(2) * 100),
    toShow: 60,
    toDo: (challenge) => LEAST_MOVEMENT_MS + challenge * 30 + Math.round(spare * (shares[challenge] ?? 0)),
    toFinish: 60 + Math.round(drawn(3) * 60),
  };
}

/** The plan's course at a fast person's pace, declining the light, which takes time. */
export function briskLog(plan: FollowedPlan, due?: number[]): LogEntry[] {
  return withoutLight(followPlan(plan, due, briskPace(plan)));
}

/** The course including the light as drawn. */
export function litLog(plan: FollowedPlan, due?: number[]): LogEntry[] {
  return followPlan(plan, due, briskPace(plan));
}

/** Human time for a number of steps, and for light. */
export function humanPause(steps: number, lightMs = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, steps * STEP_MS + lightMs));
}

export function sealFor({ planText, plan, log }: ClaimedSession, other: object = {}): Promise<Buffer> {
  return sealAnswer(planText, answerTo(plan, { log, ...other }));
}

/** The recommendation, or "no end yet". */
export function adviceOf({ riskEvaluation }: { riskEvaluation?: RiskEvaluation | undefined }): string {
  return riskEvaluation?.recommendation ?? 'no end';
}

/** Refusal of the answer and the host's view afterwards, such as `422 answer_refused, BLOCK`. */
export async function tellEnd(
  host: Host,
  token: string,
  { status, error }: { status: number; error: string | undefined },
): Promise<string> {
  const result: AgeSessionResult = await host.ageResult(token);
  const decided = result.sessionStatus === 'AGE_UNKNOWN' ? '' : `, ${result.sessionStatus}`;
  return `${status}${error ? ` ${error}` : ''}, ${adviceOf(result)}${decided}`;
}

export function labelOf({ status, error }: { status: number; error: string | undefined }): string {
  return `${status}${error ? ` ${error}` : ''}`;
}

/** Code and number for the next device. */
export async function offerHandoff(device: TestDevice, sessionId: string): Promise<HandoffReply> {
  const { status, body } = await device.handoff(sessionId);
  if (status !== 200) throw new Error(`the session cannot be handed on: ${status}`);
  return body as unknown as HandoffReply;
}
