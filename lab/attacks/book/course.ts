// Sessions in the middle, as an attacker with a program of their own holds them, and the time that an honest one takes.

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

/** A step that took less by the service's clock is none of a person. */
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

/** Claims a session and goes through it at the pace of a person. Its answer is due. */
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

/** A nimble person's, in a rhythm of their own. All movements together take the same time, so that a pause covers it. */
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

/** What the plan asks for, as quickly as a nimble person would do it who wants no light: that takes its time. */
export function briskLog(plan: FollowedPlan, due?: number[]): LogEntry[] {
  return withoutLight(followPlan(plan, due, briskPace(plan)));
}

/** The same with the light as it was drawn. */
export function litLog(plan: FollowedPlan, due?: number[]): LogEntry[] {
  return followPlan(plan, due, briskPace(plan));
}

/** As long as a person takes for so many steps, and for light beside them. */
export function humanPause(steps: number, lightMs = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, steps * STEP_MS + lightMs));
}

export function sealFor({ planText, plan, log }: ClaimedSession, other: object = {}): Promise<Buffer> {
  return sealAnswer(planText, answerTo(plan, { log, ...other }));
}

/** What the host is told to do with it: the recommendation, or that there is no end yet. */
export function adviceOf({ riskEvaluation }: { riskEvaluation?: RiskEvaluation | undefined }): string {
  return riskEvaluation?.recommendation ?? 'no end';
}

/** Refusal of the answer and what the host sees afterwards, such as `422 answer_refused, BLOCK`. */
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
