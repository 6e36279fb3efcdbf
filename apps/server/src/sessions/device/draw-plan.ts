// Draws the plan that a device is held to: the steps of its session with their movements and colors, a key and a nonce.
import { randomBytes, randomInt } from 'node:crypto';
import {
  type DevicePlan,
  LIGHT_ATTEMPTS,
  LIGHT_COLOURS,
  LIGHT_LEAST_COLOURS,
  LIGHT_LENGTH,
  LIGHT_MS,
  LIGHT_MS_SPREAD,
  LIGHT_MS_STEP,
  type LightColour,
  type LightDraw,
  type LightPlan,
  type LogEntry,
  MOVEMENT_MS,
  MOVEMENTS,
  type Movement,
  type PlanStep,
  readPlan,
  stepsBegun,
} from '@limen/plan';
import type { Session } from '../lifecycle/session.ts';
import type { HeldPlan } from './channel-state.ts';
import { makeAnswerKeys } from './envelope.ts';
import type { FaceDemands, FaceDraw, SessionFlow } from './flow.ts';

const NONCE_BYTES = 16;

interface PlanRequest {
  session: Pick<Session, 'id'>;
  flow: SessionFlow;
  /** SHA-256 in hex, or null. */
  modelManifest: string | null;
  /** Plan, log and carried steps of the previous device; null for the session's first device. */
  before: { plan: HeldPlan; log: readonly LogEntry[]; carried: readonly number[] } | null;
  now: number;
}

/**
 * Nonce and keys are new for every device, so that nothing of one can be sent by the other. The movements are drawn
 * once per session: a program with two keys could otherwise hand the session to and fro until it
 * likes them. Colors that cannot be foreseen are all equally hard, so every device gets new ones,
 * which the previous device has not seen.
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

const MOVEMENTS_DRAWN = 3;

export function drawFace({ movements = {}, light }: FaceDemands): FaceDraw {
  const { count = MOVEMENTS_DRAWN, ms = MOVEMENT_MS } = movements;
  const challenges = drawMovements(count);
  return {
    challenges,
    challengeMs: ms,
    ...(light && { light: drawLight(light === 'required') }),
    // Not after the last one where there is another: the light follows it, and wants all frames that the camera has.
    cameraRequest: { after: randomInt(Math.max(count - 1, 1)) },
  };
}

/**
 * Some of the movements; which ones and in which order is for nobody to foresee. A plan without any would pass a picture,
 * so that is refused whoever asks for it.
 */
function drawMovements(count: number): Movement[] {
  if (!(count >= 1 && count <= MOVEMENTS.length)) throw new RangeError(`A plan cannot ask for ${count} movements`);
  const left: Movement[] = [...MOVEMENTS];
  return Array.from({ length: count }, () => left.splice(randomInt(left.length), 1)).flat();
}

/** Anew for every attempt, so that what was seen in one says nothing of the next. */
function drawLight(required: boolean): LightPlan {
  return { attempts: Array.from({ length: LIGHT_ATTEMPTS }, drawAttempt), required };
}

function drawAttempt(): LightDraw {
  const colours = drawColours();
  return { colours, again: drawColours(colours.at(-1)), colourMs: drawColourMs() };
}

/** The colours that may come after each, and before any. */
const OTHERS = new Map<LightColour | undefined, readonly LightColour[]>([
  [undefined, LIGHT_COLOURS],
  ...LIGHT_COLOURS.map((one) => [one, LIGHT_COLOURS.filter((colour) => colour !== one)] as const),
]);

/**
 * Each differs from the one before, the first from `before`. A draw with too few different ones is thrown away whole, so
 * that all others are as likely.
 */
function drawColours(before?: LightColour): LightColour[] {
  for (;;) {
    const colours: LightColour[] = [];
    while (colours.length < LIGHT_LENGTH) {
      const others = OTHERS.get(colours.at(-1) ?? before)!;
      colours.push(others[randomInt(others.length)]!);
    }
    if (new Set(colours).size >= LIGHT_LEAST_COLOURS) return colours;
  }
}

function drawColourMs(): number {
  const steps = (2 * LIGHT_MS_SPREAD) / LIGHT_MS_STEP + 1;
  return LIGHT_MS - LIGHT_MS_SPREAD + LIGHT_MS_STEP * randomInt(steps);
}
