// The device client against a stand-in that checks every signature and opens every envelope.
import { namesOf } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { type DeviceServer, refuse, SESSION_ID, startDeviceServer } from '../../testing/device-server.ts';
import { rejectionOf } from '../../testing/scripted-client.ts';
import {
  createDeviceClient,
  createMemoryKeys,
  type DeviceClient,
  type DeviceClientOptions,
  LimenConnectionError,
  LimenError,
} from '../device.ts';

const BEGAN = { browser: 'Firefox', system: 'Windows' } as const;
const FINDINGS = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } } as const;

/** Both clocks stand still unless the test moves them. */
function createClocks() {
  const clocks = { wall: 1_000_000, steady: 500 };
  return { clocks, now: () => clocks.wall, monotonicNow: () => clocks.steady };
}

async function start(options: Partial<DeviceClientOptions> = {}) {
  const server = await startDeviceServer();
  const waits: number[] = [];
  const { clocks, now, monotonicNow } = createClocks();
  const connect = (more: Partial<DeviceClientOptions> = {}) =>
    createDeviceClient({
      baseUrl: server.url,
      sessionId: SESSION_ID,
      now,
      monotonicNow,
      random: () => 0,
      sleep: async (milliseconds) => void waits.push(milliseconds),
      ...options,
      ...more,
    });
  return { server, waits, clocks, connect, device: await connect() };
}

async function followPlan(device: DeviceClient): Promise<void> {
  await device.record('started', 0);
  for (const index of [0, 1, 2]) {
    await device.record('shown', index);
    await device.record('done', index);
  }
  await device.record('finished', 0);
}

function operationsOf({ seen }: DeviceServer): string[] {
  return seen.map(({ operation }) => operation);
}

describe('a session from claim to answer', () => {
  it('claims, reports as it goes, and seals log and findings', async () => {
    const { server, device, clocks } = await start();
    expect(await device.view()).toMatchObject({ state: 'created', role: 'none' });
    const plan = await device.claim();
    expect(plan).toMatchObject({ version: 1, sessionId: SESSION_ID, steps: [{ step: 'face' }] });
    expect(await device.view()).toMatchObject({ role: 'active' });

    clocks.steady += 412.4;
    await device.record('started', 0);
    expect(server.log).toEqual([['started', 0, 412]]);
    clocks.steady += 1_000;
    await device.record('shown', 0);
    expect(server.log).toEqual([
      ['started', 0, 412],
      ['shown', 0, 1412],
    ]);
    expect(device.log()).toEqual(server.log);

    const view = await device.submit(FINDINGS);
    expect(view.end).toEqual({ flowStatus: 'COMPLETED', errors: [] });
    expect(server.answers).toEqual([
      { version: 1, sessionId: SESSION_ID, nonce: plan.nonce, ...FINDINGS, indicators: null, log: server.log },
    ]);
  });

  it('sends calls one after another with rising counters, however they are made', async () => {
    let underWay = 0;
    let most = 0;
    const counted: DeviceClientOptions['fetch'] = async (url, init) => {
      underWay += 1;
      most = Math.max(most, underWay);
      return fetch(url, init).finally(() => {
        underWay -= 1;
      });
    };
    const { server, device } = await start({ fetch: counted });
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

  it('begins its counter at the wall clock and goes on by one while that stands still', async () => {
    const { server, device, clocks } = await start();
    await device.claim();
    await device.handoff({ began: BEGAN });
    clocks.wall += 50;
    await device.handoff({ began: BEGAN });
    expect(server.seen.map(({ counter }) => counter)).toEqual([1_000_000, 1_000_001, 1_000_050]);
  });

  it('refuses to record or answer before it has claimed', async () => {
    const { server, device } = await start();
    expect(await rejectionOf(device.record('started', 0))).toMatchObject({
      message: expect.stringMatching(/call claim\(\) first/),
    });
    expect(await rejectionOf(device.submit(FINDINGS))).toMatchObject({
      message: expect.stringMatching(/call claim\(\) first/),
    });
    expect(server.seen).toEqual([]);
  });

  it('cancels with a code, or without', async () => {
    const { server, device } = await start();
    await device.claim();
    expect((await device.cancel(-7)).end?.flowStatus).toBe('CANCELLED');
    expect(server.seen.at(-1)?.body.toString()).toBe('{"code":-7}');
    const other = await start();
    await other.device.claim();
    await other.device.cancel();
    expect(other.server.seen.at(-1)?.body.toString()).toBe('{}');
  });
});

describe('a counter that was overtaken', () => {
  it('goes on above the one that the service names, once', async () => {
    const { server, device } = await start();
    await device.claim();
    server.counter = 7_000_000;
    await device.record('started', 0);
    expect(server.log).toHaveLength(1);
    expect(server.seen.map(({ counter }) => counter)).toEqual([1_000_000, 1_000_001, 7_000_001]);
  });

  it('is an error when the service names a higher one again', async () => {
    const { server, device } = await start();
    await device.claim();
    const stale = (last: string) => refuse(409, 'stale_counter', undefined, { 'limen-device-counter': last });
    server.faults = [stale('2000000'), stale('3000000')];
    expect(await rejectionOf(device.handoff({ began: BEGAN }))).toMatchObject({ status: 409, code: 'stale_counter' });
    expect(operationsOf(server)).toEqual(['claim', 'handoff', 'handoff']);
  });
});

describe('without a network', () => {
  it('keeps what was recorded, with its time, and sends it with the next call', async () => {
    const { server, device, clocks, waits } = await start();
    await device.claim();
    server.faults = ['unreachable', 'unreachable'];
    clocks.steady += 100;
    await device.record('started', 0);
    clocks.steady += 100;
    await device.record('shown', 0);
    expect(server.log).toEqual([]);
    clocks.steady += 5_000;
    await device.view();
    expect(server.log).toEqual([
      ['started', 0, 100],
      ['shown', 0, 200],
    ]);
    expect(waits).toEqual([]);
  });

  it('reports what is missing before the answer, however often that takes', async () => {
    const { server, device, waits } = await start();
    await device.claim();
    server.faults = ['unreachable', 'unreachable', 'unreachable'];
    await device.record('started', 0);
    await device.submit(FINDINGS);
    expect(operationsOf(server)).toEqual(['claim', 'log', 'log', 'log', 'log', 'answer']);
    expect(waits).toHaveLength(2);
    expect(server.answers[0]?.log).toEqual(server.log);
  });

  it('does not mind a report whose reply got lost', async () => {
    const { server, device } = await start();
    await device.claim();
    server.faults = ['reply lost'];
    await device.record('started', 0);
    await device.record('shown', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started', 'shown']);
  });

  it.each(['reply lost', 'unreachable'] as const)(
    'claims once, with one plan, when a claim meets: %s',
    async (fault) => {
      const { server, device } = await start();
      server.faults = [fault];
      const plan = await device.claim();
      expect(await device.claim()).toEqual(plan);
      expect(server.active).toBe(server.seen[0]?.key);
    },
  );

  it('keeps what was not reported yet when the same plan comes again', async () => {
    const { server, device } = await start();
    await device.claim();
    server.faults = ['unreachable'];
    await device.record('started', 0);
    await device.claim();
    expect(device.log().map(([event]) => event)).toEqual(['started']);
    await device.view();
    expect(server.log).toEqual(device.log());
  });

  it('sends the identical envelope again when the reply to an answer got lost', async () => {
    const { server, device } = await start();
    await device.claim();
    await followPlan(device);
    server.faults = ['reply lost'];
    expect((await device.submit(FINDINGS)).end?.flowStatus).toBe('COMPLETED');
    const sent = server.seen.filter(({ operation }) => operation === 'answer');
    expect(sent).toHaveLength(2);
    expect(sent[0]?.body).toEqual(sent[1]?.body);
    expect(sent[0]?.counter).toBeLessThan(sent[1]?.counter ?? 0);
    expect(server.answers).toHaveLength(1);
  });

  it('finishes the last step with the answer alone, however often that is sent', async () => {
    const { server, device, clocks } = await start({ retries: { attempts: 1 } });
    await device.claim();
    await device.record('started', 0);
    clocks.steady += 700;
    server.faults = ['reply lost'];
    expect(await rejectionOf(device.submit(FINDINGS, { finish: 0 }))).toBeInstanceOf(LimenConnectionError);
    await device.view();
    expect(server.log).toEqual([['started', 0, 0]]);
    clocks.steady += 700;
    expect((await device.submit(FINDINGS, { finish: 0 })).end?.flowStatus).toBe('COMPLETED');
    expect(server.answers).toMatchObject([
      {
        log: [
          ['started', 0, 0],
          ['finished', 0, 700],
        ],
      },
    ]);
  });

  it('does not finish a step that the plan does not have', async () => {
    const { server, device } = await start();
    await device.claim();
    await device.record('started', 0);
    expect(await rejectionOf(device.submit(FINDINGS, { finish: 1 }))).toBeInstanceOf(TypeError);
    expect(operationsOf(server)).not.toContain('answer');
  });

  it('sends the identical envelope also when the caller has to ask again', async () => {
    const { server, device } = await start({ retries: { attempts: 1 } });
    await device.claim();
    await device.record('started', 0);
    server.faults = ['reply lost'];
    expect(await rejectionOf(device.submit(FINDINGS))).toBeInstanceOf(LimenConnectionError);
    expect(await rejectionOf(device.record('shown', 0))).toMatchObject({
      message: expect.stringMatching(/sealed and sent/),
    });
    expect((await device.submit(FINDINGS)).end?.flowStatus).toBe('COMPLETED');
    expect(server.answers).toHaveLength(1);
  });

  it('takes a cancelled session for cancelled when only the reply got lost', async () => {
    const { server, device } = await start();
    await device.claim();
    server.faults = ['reply lost'];
    expect((await device.cancel()).end?.flowStatus).toBe('CANCELLED');
    expect(operationsOf(server)).toEqual(['claim', 'cancel', 'cancel', '']);
  });

  it('asks for a handoff again, and waits as long as a busy service says', async () => {
    const { server, device, waits } = await start();
    await device.claim();
    server.faults = ['unreachable', refuse(503, 'unavailable', undefined, { 'retry-after': '2' })];
    expect(await device.handoff({ began: BEGAN })).toMatchObject({ code: server.codes[0] });
    expect(waits).toEqual([0, 2_000]);
  });
});

describe('refusals', () => {
  it('carry the service’s code and the code of the area', async () => {
    const { device, connect } = await start();
    await device.claim();
    const error = await rejectionOf((await connect()).claim());
    expect(error).toBeInstanceOf(LimenError);
    expect(error).toMatchObject({ status: 403, code: 'device_mismatch', areaCode: -16 });
  });

  it('of a report reach the caller', async () => {
    const { server, device } = await start();
    await device.claim();
    server.faults = [refuse(422, 'answer_refused', -22)];
    expect(await rejectionOf(device.record('started', 0))).toMatchObject({ code: 'answer_refused', areaCode: -22 });
  });

  it('with 400 leave nothing of the report in the log, and hold up nothing after it', async () => {
    const { server, device } = await start();
    await device.claim();
    await device.record('started', 0);
    server.faults = [refuse(400, 'validation_failed')];
    const [shown, done] = await Promise.allSettled([device.record('shown', 0), device.record('done', 0)]);
    expect(shown).toMatchObject({ status: 'rejected', reason: { status: 400, code: 'validation_failed' } });
    expect(done).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching(/refused the report/) },
    });
    expect(device.log()).toEqual(server.log);
    await device.record('retried', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started', 'retried']);
    expect(device.log()).toEqual(server.log);
  });

  it('of entries that another tab reported otherwise reach the caller, and a claim brings the log that is kept', async () => {
    const keys = createMemoryKeys();
    const { server, device, connect, clocks } = await start({ keys });
    const tab = await connect();
    await device.claim();
    await tab.claim();
    await tab.record('started', 0);
    clocks.steady += 900;
    expect(await rejectionOf(device.record('started', 0))).toMatchObject({ status: 409, code: 'log_conflict' });
    await device.claim();
    expect(device.log()).toEqual(tab.log());
    clocks.steady += 100;
    await device.record('shown', 0);
    expect(server.log).toEqual([
      ['started', 0, 0],
      ['shown', 0, 100],
    ]);
  });

  it('because the session is on another device stop the reports, until it is claimed again', async () => {
    const { server, device, connect } = await start();
    await device.claim();
    const { code } = await device.handoff({ began: BEGAN });
    const other = await connect();
    await other.claim({ code });
    expect(await rejectionOf(device.record('started', 0))).toMatchObject({ code: 'device_mismatch' });
    const before = server.seen.length;
    expect(await rejectionOf(device.record('shown', 0))).toMatchObject({ code: 'device_mismatch', areaCode: -16 });
    await device.view();
    expect(operationsOf(server).slice(before)).toEqual(['']);
    const back = await other.handoff({ began: BEGAN });
    await device.claim({ code: back.code });
    await device.record('started', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started']);
  });

  it('do not hold up the calls behind them', async () => {
    const { server, device } = await start();
    await device.claim();
    server.faults = [refuse(422, 'answer_refused', -22)];
    const [first, second] = await Promise.allSettled([device.record('started', 0), device.cancel()]);
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('what is refused here already', () => {
  it('is an 81st entry of the log', async () => {
    const { server, device } = await start();
    await device.claim();
    await device.record('started', 0);
    for (let count = 1; count < 80; count += 1) await device.record('retried', 0);
    const before = server.seen.length;
    expect(await rejectionOf(device.record('finished', 0))).toMatchObject({
      name: 'RangeError',
      message: expect.stringMatching(/80 entries/),
    });
    expect(server.seen).toHaveLength(before);
    expect(device.log()).toHaveLength(80);
  });

  it('is an event that there is not, or an index that names nothing in the plan', async () => {
    const { server, device } = await start();
    await device.claim();
    const before = server.seen.length;
    const wrong: [string, number, RegExp][] = [
      ['begun', 0, /event must be one of started, shown, done, retried, finished/],
      ['constructor', 0, /event must be one of/],
      ['started', 1, /index of started must be the position of a step of the plan's, from 0 to 0/],
      ['shown', 3, /index of shown must be the position of a challenge of the running step, from 0 to 2/],
      ['done', -1, /index of done/],
      ['retried', 0.5, /index of retried/],
      ['finished', Number.NaN, /index of finished/],
    ];
    for (const [event, index, message] of wrong) {
      const error = await rejectionOf(device.record(event as 'started', index));
      expect(error).toMatchObject({ name: 'TypeError', message: expect.stringMatching(message) });
    }
    expect(await rejectionOf(device.record('started', '0' as unknown as number))).toBeInstanceOf(TypeError);
    expect(server.seen).toHaveLength(before);
    expect(device.log()).toEqual([]);
    await device.record('started', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started']);
  });

  it('are findings that the plan does not ask for, of which nothing is sent', async () => {
    const { server, device } = await start();
    await device.claim();
    server.faults = ['unreachable'];
    await device.record('started', 0);
    const before = server.seen.length;
    const ages = { face: { spoof: false, estimate: 30, lowerBound: 25 } } as const;
    expect(await rejectionOf(device.submit(ages))).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(/face.thresholdResult is missing/),
    });
    expect(await rejectionOf(device.submit({}))).toMatchObject({ message: expect.stringMatching(/face is missing/) });
    expect(server.seen).toHaveLength(before);
    expect((await device.submit(FINDINGS)).end?.flowStatus).toBe('COMPLETED');
  });

  it('is an answer that does not fit into the envelope', async () => {
    const { server, device, clocks } = await start();
    await device.claim();
    clocks.steady += 80_000_000;
    await device.record('started', 0);
    for (let count = 1; count < 70; count += 1) await device.record('retried', 0);
    const indicators = {
      headless: namesOf('headless'),
      virtualCamera: namesOf('virtualCamera'),
      browserAnomalies: [],
    };
    expect(await rejectionOf(device.submit({ ...FINDINGS, indicators }))).toMatchObject({
      message: expect.stringMatching(/bytes, and only 1965 fit/),
    });
    expect(operationsOf(server)).not.toContain('answer');
    expect((await device.submit(FINDINGS)).end?.flowStatus).toBe('COMPLETED');
  });

  it.each(['', 'x', '../../health', '7D1F0C52-9A3E-4B6D-8F21-5C0E9B7A4D13'])(
    'is the session id "%s"',
    async (sessionId) => {
      const error = await rejectionOf(createDeviceClient({ baseUrl: 'https://limen.example', sessionId }));
      expect(error).toEqual(new TypeError('sessionId must be the sessionId of a launch URL'));
    },
  );
});

describe('a reload', () => {
  it('with stored keys is the same device, with the same plan and the log that was reported', async () => {
    const keys = createMemoryKeys();
    const { server, connect, clocks } = await start({ keys });
    const before = await connect();
    const plan = await before.claim();
    clocks.steady += 700;
    await before.record('started', 0);

    clocks.steady = 3; // the clock of a page begins anew
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

  it('keeps a pair per session, and the first one of two', async () => {
    const keys = createMemoryKeys();
    const { connect, server } = await start();
    const [one, two] = await Promise.all([connect({ keys }), connect({ keys })]);
    await one.claim();
    await two.claim();
    expect(new Set(server.seen.map(({ key }) => key)).size).toBe(1);
    expect(await keys.load('another session')).toBeUndefined();
  });
});

it('makes private keys that cannot be read out', async () => {
  const keys = createMemoryKeys();
  await start({ keys });
  const pair = await keys.load(SESSION_ID);
  expect(pair?.privateKey.extractable).toBe(false);
  await expect(crypto.subtle.exportKey('pkcs8', pair!.privateKey)).rejects.toThrow();
});

it('the view of every reply is told, until that is stopped', async () => {
  const { device, server } = await start();
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

it.each(['submit', 'cancel'] as const)('the view of %s is told too', async (name) => {
  const { device } = await start();
  const told: string[] = [];
  await device.claim();
  await followPlan(device);
  device.onView(({ state }) => void told.push(state));
  if (name === 'cancel') await device.cancel();
  else await device.submit({ face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } });
  expect(told).toEqual([name === 'cancel' ? 'cancelled' : 'completed']);
});
