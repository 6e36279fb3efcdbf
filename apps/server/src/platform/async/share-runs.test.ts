// Sharing runs: every caller is followed by a run that began after its call, and no more runs than that takes.
import { expect, it } from 'vitest';
import { shareRuns } from './share-runs.ts';

function prepare() {
  const runs: { finish: () => void; fail: (error: Error) => void }[] = [];
  const call = shareRuns(() => new Promise<void>((finish, fail) => void runs.push({ finish, fail })));
  /** Lets everything happen that waits for nothing. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { runs, call, settle };
}

it('runs at once when nothing runs, and again for a later call', async () => {
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

it('gives all callers that come during a run one run after it', async () => {
  const { runs, call, settle } = prepare();
  const first = call();
  let done = 0;
  const others = [call(), call(), call()].map((run) => run.then(() => (done += 1)));
  runs[0]!.finish();
  await first;
  await settle();
  expect(runs).toHaveLength(2);
  expect(done).toBe(0);
  // The second run has begun, so whoever comes now needs a third.
  const late = call();
  runs[1]!.finish();
  await Promise.all(others);
  await settle();
  expect(runs).toHaveLength(3);
  runs[2]!.finish();
  await late;
});

it('tells only its own callers when a run fails', async () => {
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
