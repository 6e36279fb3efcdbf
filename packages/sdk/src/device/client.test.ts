// A session from claim to answer, its counter, its keys across reloads, and view callbacks.
import { describe, expect, it } from 'vitest';
import { BEGAN, FINDINGS, followPlan, operationsOf, startDevice } from '../../testing/device-client.ts';
import { refuse, SESSION_ID } from '../../testing/device-server.ts';
import { rejectionOf } from '../../testing/scripted-client.ts';
import { createMemoryKeys, type DeviceClientOptions } from '../device.ts';

describe('a session from claim to answer', () => {
  it('claims, reports the start, and seals log and findings', async () => {
    const { server, device, clocks } = await startDevice();
    expect(await device.view()).toMatchObject({ state: 'created', role: 'none' });
    const plan = await device.claim();
    expect(plan).toMatchObject({ version: 1, sessionId: SESSION_ID, steps: [{ step: 'face' }] });
    expect(await device.view()).toMatchObject({ role: 'active' });

    clocks.steady += 412.4;
    await device.record('started', 0);
    expect(server.log).toEqual([['started', 0, 412]]);
    clocks.steady += 1_000;
    await device.record('shown', 0);
    expect(server.log).toEqual([['started', 0, 412]]);
    expect(device.log()).toEqual([
      ['started', 0, 412],
      ['shown', 0, 1412],
    ]);

    const view = await device.submit(FINDINGS);
    expect(view.end).toEqual({ flowStatus: 'COMPLETED', errors: [] });
    expect(server.answers).toEqual([
      { version: 1, sessionId: SESSION_ID, nonce: plan.nonce, ...FINDINGS, indicators: null, log: device.log() },
    ]);
    expect(operationsOf(server)).toEqual(['', 'claim', '', 'log', 'answer']);
  });

  it('takes two calls if the first step starts with the claim', async () => {
    const { server, device, clocks } = await startDevice();
    await device.claim({ start: true });
    expect(device.log()).toEqual([]);
    clocks.steady += 300;
    await followPlan(device);
    expect(device.log().slice(0, 2)).toEqual([
      ['started', 0, 0],
      ['shown', 0, 300],
    ]);
    await device.submit(FINDINGS);
    expect(operationsOf(server)).toEqual(['claim', 'answer']);
    expect(server.answers[0]?.log).toEqual(device.log());
  });

  it('counts as started even if another event is recorded first', async () => {
    const { device } = await startDevice();
    await device.claim({ start: true });
    await device.record('shown', 0);
    expect(device.log().map(([event]) => event)).toEqual(['started', 'shown']);
  });

  it('reports the start itself to a service that does not support it in the claim', async () => {
    const { server, device } = await startDevice();
    server.ignoresStart = true;
    await device.claim({ start: true });
    await followPlan(device);
    await device.submit(FINDINGS);
    expect(operationsOf(server)).toEqual(['claim', 'log', 'answer']);
    expect(server.log).toEqual([['started', 0, 0]]);
  });

  it('reports every attempt as it starts, so that a reload cannot hide it', async () => {
    const { server, device } = await startDevice();
    await device.claim({ start: true });
    await device.record('started', 0);
    await device.record('shown', 0);
    await device.record('retried', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started', 'shown', 'retried']);
  });

  it('sends unreported events together with the next one', async () => {
    const { server, device } = await startDevice();
    await device.claim({ start: true });
    await device.record('started', 0);
    server.faults = ['unreachable'];
    await device.record('retried', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started']);
    await device.record('shown', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started', 'retried', 'shown']);
  });

  it.each(['again', 'after a lost reply'])(
    'does not count a claim %s before the first event as another attempt',
    async (how) => {
      const { server, device } = await startDevice();
      if (how === 'again') await device.claim({ start: true });
      else server.faults = ['reply lost'];
      await device.claim({ start: true });
      expect(device.log()).toEqual([]);
      await device.record('started', 0);
      expect(device.log()).toEqual([['started', 0, 0]]);
      expect(server.log).toEqual([['started', 0, 0]]);
    },
  );

  it('reports every event while another device follows', async () => {
    const { server, device, connect } = await startDevice();
    await device.claim();
    const { code } = await device.handoff({ began: BEGAN });
    const other = await connect();
    await other.claim({ code });
    await other.record('started', 0);
    await other.record('shown', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started', 'shown']);
  });

  it('sends concurrent calls sequentially with increasing counters', async () => {
    let underWay = 0;
    let most = 0;
    const counted: DeviceClientOptions['fetch'] = async (url, init) => {
      underWay += 1;
      most = Math.max(most, underWay);
      return fetch(url, init).finally(() => {
        underWay -= 1;
      });
    };
    const { server, device } = await startDevice({ fetch: counted });
    await device.claim();
    await Promise.all([
      device.record('started', 0),
      device.record('shown', 0),
      device.view(),
      device.handoff({ began: BEGAN }),
    ]);
    await device.submit(FINDINGS);
    expect(most).toBe(1);
    const counters = server.seen.map(({ counter }) => counter ?? 0);
    expect(counters).toEqual(counters.toSorted((a, b) => a - b));
    expect(new Set(counters).size).toBe(counters.length);
    expect(server.log.map(([event]) => event)).toEqual(['started', 'shown']);
  });

  it('starts its counter at the wall clock and increments it if the clock stands still', async () => {
    const { server, device, clocks } = await startDevice();
    await device.claim();
    await device.handoff({ began: BEGAN });
    clocks.wall += 50;
    await device.handoff({ began: BEGAN });
    expect(server.seen.map(({ counter }) => counter)).toEqual([1_000_000, 1_000_001, 1_000_050]);
  });

  it('refuses to record or answer before the claim', async () => {
    const { server, device } = await startDevice();
    expect(await rejectionOf(device.record('started', 0))).toMatchObject({
      message: expect.stringMatching(/Call claim\(\) first/),
    });
    expect(await rejectionOf(device.submit(FINDINGS))).toMatchObject({
      message: expect.stringMatching(/Call claim\(\) first/),
    });
    expect(server.seen).toEqual([]);
  });

  it('cancels with or without a code', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    expect((await device.cancel(-7)).end?.flowStatus).toBe('CANCELLED');
    expect(server.seen.at(-1)?.body.toString()).toBe('{"code":-7}');
    const other = await startDevice();
    await other.device.claim();
    await other.device.cancel();
    expect(other.server.seen.at(-1)?.body.toString()).toBe('{}');
  });
});

describe('a stale counter', () => {
  it('continues above the service’s counter, once', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    server.counter = 7_000_000;
    await device.record('started', 0);
    expect(server.log).toHaveLength(1);
    expect(server.seen.map(({ counter }) => counter)).toEqual([1_000_000, 1_000_001, 7_000_001]);
  });

  it('is an error if the service reports a higher one again', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    const stale = (last: string) => refuse(409, 'stale_counter', undefined, { 'limen-device-counter': last });
    server.faults = [stale('2000000'), stale('3000000')];
    expect(await rejectionOf(device.handoff({ began: BEGAN }))).toMatchObject({ status: 409, code: 'stale_counter' });
    expect(operationsOf(server)).toEqual(['claim', 'handoff', 'handoff']);
  });
});

describe('a reload', () => {
  it('keeps device, plan and reported log if keys are stored', async () => {
    const keys = createMemoryKeys();
    const { server, connect, clocks } = await startDevice({ keys });
    const before = await connect();
    const plan = await before.claim();
    clocks.steady += 700;
    await before.record('started', 0);

    clocks.steady = 3; // a page's clock restarts
    clocks.wall += 10_000;
    const after = await connect();
    expect(await after.view()).toMatchObject({ role: 'active' });
    expect(await after.claim()).toEqual(plan);
    expect(after.log()).toEqual([['started', 0, 700]]);
    clocks.steady += 40;
    await after.record('retried', 0);
    expect(server.log).toEqual([
      ['started', 0, 700],
      ['retried', 0, 740],
    ]);
  });

  it('keeps one pair per session, the first of two', async () => {
    const keys = createMemoryKeys();
    const { connect, server } = await startDevice();
    const [one, two] = await Promise.all([connect({ keys }), connect({ keys })]);
    await one.claim();
    await two.claim();
    expect(new Set(server.seen.map(({ key }) => key)).size).toBe(1);
    expect(await keys.load('another session')).toBeUndefined();
  });
});

it('creates non-extractable private keys', async () => {
  const keys = createMemoryKeys();
  await startDevice({ keys });
  const pair = await keys.load(SESSION_ID);
  expect(pair?.privateKey.extractable).toBe(false);
  await expect(crypto.subtle.exportKey('pkcs8', pair!.privateKey)).rejects.toThrow();
});

it('passes the view of every reply to subscribers until they unsubscribe', async () => {
  const { device, server } = await startDevice();
  const told: string[] = [];
  const stop = device.onView(({ state, role }) => void told.push(`${state} ${role}`));
  await device.view();
  await device.claim();
  await followPlan(device);
  await device.view();
  expect(told.slice(0, 2)).toEqual(['created none', 'opened active']);
  expect(told).toHaveLength(2 + operationsOf(server).filter((operation) => operation === 'log').length + 1);
  stop();
  await device.submit({ face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } });
  expect(told.at(-1)).toBe('capturing active');
});

it.each(['submit', 'cancel'] as const)('passes the view of %s to subscribers', async (name) => {
  const { device } = await startDevice();
  const told: string[] = [];
  await device.claim();
  await device.record('started', 0);
  device.onView(({ state }) => void told.push(state));
  if (name === 'cancel') await device.cancel();
  else await device.submit({ face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } });
  expect(told).toEqual([name === 'cancel' ? 'cancelled' : 'completed']);
});
