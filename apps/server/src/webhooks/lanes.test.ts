// Lanes per target: few calls at a time, a short queue, no waiting for a stuck target, and a retry
// time.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Caller, Lanes, MAX_REMEMBERED } from './lanes.ts';

const PLENTY = { places: 1_000, quickMs: 250 };
const TO_A = { target: 'a', customer: 'c' };
const TO_B = { target: 'b', customer: 'c' };
const BUSY = { taken: false, comeBackMs: expect.any(Number) };
const done = (value: string) => ({ taken: true, value });
const never = new AbortController().signal;

function createGate() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, open: () => resolve('done') };
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

it('admits a fixed number per target, queues a fixed number, and rejects the rest', async () => {
  const lanes = new Lanes({ perTarget: 1, maxWaiting: 1, ...PLENTY, patienceMs: 60_000 });
  const gate = createGate();
  const first = lanes.use(TO_A, never, gate.work);
  const second = lanes.use(TO_A, never, async () => 'second');
  expect(await lanes.use(TO_A, never, gate.work)).toEqual(BUSY);
  expect(await lanes.use(TO_B, never, async () => 'free')).toEqual(done('free'));
  gate.open();
  expect(await Promise.all([first, second])).toEqual([done('done'), done('second')]);
  expect(await lanes.use(TO_A, never, async () => 'third')).toEqual(done('third'));
});

it('rejects a caller that waits too long, but does not interrupt an admitted one', async () => {
  const lanes = new Lanes({ perTarget: 1, maxWaiting: 1, ...PLENTY, patienceMs: 1 });
  const gate = createGate();
  const first = lanes.use(TO_A, never, gate.work);
  expect(await lanes.use(TO_A, never, async () => 'never run')).toEqual(BUSY);
  gate.open();
  expect(await first).toEqual(done('done'));
});

it('passes on a failure and a stop', async () => {
  const lanes = new Lanes({ perTarget: 1, maxWaiting: 1, ...PLENTY, patienceMs: 60_000 });
  const failing = lanes.use(TO_A, never, async () => {
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  await expect(lanes.use(TO_A, AbortSignal.abort(new Error('stopping')), async () => 1)).rejects.toThrow('stopping');
});

it.each([
  ['quick', 60_000, done('waited')],
  ['slow', -1, BUSY],
])('gives a target whose calls are %s its queue', async (_, quickMs, expected) => {
  const lanes = new Lanes({ places: 1_000, perTarget: 1, maxWaiting: 0, quickMs, patienceMs: 60_000 });
  await lanes.use(TO_A, never, async () => 'last call');
  const gate = createGate();
  const running = lanes.use(TO_A, never, gate.work);
  const next = lanes.use(TO_A, never, async () => 'waited');
  gate.open();
  expect([await running, await next]).toEqual([done('done'), expected]);
});

it('treats a target as slow as soon as a call takes too long, long before it ends', async () => {
  let now = 0;
  const lanes = new Lanes({ places: 1_000, perTarget: 1, maxWaiting: 0, quickMs: 100, patienceMs: 60_000 }, () => now);
  await lanes.use(TO_A, never, async () => 'quick so far');
  const gate = createGate();
  const hanging = lanes.use(TO_A, never, gate.work);
  const waiting = lanes.use(TO_A, never, async () => 'waited');
  await turnOfTheLoop();
  now += 60_001;
  expect(await lanes.use(TO_A, never, async () => 'never run')).toEqual(BUSY); // A quick target would be queued.
  gate.open();
  expect([await hanging, await waiting]).toEqual([done('done'), done('waited')]);
});

it('treats a target as slow as soon as a queued caller waits too long', async () => {
  const lanes = new Lanes({ places: 1_000, perTarget: 1, maxWaiting: 0, quickMs: 100, patienceMs: 101 }, () => 0);
  await lanes.use(TO_A, never, async () => 'quick so far');
  const gate = createGate();
  const hanging = lanes.use(TO_A, never, gate.work);
  expect(await lanes.use(TO_A, never, async () => 'never run')).toEqual(BUSY); // Its wait times out.
  let settled = false;
  const next = lanes.use(TO_A, never, async () => 'never run').finally(() => (settled = true));
  await Promise.resolve().then(() => {});
  expect(settled).toBe(true); // Rejected at once; a quick target would be queued.
  expect(await next).toEqual(BUSY);
  gate.open();
  await hanging;
});

it('spreads the retries of rejected callers at the pace of the calls, with an upper bound', async () => {
  let now = 0;
  const limits = { ...PLENTY, perTarget: 2, maxWaiting: 0, patienceMs: 60_000 };
  const lanes = new Lanes(limits, () => now);
  const slowCall = async () => {
    now += 4_000;
    return 'slow';
  };
  for (let call = 0; call < 40; call += 1) await lanes.use(TO_A, never, slowCall); // 4 s each, so one every 2 s.
  const gate = createGate();
  const running = [lanes.use(TO_A, never, gate.work), lanes.use(TO_A, never, gate.work)];
  const times: number[] = [];
  for (let nth = 0; nth < 1_000; nth += 1) {
    const turn = await lanes.use(TO_A, never, gate.work);
    if (!turn.taken) times.push(Math.round(turn.comeBackMs / 1_000));
  }
  expect(times.slice(0, 4)).toEqual([4, 6, 8, 10]);
  expect(times.at(-1)).toBe(600);
  gate.open();
  await Promise.all(running);
});

describe('the slots', () => {
  const LIMITS = { places: 64, perTarget: 4, maxWaiting: 4, quickMs: 250, patienceMs: 60_000 };
  const quickly = async () => 'quick';

  /**
   * Starts hanging calls. Returns how many slots and queue places they take, and a way to end some
   * of them.
   */
  async function hang(lanes: Lanes, callers: Caller[]) {
    const calls: (() => void)[] = [];
    let places = callers.length;
    const hangs = () => {
      const gate = createGate();
      calls.push(gate.open);
      return gate.work();
    };
    const turns = callers.map((caller) => lanes.use(caller, never, hangs).finally(() => (places -= 1)));
    await turnOfTheLoop();
    onTestFinished(async () => {
      while (calls.length > 0) {
        for (const open of calls.splice(0)) open();
        await turnOfTheLoop();
      }
      await Promise.all(turns);
    });
    const end = (count: number) => {
      for (const open of calls.splice(0, count)) open();
    };
    return { places, end };
  }

  const origins = (count: number, customer = 'c', each = 1) =>
    Array.from({ length: count * each }, (_, nth) => ({ target: `${customer}-${nth % count}`, customer }));

  it.each([
    ['32 targets that hang, with a long line each', origins(32, 'c', 20)],
    ['300 targets that hang, with one call each', origins(300)],
  ])('are not all taken by %s', async (_, callers) => {
    const lanes = new Lanes(LIMITS);
    await lanes.use(TO_A, never, quickly);
    expect((await hang(lanes, callers)).places).toBeLessThanOrEqual(LIMITS.places / 2);
    for (let nth = 0; nth < 100; nth += 1) expect(await lanes.use(TO_A, never, quickly)).toEqual(done('quick'));
  });

  it("leave some to another customer's unknown targets when one customer's targets fill up", async () => {
    const lanes = new Lanes(LIMITS);
    await hang(lanes, origins(300));
    expect(await lanes.use(TO_A, never, quickly)).toEqual(BUSY);
    expect(await lanes.use({ target: 'new', customer: 'another' }, never, quickly)).toEqual(done('quick'));
  });

  it('are free for an unknown target as soon as a few others have given up', async () => {
    const lanes = new Lanes(LIMITS);
    const hanging = await hang(lanes, origins(300));
    expect(await lanes.use(TO_A, never, quickly)).toEqual(BUSY);
    hanging.end(2);
    await turnOfTheLoop();
    expect(await lanes.use(TO_A, never, quickly)).toEqual(done('quick'));
  });

  it("leave some to the same customer's unknown target when slow targets fill up", async () => {
    let now = 0;
    const lanes = new Lanes(LIMITS, () => now);
    const slowly = async () => {
      now += 15_000;
      return 'slow';
    };
    for (const caller of origins(32)) await lanes.use(caller, never, slowly);
    expect((await hang(lanes, origins(32, 'c', 20))).places).toBe(12); // Out of 24 slots for slow targets.
    expect(await lanes.use(TO_A, never, quickly)).toEqual(done('quick'));
  });

  it('are not all taken by one quick target either', async () => {
    const lanes = new Lanes(LIMITS);
    await lanes.use(TO_A, never, quickly);
    const many = Array.from({ length: 100 }, () => TO_A);
    expect((await hang(lanes, many)).places).toBe(32);
    expect(await lanes.use(TO_B, never, quickly)).toEqual(done('quick'));
  });

  it('spread the retries of rejected callers, so that they do not return all at once', async () => {
    const lanes = new Lanes({ ...LIMITS, patienceMs: 2_000 }, () => 0);
    await hang(lanes, origins(300));
    const times: number[] = [];
    for (const target of ['x', 'y', 'z']) {
      const turn = await lanes.use({ target, customer: 'c' }, never, quickly);
      if (!turn.taken) times.push(turn.comeBackMs);
    }
    expect(times).toEqual([times[0], times[0]! + 125, times[0]! + 250]);
    expect(times[0]).toBeGreaterThan(30_000); // After the 284 before them.
  });
});

it('remembers the pace of a fixed number of targets, and evicts the least recently called first', async () => {
  const lanes = new Lanes({ ...PLENTY, perTarget: 1, maxWaiting: 0, patienceMs: 60_000 });
  const call = (caller: Caller) => lanes.use(caller, never, async () => 'quick');
  /** Only a target known to be quick gets a queue. */
  const isRemembered = async (caller: Caller) => {
    const gate = createGate();
    const running = lanes.use(caller, never, gate.work);
    const next = call(caller);
    gate.open();
    await running;
    return (await next).taken;
  };
  await call(TO_A);
  await call(TO_B);
  for (let nth = 0; nth < MAX_REMEMBERED - 2; nth += 1) await call({ target: `other-${nth}`, customer: 'c' });
  expect(await isRemembered(TO_A)).toBe(true); // Calls it, so that the other target becomes the oldest.
  await call({ target: 'one more', customer: 'c' });
  expect([await isRemembered(TO_A), await isRemembered(TO_B)]).toEqual([true, false]);
});
