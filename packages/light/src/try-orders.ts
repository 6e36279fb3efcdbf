// Tries orders of colours on what was seen: the drawn one against others that chance could have drawn.
import { LIGHT_COLOURS, type LightColour } from '@limen/plan';
import type { ShownColour } from './colours.ts';
import { createDelay, type Delay, fitOrder, multiply, type Response, toChanges } from './fit-response.ts';
import type { Series } from './read-series.ts';

type Changing = Pick<Series, 'times' | 'disturbances' | 'face'>;

/** How late a camera and a screen show what was asked for, in steps. */
interface LagRules {
  lagStepMs: number;
  mostLagMs: number;
}

export type Fitted = Response & { delay: Delay };

/** Tries orders of colours on what was seen. */
export type Trial = ReturnType<typeof createTrial>;

export function createTrial(series: Changing, shown: readonly ShownColour[], { lagStepMs, mostLagMs }: LagRules) {
  const changes = toChanges(series);
  const shownAt = shown.map(({ at }) => at);
  const delays = Array.from({ length: mostLagMs / lagStepMs + 1 }, (_, i) => {
    const delay = createDelay(changes, shownAt, i * lagStepMs);
    return { delay, products: multiply(changes.values, delay) };
  });
  return {
    changes,
    /** At the delay that fits best. */
    fit(order: readonly LightColour[]): Fitted {
      const [first, ...more] = delays.map(({ delay, products }) => ({ delay, ...fitOrder(delay, products, order) }));
      return more.reduce((best, next) => (next.explained > best.explained ? next : best), first!);
    },
  };
}

/**
 * The rest has lost what looked like the drawn order, at the delay that fitted best: without any light, responses scatter
 * 1.6 to 2.1 times as far as the others do on it, whatever the noise.
 */
const UNDERSTATED = 1.8;

/** How far responses come by chance, from those of other orders on what the drawn one leaves. */
export function scatterOf(chance: readonly number[]): number {
  return (UNDERSTATED * Math.hypot(...chance)) / Math.sqrt(chance.length);
}

/** Neighbours differ, as in those that the service draws; always the same, so that the same frames get the same answer. */
export function drawOthers(drawn: readonly LightColour[], count: number): LightColour[][] {
  let state = 0x2545f491;
  const next = (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  const others: LightColour[][] = [];
  while (others.length < count) {
    const order: LightColour[] = [];
    for (const _ of drawn) {
      const colours = LIGHT_COLOURS.filter((colour) => colour !== order.at(-1));
      order.push(colours[next(colours.length)]!);
    }
    const alike = order.filter((colour, i) => colour === drawn[i]).length;
    if (alike * PLACES_FOR_ONE_ALIKE <= drawn.length) others.push(order);
  }
  return others;
}

/** Orders that are nearly the drawn one explain nearly as much: they say nothing. One place in so many may be the same. */
const PLACES_FOR_ONE_ALIKE = 6;
