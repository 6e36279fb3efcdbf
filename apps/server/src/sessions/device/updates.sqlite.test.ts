// Live updates: every change is seen, from any process, and no stream stays open needlessly.
import type { DeviceView } from '@limen/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEGAN, newDevice, type TestDevice } from '#testing/device.ts';
import { captureSession, claimSession, sealFor, useDeviceApp } from '#testing/sessions/device-app.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const room = useDeviceApp();
/** A second process on the same database that serves only the page; tests may stop it. */
let other: TestApp;
let disposeOther = async () => {};

beforeAll(async () => {
  await room.app.http.listen({ port: 0, host: '127.0.0.1' });
  const options = { clock: room.clock, database: room.storage, environment: { SERVE: 'launch' } };
  other = await startTestApp({ ...options, atEnd: (end) => (disposeOther = end) });
  await other.http.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => disposeOther());

interface Stream {
  response: Response;
  /** Next view; undefined after the stream ended. */
  next(): Promise<DeviceView | undefined>;
  leave(): void;
}

async function follow(app: TestApp, device: TestDevice, sessionId: string): Promise<Stream> {
  const headers = await device.headersFor('GET', sessionId, 'updates', Buffer.alloc(0));
  const leaving = new AbortController();
  const url = `${app.http.listeningOrigin}/device/sessions/${sessionId}/updates`;
  const response = await fetch(url, { headers, signal: leaving.signal });
  const views = readViews(response);
  return {
    response,
    next: async () => (await views.next()).value,
    leave: () => leaving.abort(),
  };
}

async function* readViews(response: Response): AsyncGenerator<DeviceView, undefined> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [event, data] = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      if (event === 'event: view') yield JSON.parse(data!.slice('data: '.length));
    }
  }
  return undefined;
}

async function openStreams(app: TestApp): Promise<number> {
  const { body } = await app.http.inject({ method: 'GET', url: '/metrics' });
  return Number(/^limen_device_streams (\d+)$/m.exec(body)?.[1]);
}

describe('a live stream', () => {
  it('starts with the view, sends each change and ends with the session', async () => {
    const session = await claimSession(room);
    const stream = await follow(room.app, session.device, session.id);
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers.get('cache-control')).toBe('no-store');
    expect(stream.response.headers.get('x-request-id')).toBeTruthy();
    expect(await stream.next()).toMatchObject({ state: 'opened', role: 'active' });
    room.clock.advance(10_000);
    await session.device.report(session.id, 0, session.log.slice(0, 3));
    expect(await stream.next()).toMatchObject({ state: 'capturing', progress: { challengesDone: 1 } });
    await session.device.answer(session.id, await sealFor(session));
    expect(await stream.next()).toMatchObject({ state: 'completed', end: { flowStatus: 'COMPLETED' } });
    expect(await stream.next()).toBe(undefined);
    await expect.poll(() => openStreams(room.app)).toBe(0);
    const findLine = () =>
      room.app
        .logged()
        .split('\n')
        .findLast((text) => text.includes('/updates'));
    await expect.poll(findLine).toContain('"status":200');
  });

  it("shows the first device the second one's changes, through another process", async () => {
    const session = await captureSession(room);
    const offer = (await session.device.handoff(session.id)).body;
    const stream = await follow(other, session.device, session.id);
    expect(await stream.next()).toMatchObject({ role: 'active' });
    const second = await newDevice(room.app.http);
    await second.claim(session.id, offer);
    expect(await stream.next()).toMatchObject({ role: 'follower' });
    await second.cancel(session.id);
    expect(await stream.next()).toMatchObject({ role: 'follower', end: { flowStatus: 'CANCELLED' } });
    expect(await stream.next()).toBe(undefined);
  });

  it('ends when the session expires or is deleted', async () => {
    const [deleted, overdue] = [await claimSession(room), await claimSession(room)];
    const one = await follow(other, deleted.device, deleted.id);
    const two = await follow(other, overdue.device, overdue.id);
    await one.next();
    await two.next();
    await room.host.redact(deleted.token);
    expect(await one.next()).toBe(undefined);
    room.clock.advance(1_800_000);
    expect(await two.next()).toMatchObject({ state: 'expired', end: { flowStatus: 'EXPIRED', errors: [-8] } });
    expect(await two.next()).toBe(undefined);
  });

  it('of an ended session contains only its view', async () => {
    const { id, device } = await claimSession(room);
    await device.cancel(id);
    const stream = await follow(room.app, device, id);
    expect(await stream.next()).toMatchObject({ state: 'cancelled' });
    expect(await stream.next()).toBe(undefined);
  });

  it('is closed when its reader leaves', async () => {
    const { id, device } = await claimSession(room);
    const stream = await follow(room.app, device, id);
    await stream.next();
    // Streams of other tests may just be closing.
    await expect.poll(() => openStreams(room.app)).toBe(1);
    stream.leave();
    await expect.poll(() => openStreams(room.app)).toBe(0);
  });

  it('is replaced by a newer stream of the same device', async () => {
    const { id, device } = await claimSession(room);
    const older = await follow(room.app, device, id);
    await older.next();
    const newer = await follow(room.app, device, id);
    expect(await older.next()).toBe(undefined);
    await newer.next();
    await device.cancel(id);
    expect(await newer.next()).toMatchObject({ state: 'cancelled' });
  });

  it("does not delay the service's shutdown", async () => {
    const { id, device } = await claimSession(room);
    const stream = await follow(other, device, id);
    await stream.next();
    await other.close();
    expect(await stream.next()).toBe(undefined);
  });
});

describe('a stream request', () => {
  it('is refused and counted for a device outside the session', async () => {
    const { id, token, device } = await claimSession(room);
    const stranger = await newDevice(room.app.http);
    const { response } = await follow(room.app, stranger, id);
    expect([response.status, await response.json()]).toMatchObject([403, { code: -16 }]);
    await device.cancel(id);
    expect((await room.host.result(token)).body.riskEvaluation?.flags).toContain('BEHAVIOR_OTHER_DEVICE');
  });

  it('is refused with an old signature or without a session', async () => {
    const { id, device } = await claimSession(room);
    await device.call('POST', id, 'handoff', { body: { began: BEGAN }, counter: 50 });
    expect(await device.call('GET', id, 'updates', { counter: 49 })).toMatchObject({
      status: 409,
      error: 'stale_counter',
    });
    expect((await device.call('GET', '5198b3aa-8308-464b-93bf-c4755db792c4', 'updates')).status).toBe(404);
  });
});
