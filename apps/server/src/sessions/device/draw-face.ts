// Draws what a face is asked for: movements in a random order, the colours of its light, when its camera is asked.

import { randomInt } from 'node:crypto';
import {
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
  MOVEMENT_MS,
  MOVEMENTS,
  type Movement,
} from '@limen/plan';
import type { FaceDemands, FaceDraw } from './flow.ts';

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
export function drawLight(required: boolean): LightPlan {
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
