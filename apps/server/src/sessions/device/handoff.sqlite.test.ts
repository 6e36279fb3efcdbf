// Handing a session to another device, and concurrent devices.
import { describe, expect, it } from 'vitest';
import { leaveOutColors, newDevice } from '#testing/device.ts';
import {
  type Claimed,
  captureSession,
  claimSession,
  openSession,
  readPlan,
  sealFor,
  useDeviceApp,
} from '#testing/sessions/device-app.ts';
import { startTestApp } from '#testing/test-app.ts';

const room = useDeviceApp();

/** A session handed off three seconds after the code was created. */
async function handOn(session: Claimed) {
  const offer = (await session.device.handoff(session.id)).body;
  const second = await newDevice(room.app.http);
  room.clock.advance(3_000);
  const { body } = await second.claim(session.id, offer);
  return { id: session.id, token: session.token, device: second, ...readPlan(body.plan) };
}

describe('a handoff', () => {
  it('returns a URL with the code in its fragment, which no server sees', async () => {
    const { id, device } = await claimSession(room);
    const { status, body } = await device.handoff(id);
    expect(status).toBe(200);
    const url = new URL(body.url);
    expect([url.pathname, url.searchParams.get('sessionId'), url.hash]).toEqual([
      '/launch',
      id,
      `#handoff=${body.code}`,
    ]);
    expect(Buffer.from(body.code, 'base64url').length).toBe(16);
    expect(body.expiresAt).toBe(new Date(room.clock.now() + 300_000).toISOString());
  });

  it('moves the claim: same steps with new colors, nonce and key, an empty log; the first device follows', async () => {
    const first = await captureSession(room);
    const second = await handOn(first);
    expect(leaveOutColors(second.plan.steps)).toEqual(leaveOutColors(first.plan.steps));
    expect(second.plan.steps).not.toEqual(first.plan.steps);
    expect(second.plan.nonce).not.toBe(first.plan.nonce);
    expect(second.plan.publicKey).not.toBe(first.plan.publicKey);
    expect((await first.device.view(first.id)).body).toMatchObject({ state: 'capturing', role: 'follower' });
    expect((await second.device.view(first.id)).body).not.toHaveProperty('progress');
    room.clock.advance(10_000);
    await second.device.report(first.id, 0, second.log);
    expect((await first.device.view(first.id)).body.progress).toEqual({ step: 0, challengesDone: 3 });
    expect((await second.device.answer(first.id, await sealFor(second))).status).toBe(200);
    expect((await first.device.view(first.id)).body).toMatchObject({
      role: 'follower',
      end: { flowStatus: 'COMPLETED' },
    });
    expect((await room.host.result(first.token)).body.riskEvaluation).toMatchObject({
      recommendation: 'ALLOW',
      flags: ['CROSS_DEVICE'],
    });
  });

  it('leaves the first device read-only, which does not count against the session', async () => {
    const first = await captureSession(room);
    const second = await handOn(first);
    const refused = [
      await first.device.report(first.id, 0, first.log),
      await first.device.answer(first.id, await sealFor(first)),
      await first.device.cancel(first.id),
      await first.device.handoff(first.id),
      await first.device.claim(first.id),
    ];
    for (const reply of refused)
      expect(reply).toMatchObject({ status: 403, error: 'device_mismatch', body: { code: -16 } });
    expect((await second.device.view(first.id)).body).toMatchObject({ state: 'capturing', role: 'active' });
    room.clock.advance(10_000);
    await second.device.report(first.id, 0, second.log);
    await second.device.answer(first.id, await sealFor(second));
    expect((await room.host.result(first.token)).body.riskEvaluation).toMatchObject({ flags: ['CROSS_DEVICE'] });
  });

  it('can return to the first device, but not go to a third', async () => {
    const first = await claimSession(room);
    const second = await handOn(first);
    const third = await newDevice(room.app.http);
    const offer = (await second.device.handoff(first.id)).body;
    const refused = await third.claim(first.id, offer);
    expect(refused).toMatchObject({ status: 403, error: 'third_device', body: { code: -16 } });
    expect((await first.device.claim(first.id, offer)).body.view).toMatchObject({ role: 'active' });
    expect((await second.device.view(first.id)).body.role).toBe('follower');
    await first.device.cancel(first.id);
    const { flags } = (await room.host.result(first.token)).body.riskEvaluation ?? { flags: [] };
    expect(flags).toEqual(expect.arrayContaining(['BEHAVIOR_OTHER_DEVICE', 'BEHAVIOR_HANDOFF_REPEATED']));
  });

  it('works once per code, within five minutes, with the newest code', async () => {
    const session = await claimSession(room);
    const other = await newDevice(room.app.http);
    const codes = [await session.device.handoff(session.id), await session.device.handoff(session.id)];
    const [older, newer] = codes.map(({ body }) => body);
    const old = await other.claim(session.id, older);
    expect(old).toMatchObject({ status: 403, error: 'handoff_code_refused', body: { code: -16 } });
    expect(old.body.message).toContain('new one');
    room.clock.advance(300_000);
    expect((await other.claim(session.id, newer)).status).toBe(403);
    const offer = (await session.device.handoff(session.id)).body;
    expect((await other.claim(session.id, offer)).status).toBe(200);
    expect((await session.device.claim(session.id, offer)).status).toBe(403);
  });

  it('has a code that expires with the session', async () => {
    const session = await claimSession(room);
    room.clock.advance(1_700_000);
    const { body } = await session.device.handoff(session.id);
    expect(body.expiresAt).toBe((await session.device.view(session.id)).body.expiresAt);
  });

  it('is available twenty times', async () => {
    const { id, device } = await claimSession(room);
    for (let times = 0; times < 20; times += 1) expect((await device.handoff(id)).status).toBe(200);
    const refused = await device.handoff(id);
    expect(refused).toMatchObject({ status: 403, error: 'forbidden' });
    expect(refused.body.message).toContain('continue on this device');
    expect(refused.body).not.toHaveProperty('code');
    expect((await device.view(id)).body.role).toBe('active');
  });

  it('names browser and system in our own words, so that no one can inject text', async () => {
    const { id, device } = await claimSession(room);
    const wrong = [{}, { browser: 'Chrome' }, { browser: 'Call 555 0100', system: 'Windows' }];
    for (const body of [undefined, [], {}, ...wrong.map((began) => ({ began }))]) {
      const refused = await device.call('POST', id, 'handoff', { body });
      expect(refused).toMatchObject({ status: 400, error: 'validation_failed' });
    }
  });
});

describe('concurrent calls', () => {
  it('bind one of two devices that claim in two processes', async () => {
    const environment = { SERVE: 'launch' };
    const other = await startTestApp({ clock: room.clock, database: room.storage, environment });
    for (let round = 0; round < 10; round += 1) {
      const { id } = await openSession(room);
      const devices = [await newDevice(room.app.http), await newDevice(other.http)];
      const replies = await Promise.all(devices.map((device) => device.claim(id)));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
      const roles = await Promise.all(devices.map(async (device) => (await device.view(id)).body.role));
      expect(roles.sort()).toEqual(['active', 'none']);
    }
  });

  it('give a device that claims twice the same plan', async () => {
    const { id } = await openSession(room);
    const device = await newDevice(room.app.http);
    const replies = await Promise.all([device.claim(id), device.claim(id)]);
    const plans = replies.filter(({ status }) => status === 200).map(({ body }) => body.plan);
    expect(plans.length).toBeGreaterThan(0);
    expect(new Set(plans).size).toBe(1);
    // The call overtaken by a higher counter is refused.
    for (const { error } of replies) expect([undefined, 'stale_counter']).toContain(error);
  });

  it('end the session once with a hundred different answers', async () => {
    const session = await captureSession(room);
    const results = ['AGE_ABOVE_THRESHOLD', 'AGE_BELOW_THRESHOLD'];
    const envelopes = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        sealFor(session, { face: { spoof: false, thresholdResult: results[index % 2] } }),
      ),
    );
    const replies = await Promise.all(envelopes.map((envelope) => session.device.answer(session.id, envelope)));
    const taken = replies.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(taken.length).toBe(1);
    expect((await room.host.result(session.token)).body.sessionStatus).toBe(results[taken[0]! % 2]);
    for (const { status, error } of replies)
      if (status !== 200) expect([status, error]).toEqual([409, 'payload_replayed']);
  });

  it('let one of two devices use a code', async () => {
    const session = await claimSession(room);
    const offer = (await session.device.handoff(session.id)).body;
    const devices = [await newDevice(room.app.http), await newDevice(room.app.http)];
    const replies = await Promise.all(devices.map((device) => device.claim(session.id, offer)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect((await session.device.view(session.id)).body.role).toBe('follower');
  });

  it('let either the answer or the handoff win', async () => {
    for (let round = 0; round < 12; round += 1) {
      const session = await captureSession(room);
      const offer = (await session.device.handoff(session.id)).body;
      const second = await newDevice(room.app.http);
      const envelope = await sealFor(session);
      const answer = () => session.device.answer(session.id, envelope);
      const claim = () => second.claim(session.id, offer);
      const [one, two] = await Promise.all(round % 2 === 0 ? [answer(), claim()] : [claim(), answer()]);
      const [answered, claimed] = round % 2 === 0 ? [one, two] : [two, one];
      const { state } = (await second.view(session.id)).body;
      if (answered.status === 200) expect([state, claimed.error]).toEqual(['completed', 'session_ended']);
      else expect([state, answered.error, claimed.status]).toEqual(['capturing', 'device_mismatch', 200]);
    }
  });

  it('let either the cancellation or the answer end the session', async () => {
    const session = await captureSession(room);
    const envelope = await sealFor(session);
    const [cancelled, answered] = await Promise.all([
      session.device.cancel(session.id),
      session.device.answer(session.id, envelope),
    ]);
    expect([cancelled.status, answered.status].filter((status) => status === 200).length).toBe(1);
  });
});
