// Waits for what a flow comes to, in turns of the event loop; and the plan that most tests follow.
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

/** Keys are made in threads of their own, which take as many turns as the machine is busy: only time bounds the wait. */
const PATIENCE_MS = 20_000;

export async function untilTrue(isTrue: () => boolean, describe: () => unknown = () => ''): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (isTrue()) return;
    await takeTurn();
  }
  throw new Error(`It never came to this: ${isTrue.toString()} ${JSON.stringify(describe())}`);
}

/** For what must not happen: everything that could has had its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await takeTurn();
}

function takeTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A promise that a test keeps or breaks when it likes. */
export function createPromise<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<Value>((keep, fail) => {
    resolve = keep;
    reject = fail;
  });
  return { promise, resolve, reject };
}
