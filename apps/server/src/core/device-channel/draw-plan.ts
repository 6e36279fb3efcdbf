// Draws the plan that a device is held to: the steps of its session, challenges in a random order, a key and a nonce.

import { randomBytes, randomInt } from 'node:crypto';
import { type DevicePlan, type LogEntry, MOVEMENTS, type Movement, type PlanStep, stepsBegun } from '@limen/plan';
import type { Session } from '../sessions/session.ts';
import { makeAnswerKeys } from './answer/answer-envelope.ts';
import type { HeldPlan } from './channel-state.ts';
import type { SessionFlow } from './device-flow.ts';

const CHALLENGES_DRAWN = 3;
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
 * Nonce and keys are new for every device, so that nothing of one can be sent by the other. The steps are drawn once per
 * session: a program with two keys could otherwise hand the session to and fro until it likes the challenges.
 */
export async function drawPlan({ session, flow, modelManifest, before, now }: PlanRequest): Promise<HeldPlan> {
  const { publicKey, privateKey } = await makeAnswerKeys();
  const plan: DevicePlan = {
    version: 1,
    sessionId: session.id,
    nonce: randomBytes(NONCE_BYTES).toString('base64url'),
    publicKey,
    today: new Date(now).toISOString().slice(0, 10),
    modelManifest,
    steps: before ? carryOver(readPlan(before.plan).steps, before.log) : await flow.planSteps(drawChallenges),
    ...(before && before.carried.length > 0 && { carried: [...before.carried] }),
  };
  return { text: JSON.stringify(plan), privateKey, servedAt: now };
}

/** A conditional step that began on the device before has become due, and stays so on this one. */
function carryOver(steps: readonly PlanStep[], log: readonly LogEntry[]): PlanStep[] {
  const begun = stepsBegun(log);
  return steps.map((step, position): PlanStep => (begun.includes(position) ? { ...step, when: 'always' } : step));
}

export function readPlan({ text }: HeldPlan): DevicePlan {
  return JSON.parse(text);
}

/**
 * Some of the challenges; which ones and in which order is for nobody to foresee. A plan without any would pass a picture,
 * so that is refused whoever asks for it.
 */
export function drawChallenges(count = CHALLENGES_DRAWN): Movement[] {
  if (!(count >= 1 && count <= MOVEMENTS.length)) throw new RangeError(`A plan cannot ask for ${count} movements`);
  const left: Movement[] = [...MOVEMENTS];
  return Array.from({ length: count }, () => left.splice(randomInt(left.length), 1)).flat();
}
