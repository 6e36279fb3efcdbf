// Following a session live: by stream, by polling, and across interruptions.
import { expect, it } from 'vitest';
import { BEGAN } from '../../testing/device-client.ts';
import { type Fault, refuse, SESSION_ID, startDeviceServer } from '../../testing/device-server.ts';
import { rejectionOf } from '../../testing/scripted-client.ts';
import { createDeviceClient, type DeviceClientOptions, type DeviceView } from '../device.ts';

async function start(options: Partial<DeviceClientOptions> = {}) {
  const server = await startDeviceServer();
  const waits: number[] = [];
  const device = await createDeviceClient({
    baseUrl: server.url,
    sessionId: SESSION_ID,
    random: () => 0,
    sleep: async (milliseconds) => void waits.push(milliseconds),
    ...options,
  });
  await device.claim();
  server.seen.length = 0;
  return { server, device, waits };
}

const ENDED: Partial<DeviceView> = { state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } };
const statesOf = (views: DeviceView[]) => views.map(({ state }) => state);

it('yields the current view and each change once, and ends with the session', async () => {
  const { server, device, waits } = await start();
  const views: DeviceView[] = [];
  for await (const view of device.follow()) {
    views.push(view);
    if (view.state === 'opened') {
      server.push({ serverTime: '2026-03-01T00:00:05.000Z' }); // only the time changed
      server.push({ state: 'capturing' });
    } else if (view.state === 'capturing') server.push(ENDED);
  }
  expect(statesOf(views)).toEqual(['opened', 'capturing', 'completed']);
  expect(views.at(-1)?.end?.flowStatus).toBe('COMPLETED');
  expect(server.seen.map(({ operation }) => operation)).toEqual(['updates']);
  expect(waits).toEqual([]);
});

it('reconnects a broken stream and misses nothing', async () => {
  const { server, device } = await start();
  const views: DeviceView[] = [];
  for await (const view of device.follow()) {
    views.push(view);
    if (view.state === 'opened') {
      Object.assign(server.view, { state: 'capturing' });
      server.streams.pop()?.destroy();
    } else if (view.state === 'capturing') {
      // The view has been polled; the next stream reports the end.
      Object.assign(server.view, ENDED);
    }
  }
  expect(statesOf(views)).toEqual(['opened', 'capturing', 'completed']);
  expect(server.seen.map(({ operation }) => operation)).toEqual(['updates', '', 'updates']);
});

it('falls back to polling if another tab keeps taking the stream', async () => {
  let waits = 0;
  const sleep = async () => {
    waits += 1;
    if (waits === 5) Object.assign(server.view, ENDED);
  };
  const { server, device } = await start({ sleep });
  const takenAway: Fault = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`event: view\ndata: ${JSON.stringify({ ...server.view, role: 'active' })}\n\n`);
  };
  server.faults = [takenAway, undefined, takenAway];
  const views: DeviceView[] = [];
  for await (const view of device.follow()) views.push(view);
  expect(statesOf(views)).toEqual(['opened', 'completed']);
  expect(server.seen.map(({ operation }) => operation)).toEqual(['updates', '', 'updates', '', '', '', '', '']);
});

it.each<[string, Fault]>([
  ['refused', refuse(503, 'unavailable')],
  ['not a stream', (response) => void response.writeHead(200).end('{}')],
  ['lost', 'unreachable'],
])('polls if a stream is %s', async (_name, fault) => {
  const { server, device, waits } = await start();
  // Every stream fails, and views succeed.
  server.faults = [fault, undefined, fault, undefined, undefined, undefined, undefined];
  const views: DeviceView[] = [];
  for await (const view of device.follow({ pollMs: 1_000 })) {
    views.push(view);
    if (view.state === 'opened') Object.assign(server.view, { state: 'capturing' });
    else if (view.state === 'capturing') Object.assign(server.view, ENDED);
  }
  expect(statesOf(views)).toEqual(['opened', 'capturing', 'completed']);
  expect(server.seen.map(({ operation }) => operation)).toEqual(['updates', '', 'updates', '', '']);
  expect(waits).toEqual([1_000, 1_000]);
});

it('gives up a silent stream and polls', async () => {
  const { server, device } = await start();
  server.faults = [(response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')];
  Object.assign(server.view, ENDED);
  const views: DeviceView[] = [];
  for await (const view of device.follow({ idleMs: 30 })) views.push(view);
  expect(statesOf(views)).toEqual(['completed']);
  expect(server.seen.map(({ operation }) => operation)).toEqual(['updates', '']);
});

it('continues while the service is unreachable, with increasing intervals', async () => {
  const { server, device, waits } = await start({ retries: { attempts: 1 } });
  server.faults = Array.from({ length: 12 }, () => 'unreachable' as const);
  Object.assign(server.view, ENDED);
  const views: DeviceView[] = [];
  for await (const view of device.follow({ pollMs: 2_000 })) views.push(view);
  expect(statesOf(views)).toEqual(['completed']);
  expect(waits.slice(0, 6)).toEqual([4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

it('throws permanent errors: the session is gone', async () => {
  const { server, device } = await start();
  server.faults = [refuse(404, 'not_found'), refuse(404, 'not_found')];
  const walk = async () => {
    for await (const _view of device.follow()) expect.unreachable();
  };
  expect(await rejectionOf(walk())).toMatchObject({ status: 404, code: 'not_found' });
});

it('ends with the caller’s reason and closes the stream', async () => {
  const { server, device } = await start();
  const controller = new AbortController();
  const walk = async () => {
    for await (const _view of device.follow({ signal: controller.signal })) controller.abort('enough');
  };
  expect(await rejectionOf(walk())).toBe('enough');
  await expect.poll(() => server.streams[0]?.destroyed).toBe(true);
});

it('closes the stream when the loop is left', async () => {
  const { server, device } = await start();
  for await (const _view of device.follow()) break;
  await expect.poll(() => server.streams[0]?.destroyed).toBe(true);
});

it('does not block other calls while following', async () => {
  const { server, device } = await start();
  const views: DeviceView[] = [];
  for await (const view of device.follow()) {
    views.push(view);
    if (view.state === 'opened') await device.record('started', 0);
    else if (view.state === 'capturing') await device.cancel();
  }
  expect(statesOf(views)).toEqual(['opened', 'capturing', 'cancelled']);
  expect(server.log).toHaveLength(1);
});

it('shows the first device the second one’s progress after a handoff', async () => {
  const { server, device } = await start();
  const second = await createDeviceClient({ baseUrl: server.url, sessionId: SESSION_ID });
  const { code } = await device.handoff({ began: BEGAN });
  const views: DeviceView[] = [];
  for await (const view of device.follow()) {
    views.push(view);
    if (view.state === 'opened') {
      await second.claim({ code });
      await second.record('started', 0);
    } else if (view.state === 'capturing') {
      await second.submit({ face: { spoof: true } });
    }
  }
  expect(statesOf(views)).toEqual(['opened', 'capturing', 'completed']);
  expect(await rejectionOf(device.cancel())).toMatchObject({ code: 'device_mismatch', sessionCode: -16 });
});
