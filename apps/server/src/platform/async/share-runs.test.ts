// Every caller gets a run that began after its call, with as few runs as possible.
import { expect, it } from 'vitest';
import { shareRuns } from './share-runs.ts';

function prepare() {
  const runs: { finish: () => void; fail: (error: Error) => void }[] = [];
  const call = shareRuns(() => new Promise<void>((finish, fail) => void runs.push({ finish, fail })));
  /** Lets all pending callbacks run. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { runs, call, settle };
}

it('runs at once when idle, and runs again for a later call', async () => {
  const { runs, call } = prepare();
  const first = call();
  expect(runs).toHaveLength(1);
  runs[0]!.finish();
  await first;
  const second = call();
  expect(runs).toHaveLength(2);
  runs[1]!.finish();
  await second;
});

it('shares one later run among all callers that arrive during a run', async () => {
  const { runs, call, settle } = prepare();
  const first = call();
  let done = 0;
  const others = [call(), call(), call()].map((run) => run.then(() => (done += 1)));
  runs[0]!.finish();
  await first;
  await settle();
  expect(runs).toHaveLength(2);
  expect(done).toBe(0);
  // The second run has begun, so this call needs a third.
  const late = call();
  runs[1]!.finish();
  await Promise.all(others);
  await settle();
  expect(runs).toHaveLength(3);
  runs[2]!.finish();
  await late;
});

it('rejects only the callers of the run that failed', async () => {
  const { runs, call, settle } = prepare();
  const failing = call();
  const next = call();
  runs[0]!.fail(new Error('full disk'));
  await expect(failing).rejects.toThrow('full disk');
  await settle();
  expect(runs).toHaveLength(2);
  runs[1]!.finish();
  await next;
});
