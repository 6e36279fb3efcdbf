// Fits the drawn order of colors and random orders to the measurements.
import { LIGHT_COLORS, type LightColor } from '@limen/plan';
import type { ShownColor } from './colours.ts';
import { createDelay, type Delay, fitOrder, multiply, type Response, toChanges } from './fit-response.ts';
import type { Series } from './read-series.ts';

type Changing = Pick<Series, 'times' | 'disturbances' | 'face'>;

/** Range and step of the delay of camera and screen. */
interface LagRules {
  lagStepMs: number;
  mostLagMs: number;
}

export type Fitted = Response & { delay: Delay };

export type Trial = ReturnType<typeof createTrial>;

export function createTrial(series: Changing, shown: readonly ShownColor[], { lagStepMs, mostLagMs }: LagRules) {
  const changes = toChanges(series);
  const shownAt = shown.map(({ at }) => at);
  const delays = Array.from({ length: mostLagMs / lagStepMs + 1 }, (_, i) => {
    const delay = createDelay(changes, shownAt, i * lagStepMs);
    return { delay, products: multiply(changes.values, delay) };
  });
  return {
    changes,
    /** Fits an order at its best delay. */
    fit(order: readonly LightColor[]): Fitted {
      const [first, ...more] = delays.map(({ delay, products }) => ({ delay, ...fitOrder(delay, products, order) }));
      return more.reduce((best, next) => (next.explained > best.explained ? next : best), first!);
    },
  };
}

/** Without light, responses scatter 1.6 to 2.1 times as far as random orders on the residual. */
const UNDERSTATED = 1.8;

/** Estimates the deviation of responses by chance, from random orders on the residual. */
export function measureScatter(chance: readonly number[]): number {
  return (UNDERSTATED * Math.hypot(...chance)) / Math.sqrt(chance.length);
}

/** Draws random orders like the service, from a fixed seed for equal results. */
export function drawOthers(drawn: readonly LightColor[], count: number): LightColor[][] {
  let state = 0x2545f491;
  const next = (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  const orders: LightColor[][] = [];
  while (orders.length < count) {
    const order: LightColor[] = [];
    for (const _ of drawn) {
      const colors = LIGHT_COLORS.filter((color) => color !== order.at(-1));
      order.push(colors[next(colors.length)]!);
    }
    const alike = order.filter((color, i) => color === drawn[i]).length;
    if (alike * PLACES_FOR_ONE_ALIKE <= drawn.length) orders.push(order);
  }
  return orders;
}

/** One match per so many positions is allowed: more similar orders prove nothing. */
const PLACES_FOR_ONE_ALIKE = 6;
