// Turns per target: few at a time, a short line, and no waiting for one that does not move.
import { expect, it } from 'vitest';
import { BUSY, createLanes } from './lanes.ts';

/** A line as long for a quick target as for any other. */
const SAME = { maxWaitingQuick: 1, quickMs: 0 };
const never = new AbortController().signal;

function createGate() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, open: () => resolve('done') };
}

it('lets so many in, keeps so many waiting and turns the rest away, per target', async () => {
  const lanes = createLanes({ perTarget: 1, maxWaiting: 1, ...SAME, patienceMs: 60_000 });
  const gate = createGate();
  const first = lanes.use('a', never, gate.work);
  const second = lanes.use('a', never, async () => 'second');
  expect(await lanes.use('a', never, gate.work)).toBe(BUSY);
  expect(await lanes.use('b', never, async () => 'free')).toBe('free');
  gate.open();
  expect(await Promise.all([first, second])).toEqual(['done', 'second']);
  expect(await lanes.use('a', never, async () => 'third')).toBe('third');
});

it('turns away who waits too long, and does not cut short who is in', async () => {
  const lanes = createLanes({ perTarget: 1, maxWaiting: 1, ...SAME, patienceMs: 1 });
  const gate = createGate();
  const first = lanes.use('a', never, gate.work);
  expect(await lanes.use('a', never, async () => 'never run')).toBe(BUSY);
  gate.open();
  expect(await first).toBe('done');
});

it('hands on a failure and a stop', async () => {
  const lanes = createLanes({ perTarget: 1, maxWaiting: 1, ...SAME, patienceMs: 60_000 });
  const failing = lanes.use('a', never, async () => {
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  await expect(lanes.use('a', AbortSignal.abort(new Error('stopping')), async () => 1)).rejects.toThrow('stopping');
});

it.each([
  ['quick', 60_000, 'waited'],
  ['slow', -1, BUSY],
])('gives a target whose last call was %s its line', async (_, quickMs, expected) => {
  const lanes = createLanes({ perTarget: 1, maxWaiting: 0, maxWaitingQuick: 1, quickMs, patienceMs: 60_000 });
  await lanes.use('a', never, async () => 'last call');
  const gate = createGate();
  const running = lanes.use('a', never, gate.work);
  const next = lanes.use('a', never, async () => 'waited');
  gate.open();
  expect([await running, await next]).toEqual(['done', expected]);
});
