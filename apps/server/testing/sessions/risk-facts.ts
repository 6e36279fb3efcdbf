// Facts for risk evaluation: an inconspicuous session, single raised signals, and arbitrary ones.
import type { Indicators } from '@limen/contract';
import fc from 'fast-check';
import { evaluateRisk, type RiskFacts } from '../../src/sessions/risk/evaluate.ts';
import type { BehaviorFacts } from '../../src/sessions/risk/measure-behavior.ts';
import { BROWSER_FLAGS } from '../../src/sessions/risk/table.ts';

export const calmBehavior: BehaviorFacts = {
  captureMs: 14_000,
  stepsStarted: 1,
  challengeMs: [900, 1450, 1120],
  lightMs: 0,
  logOrderBreaks: 0,
  logOverrunMs: -300,
  retries: 1,
  handoffMs: [],
  otherDeviceAttempts: 0,
  replayAttempts: 0,
  outOfPlanAnswers: 0,
  handoffNumbersWrong: 0,
};
export const INDICATOR_NAMES = Object.entries(BROWSER_FLAGS).flatMap(([group, flags]) =>
  Object.keys(flags).map((name) => `${group}.${name}`),
);

/** Returns browser signals with the named ones raised, such as `headless.plugins`. */
export function indicatorsWith(raised: readonly string[]): Indicators {
  const unknown = raised.filter((name) => !INDICATOR_NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`no such indicator: ${unknown}`);
  const groups = Object.entries(BROWSER_FLAGS).map(([group, flags]) => [
    group,
    Object.fromEntries(Object.keys(flags).map((name) => [name, raised.includes(`${group}.${name}`)])),
  ]);
  return Object.fromEntries(groups);
}

export const CLEAN: Omit<RiskFacts, 'indicators' | 'behavior'> = {
  cameraSigns: [],
  documentSigns: [],
  findings: [],
  madeUp: [],
  flowStatus: 'COMPLETED',
  hasErrors: false,
  passed: true,
  mayCrossDevices: true,
  tellsBehavior: true,
};

export function evaluate(
  raised: readonly string[],
  behavior: Partial<BehaviorFacts> = {},
  rest: Partial<RiskFacts> = {},
) {
  return evaluateRisk({
    indicators: indicatorsWith(raised),
    behavior: { ...calmBehavior, ...behavior },
    ...CLEAN,
    ...rest,
  });
}

/** Behavior that raises every weak flag and no other. */
export const HARD_TIME: Partial<BehaviorFacts> = {
  challengeMs: [14_000, 900, 1200],
  retries: 9,
  handoffMs: [9000, 1000],
};

export const isWeak = (name: string) => evaluate([name]).level === 'LOW';

export const anyIndicators = fc.subarray(INDICATOR_NAMES);
export const anyBehavior = fc.record({
  captureMs: fc.option(fc.integer({ min: 0, max: 60_000 })),
  stepsStarted: fc.nat(2),
  challengeMs: fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 5 }),
  lightMs: fc.nat(3_000),
  logOrderBreaks: fc.nat(2),
  logOverrunMs: fc.integer({ min: -5000, max: 5000 }),
  retries: fc.nat(12),
  handoffMs: fc.array(fc.nat(20_000), { maxLength: 3 }),
  otherDeviceAttempts: fc.nat(1),
  replayAttempts: fc.nat(1),
  outOfPlanAnswers: fc.nat(1),
  handoffNumbersWrong: fc.nat(1),
});
