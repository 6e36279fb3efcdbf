// Draws the plan that a device is held to: the steps of its session, a key and a nonce.

import { randomBytes } from 'node:crypto';
import { type DevicePlan, type LogEntry, type PlanStep, readPlan, stepsBegun } from '@limen/plan';
import type { Session } from '../lifecycle/session.ts';
import { makeAnswerKeys } from './answer/envelope.ts';
import type { HeldPlan } from './channel-state.ts';
import { drawFace, drawLight } from './draw-face.ts';
import type { SessionFlow } from './flow.ts';

const NONCE_BYTES = 16;

interface PlanRequest {
  session: Pick<Session, 'id'>;
  flow: SessionFlow;
  /** SHA-256 in hex, or null. */
  modelManifest: string | null;
  /** What the device before was held to, when the session is handed on; null for its first device. */
  before: { plan: HeldPlan; log: readonly LogEntry[]; carried: readonly number[] } | null;
  now: number;
}

/**
 * Nonce and keys are new for every device, so that nothing of one can be sent by the other. The movements are drawn
 * once per session: a program with two keys could otherwise hand the session to and fro until it likes them. Colours are
 * all alike to whoever cannot foresee them, so there are new ones, which the device before has not seen.
 */
export async function drawPlan({ session, flow, modelManifest, before, now }: PlanRequest): Promise<HeldPlan> {
  const { publicKey, privateKey } = makeAnswerKeys();
  const plan: DevicePlan = {
    version: 1,
    sessionId: session.id,
    nonce: randomBytes(NONCE_BYTES).toString('base64url'),
    publicKey,
    today: new Date(now).toISOString().slice(0, 10),
    modelManifest,
    steps: before ? carryOver(readPlan(before.plan.text).steps, before.log) : await flow.planSteps(drawFace),
    ...(before && before.carried.length > 0 && { carried: [...before.carried] }),
  };
  return { text: JSON.stringify(plan), privateKey, servedAt: now };
}

/** A conditional step that began on the device before has become due, and stays so on this one. */
function carryOver(steps: readonly PlanStep[], log: readonly LogEntry[]): PlanStep[] {
  const begun = stepsBegun(log);
  return steps.map((step, position): PlanStep => {
    const next: PlanStep = begun.includes(position) ? { ...step, when: 'always' } : step;
    return next.step === 'face' && next.light ? { ...next, light: drawLight(next.light.required) } : next;
  });
}
