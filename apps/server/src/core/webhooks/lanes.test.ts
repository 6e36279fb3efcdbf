// Turns per target: few at a time, a short line, no waiting for one that does not move, and a time to come back.
import { expect, it } from 'vitest';
import { createLanes } from './lanes.ts';

/** A line as long for a quick target as for any other. */
const SAME = { maxWaitingQuick: 1, quickMs: 0 };
const BUSY = { taken: false, comeBackMs: expect.any(Number) };
const done = (value: string) => ({ taken: true, value });
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
  expect(await lanes.use('a', never, gate.work)).toEqual(BUSY);
  expect(await lanes.use('b', never, async () => 'free')).toEqual(done('free'));
  gate.open();
  expect(await Promise.all([first, second])).toEqual([done('done'), done('second')]);
  expect(await lanes.use('a', never, async () => 'third')).toEqual(done('third'));
});

it('turns away who waits too long, and does not cut short who is in', async () => {
  const lanes = createLanes({ perTarget: 1, maxWaiting: 1, ...SAME, patienceMs: 1 });
  const gate = createGate();
  const first = lanes.use('a', never, gate.work);
  expect(await lanes.use('a', never, async () => 'never run')).toEqual(BUSY);
  gate.open();
  expect(await first).toEqual(done('done'));
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
  ['quick', 60_000, done('waited')],
  ['slow', -1, BUSY],
])('gives a target whose calls are %s its line', async (_, quickMs, expected) => {
  const lanes = createLanes({ perTarget: 1, maxWaiting: 0, maxWaitingQuick: 1, quickMs, patienceMs: 60_000 });
  await lanes.use('a', never, async () => 'last call');
  const gate = createGate();
  const running = lanes.use('a', never, gate.work);
  const next = lanes.use('a', never, async () => 'waited');
  gate.open();
  expect([await running, await next]).toEqual([done('done'), expected]);
});

it('takes a target for slow as soon as nobody’s turn comes, long before its calls end', async () => {
  const limits = { perTarget: 1, maxWaiting: 0, maxWaitingQuick: 1, quickMs: 100, patienceMs: 101 };
  const lanes = createLanes(limits);
  const gate = createGate();
  const hanging = lanes.use('a', never, gate.work);
  const waiting = lanes.use('a', never, async () => 'never run');
  expect(await waiting).toEqual(BUSY);
  let settled = false;
  const next = lanes.use('a', never, async () => 'never run').finally(() => (settled = true));
  await Promise.resolve().then(() => {});
  expect(settled).toBe(true); // turned away at once: a quick one could have waited
  expect(await next).toEqual(BUSY);
  gate.open();
  await hanging;
});

it('tells those it turns away to come one behind the other, at the pace of the calls, and none for ever', async () => {
  let now = 0;
  const limits = { perTarget: 2, maxWaiting: 0, maxWaitingQuick: 0, quickMs: 250, patienceMs: 60_000 };
  const lanes = createLanes(limits, () => now);
  const slowCall = async () => {
    now += 4_000;
    return 'slow';
  };
  for (let call = 0; call < 40; call += 1) await lanes.use('a', never, slowCall); // 4 s each: one every 2 s
  const gate = createGate();
  const running = [lanes.use('a', never, gate.work), lanes.use('a', never, gate.work)];
  const times: number[] = [];
  for (let nth = 0; nth < 1_000; nth += 1) {
    const turn = await lanes.use('a', never, gate.work);
    if (!turn.taken) times.push(Math.round(turn.comeBackMs / 1_000));
  }
  expect(times.slice(0, 4)).toEqual([4, 6, 8, 10]);
  expect(times.at(-1)).toBe(600);
  gate.open();
  await Promise.all(running);
});
