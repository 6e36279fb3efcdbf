// Waits for conditions in turns of the event loop, and the plan that most tests follow.
import type { DevicePlan, FacePlanStep } from '@limen/plan';

export const FACE_STEP: FacePlanStep = {
  step: 'face',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  challenges: ['turn_left', 'blink', 'look_up'],
  challengeMs: 15_000,
};

export const PLAN: DevicePlan = {
  version: 1,
  sessionId: '7d1f0c52-9a3e-4b6d-8f21-5c0e9b7a4d13',
  nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
  publicKey: 'unused',
  today: '2026-03-01',
  modelManifest: 'a'.repeat(64),
  steps: [FACE_STEP],
};

/** A time, not a number of turns: keys are generated in other threads. */
const PATIENCE_MS = 20_000;

export async function untilTrue(isTrue: () => boolean, describe: () => unknown = () => ''): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (isTrue()) return;
    await takeTurn();
  }
  throw new Error(`The condition never became true: ${isTrue.toString()} ${JSON.stringify(describe())}`);
}

/** Lets everything pending run, before asserting that something did not happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await takeTurn();
}

function takeTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Creates a promise that a test settles. */
export function createPromise<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<Value>((keep, fail) => {
    resolve = keep;
    reject = fail;
  });
  return { promise, resolve, reject };
}
