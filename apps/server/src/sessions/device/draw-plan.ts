// Draws the plan that a device is held to: the steps of its session with their movements and colors, a key and a nonce.
import { randomBytes, randomInt } from 'node:crypto';
import {
  type DevicePlan,
  LIGHT_ATTEMPTS,
  LIGHT_COLORS,
  LIGHT_LEAST_COLORS,
  LIGHT_LENGTH,
  LIGHT_MS,
  LIGHT_MS_SPREAD,
  LIGHT_MS_STEP,
  type LightColor,
  type LightDraw,
  type LightPlan,
  type LogEntry,
  listBegunSteps,
  MOVEMENT_MS,
  MOVEMENTS,
  type Movement,
  type PlanStep,
  readPlan,
} from '@limen/plan';
import type { Session } from '../lifecycle/session.ts';
import type { ChannelPlan } from './channel-state.ts';
import { makeAnswerKeys } from './envelope.ts';
import type { FaceDemands, FaceDraw, SessionFlow } from './flow.ts';

const NONCE_BYTES = 16;

interface PlanRequest {
  session: Pick<Session, 'id'>;
  flow: SessionFlow;
  modelManifest: string | null;
  /** Plan, log and carried steps of the previous device; null for the session's first device. */
  before: { plan: ChannelPlan; log: readonly LogEntry[]; carried: readonly number[] } | null;
  now: number;
}

/**
 * Draws the plan for a device. Nonce, keys and colors are new for every device, so that no device can use what another saw.
 * Movements are drawn once per session. Otherwise a program with two keys could hand it over until it likes them.
 */
export async function drawPlan({ session, flow, modelManifest, before, now }: PlanRequest): Promise<ChannelPlan> {
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

/** Keeps a conditional step due that began on the previous device. */
function carryOver(steps: readonly PlanStep[], log: readonly LogEntry[]): PlanStep[] {
  const begun = listBegunSteps(log);
  return steps.map((step, position): PlanStep => {
    const next: PlanStep = begun.includes(position) ? { ...step, when: 'always' } : step;
    return next.step === 'face' && next.light ? { ...next, light: drawLight(next.light.required) } : next;
  });
}

const MOVEMENTS_DRAWN = 3;

export function drawFace({ movements = {}, light }: FaceDemands): FaceDraw {
  const { count = MOVEMENTS_DRAWN, ms = MOVEMENT_MS } = movements;
  const challenges = drawMovements(count);
  return {
    challenges,
    challengeMs: ms,
    ...(light && { light: drawLight(light === 'required') }),
    // The light follows the last movement and needs all frames, so the request comes earlier if it can.
    cameraRequest: { after: randomInt(Math.max(count - 1, 1)) },
  };
}

/** Draws movements in an unpredictable order. Refuses a plan without any, which a picture would pass. */
function drawMovements(count: number): Movement[] {
  if (!(count >= 1 && count <= MOVEMENTS.length)) throw new RangeError(`A plan cannot ask for ${count} movements`);
  const left: Movement[] = [...MOVEMENTS];
  return Array.from({ length: count }, () => left.splice(randomInt(left.length), 1)).flat();
}

/** Draws each attempt by itself, so that one attempt reveals nothing about the next. */
function drawLight(required: boolean): LightPlan {
  return { attempts: Array.from({ length: LIGHT_ATTEMPTS }, drawAttempt), required };
}

function drawAttempt(): LightDraw {
  const colors = drawColors();
  const steps = (2 * LIGHT_MS_SPREAD) / LIGHT_MS_STEP + 1;
  const colorMs = LIGHT_MS - LIGHT_MS_SPREAD + LIGHT_MS_STEP * randomInt(steps);
  return { colours: colors, again: drawColors(colors.at(-1)), colourMs: colorMs };
}

/** Draws colors that each differ from the previous one. Redraws all if too few differ, so that the rest stays equally likely. */
function drawColors(before?: LightColor): LightColor[] {
  for (;;) {
    const colors: LightColor[] = [];
    while (colors.length < LIGHT_LENGTH) {
      const previous = colors.at(-1) ?? before;
      const candidates = LIGHT_COLORS.filter((color) => color !== previous);
      colors.push(candidates[randomInt(candidates.length)]!);
    }
    if (new Set(colors).size >= LIGHT_LEAST_COLORS) return colors;
  }
}
