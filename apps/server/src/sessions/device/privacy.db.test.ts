// Stored data of the device channel: nothing readable, and nothing after its session is deleted.
import { describe, expect, it } from 'vitest';
import { type Claimed, captureSession, claimSession, sealFor, useDeviceApp } from '#testing/sessions/device-app.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';

const room = useDeviceApp();

async function rowOf({ id }: Pick<Claimed, 'id'>) {
  const query = room.app.database.queries.selectFrom('device_channels').selectAll();
  return query.where('session_id', '=', named<SessionId>(id)).executeTakeFirst();
}

describe('the row of a session', () => {
  it('shows neither keys nor plan nor log', async () => {
    const session = await captureSession(room);
    const sealed = Buffer.from((await rowOf(session))!.sealed).toString('latin1');
    for (const secret of [session.device.key, session.plan.nonce, session.plan.publicKey, 'started', 'blink']) {
      expect(sealed).not.toContain(secret);
    }
  });

  it('shrinks at the end, because plan and private key are removed', async () => {
    const [answered, cancelled] = [await captureSession(room), await captureSession(room)];
    const [simulated, expired] = [await captureSession(room), await captureSession(room)];
    const before = (await rowOf(answered))!.sealed.length;
    await answered.device.answer(answered.id, await sealFor(answered));
    await cancelled.device.cancel(cancelled.id);
    await room.host.simulate(simulated.token, { outcome: 'above' });
    room.clock.advance(1_800_000);
    await room.host.result(expired.token);
    for (const session of [answered, cancelled, simulated, expired]) {
      expect((await rowOf(session))!.sealed.length).toBeLessThan(before - answered.planText.length / 2);
    }
  });

  it('is deleted with the session, whatever the device does concurrently', async () => {
    const session = await captureSession(room);
    const [redacted, ...calls] = await Promise.all([
      room.host.redact(session.token),
      session.device.handoff(session.id),
      session.device.claim(session.id),
      session.device.report(session.id, 0, session.log),
    ]);
    expect(redacted.status).toBe(204);
    for (const { status } of calls) expect([200, 404, 409]).toContain(status);
    expect(await rowOf(session)).toBe(undefined);
    expect((await session.device.view(session.id)).status).toBe(404);
    expect((await session.device.cancel(session.id)).status).toBe(404);
  });

  it('is deleted after the retention', async () => {
    const session = await claimSession(room);
    await session.device.cancel(session.id);
    room.clock.advance(25 * 60 * 60 * 1000);
    expect((await session.device.view(session.id)).status).toBe(404);
    await room.app.jobs.start();
    await expect.poll(() => rowOf(session), { interval: 20 }).toBe(undefined);
  });
});

it('keeps session ids, keys, codes and plans out of the log', async () => {
  const session = await captureSession(room);
  const offer = (await session.device.handoff(session.id)).body;
  await session.device.answer(session.id, Buffer.alloc(2_048));
  const logged = room.app.logged();
  expect(logged).toContain('/device/sessions/:sessionId/answer');
  for (const secret of [session.id, session.device.key, offer.code, session.plan.nonce])
    expect(logged).not.toContain(secret);
});
