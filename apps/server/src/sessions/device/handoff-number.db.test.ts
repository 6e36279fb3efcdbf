// Handoff safeguards: a preview of the request, a number to compare, and the host's policy.
import { describe, expect, it } from 'vitest';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { newDevice } from '#testing/device.ts';
import { captureSession, claimSession, openSession, useDeviceApp } from '#testing/sessions/device-app.ts';

const room = useDeviceApp();
const SHOP = 'https://shop.example:8443/after?order=17&nonce=secret';

describe.skipIf(SKIPS_ENGINE_BLIND)('a look', () => {
  it('shows who asks, the destination and the starting device, and nothing personal', async () => {
    const session = await claimSession(room, { redirectUrl: SHOP });
    const at = new Date(room.clock.now()).toISOString();
    room.clock.advance(60_000);
    const { code, number } = (await session.device.handoff(session.id)).body;
    const { status, body } = await (await newDevice(room.app.http)).look(session.id, code);
    expect(status).toBe(200);
    expect(body).toEqual({
      requester: null,
      redirectOrigin: 'https://shop.example:8443',
      began: { browser: 'Firefox', system: 'Windows', at },
      choices: expect.arrayContaining([number]),
    });
    expect(new Set(body.choices).size).toBe(3);
    for (const choice of body.choices) expect(choice).toMatch(/^[1-9][0-9]$/);
  });

  it.each([
    [undefined, null],
    ['myapp://done?nonce=secret', 'myapp:'],
  ])('shows for the redirect %s the origin %s', async (redirectUrl, redirectOrigin) => {
    const session = await claimSession(room, { redirectUrl });
    const { code } = (await session.device.handoff(session.id)).body;
    expect((await session.device.look(session.id, code)).body.redirectOrigin).toBe(redirectOrigin);
  });

  it('changes nothing and keeps its three numbers, because two draws would reveal the right one', async () => {
    const session = await claimSession(room);
    const { code, number } = (await session.device.handoff(session.id)).body;
    const devices = await Promise.all(Array.from({ length: 6 }, () => newDevice(room.app.http)));
    const looks = await Promise.all(devices.map((device) => device.look(session.id, code)));
    expect(new Set(looks.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await session.device.view(session.id)).body).toMatchObject({ role: 'active', state: 'opened' });
    expect((await devices[0]!.claim(session.id, { code, number })).status).toBe(200);
    expect(await devices[1]!.look(session.id, code)).toMatchObject({ status: 403, error: 'third_device' });
  });

  it('requires the newest code, within five minutes, while the session is open', async () => {
    const session = await claimSession(room);
    const other = await newDevice(room.app.http);
    const older = (await session.device.handoff(session.id)).body;
    const { code } = (await session.device.handoff(session.id)).body;
    const refused = { status: 403, error: 'handoff_code_refused', body: { code: -16 } };
    expect(await other.look(session.id, older.code)).toMatchObject(refused);
    expect(await session.device.look(session.id, older.code)).toMatchObject(refused);
    expect((await other.look(session.id, code)).status).toBe(200);
    room.clock.advance(300_000);
    expect(await other.look(session.id, code)).toMatchObject(refused);
    const { id } = await openSession(room);
    expect(await other.look(id, code)).toMatchObject({ status: 403, error: 'device_mismatch' });
    await session.device.cancel(session.id);
    expect(await other.look(session.id, code)).toMatchObject({ status: 409, error: 'session_ended' });
  });
});

describe('the number', () => {
  const another = (number: string) => (number === '10' ? '11' : '10');

  it('ends the handoff if wrong, is reported to the first device and counts in the risk', async () => {
    const session = await captureSession(room);
    const stranger = await newDevice(room.app.http);
    const { code, number } = (await session.device.handoff(session.id)).body;
    const refused = await stranger.claim(session.id, { code, number: another(number) });
    expect(refused).toMatchObject({ status: 403, error: 'handoff_number_refused', body: { code: -16 } });
    expect(refused.body.message).toContain('new one');
    expect(await stranger.claim(session.id, { code, number })).toMatchObject({ error: 'handoff_code_refused' });
    expect((await session.device.view(session.id)).body).toMatchObject({ role: 'active', wrongNumber: true });
    const next = (await session.device.handoff(session.id)).body;
    expect((await session.device.view(session.id)).body).not.toHaveProperty('wrongNumber');
    const phone = await newDevice(room.app.http);
    expect((await phone.claim(session.id, next)).status).toBe(200);
    await phone.cancel(session.id);
    const { riskEvaluation } = (await room.host.result(session.token)).body;
    expect(riskEvaluation).toMatchObject({ recommendation: 'REVIEW' });
    expect(riskEvaluation?.flags).toContain('HANDOFF_NUMBER_WRONG');
  });

  it('ends the handoff if not seen: the code is void, and it is reported and counted', async () => {
    const session = await captureSession(room);
    const stranger = await newDevice(room.app.http);
    const { code, number } = (await session.device.handoff(session.id)).body;
    const wrong = await stranger.decline(session.id, 'A'.repeat(22));
    expect(wrong).toMatchObject({ status: 403, error: 'handoff_code_refused' });
    expect(await session.device.decline(session.id, code)).toMatchObject({ error: 'handoff_code_refused' });
    expect((await session.device.view(session.id)).body).not.toHaveProperty('handoffDeclined');

    const declined = await stranger.decline(session.id, code);
    expect(declined).toMatchObject({ status: 200, body: { role: 'none' } });
    expect(declined.body).not.toHaveProperty('handoffDeclined');
    for (const again of [
      await stranger.decline(session.id, code),
      await stranger.look(session.id, code),
      await stranger.claim(session.id, { code, number }),
    ]) {
      expect(again).toMatchObject({ status: 403, error: 'handoff_code_refused' });
    }
    const told = (await session.device.view(session.id)).body;
    expect(told).toMatchObject({ role: 'active', handoffDeclined: true });
    expect(told).not.toHaveProperty('wrongNumber');

    const next = (await session.device.handoff(session.id)).body;
    expect((await session.device.view(session.id)).body).not.toHaveProperty('handoffDeclined');
    const phone = await newDevice(room.app.http);
    expect((await phone.claim(session.id, next)).status).toBe(200);
    expect(await stranger.decline(session.id, next.code)).toMatchObject({ error: 'third_device' });
    await phone.cancel(session.id);
    const { riskEvaluation } = (await room.host.result(session.token)).body;
    expect(riskEvaluation).toMatchObject({ recommendation: 'REVIEW' });
    expect(riskEvaluation?.flags).toContain('HANDOFF_NUMBER_WRONG');
    expect(await stranger.decline(session.id, next.code)).toMatchObject({ status: 409, error: 'session_ended' });
  });

  it('is requested if missing, and the code still works', async () => {
    const session = await claimSession(room);
    const phone = await newDevice(room.app.http);
    const { code, number } = (await session.device.handoff(session.id)).body;
    const refused = await phone.claim(session.id, { code });
    expect(refused).toMatchObject({ status: 400, error: 'validation_failed' });
    expect((await session.device.view(session.id)).body).not.toHaveProperty('wrongNumber');
    expect((await phone.claim(session.id, { code, number })).status).toBe(200);
  });

  it('can be guessed once: among concurrent guesses the first decides', async () => {
    for (let round = 0; round < 5; round += 1) {
      const session = await claimSession(room);
      const { code } = (await session.device.handoff(session.id)).body;
      const { choices } = (await session.device.look(session.id, code)).body;
      const devices = await Promise.all(choices.map(() => newDevice(room.app.http)));
      const replies = await Promise.all(
        devices.map((device, index) => device.claim(session.id, { code, number: choices[index]! })),
      );
      const errors = replies.map(({ error }) => error);
      const isIn = errors.includes(undefined);
      // Either the right guess was first and the rest were late, or a wrong one was and no one is in.
      expect(errors.filter((error) => error === 'handoff_number_refused').length).toBe(isIn ? 0 : 1);
      expect(errors.filter((error) => error === undefined).length).toBe(isIn ? 1 : 0);
    }
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('a host that refuses handoffs', () => {
  it('keeps the session on its device, and the page knows before it offers a handoff', async () => {
    const session = await claimSession(room, { handoff: 'refuse' });
    expect((await session.device.view(session.id)).body.handoff).toBe('refused');
    const refused = await session.device.handoff(session.id);
    expect(refused).toMatchObject({ status: 403, error: 'forbidden' });
    expect(refused.body.message).toContain('continue here');
    expect((await claimSession(room, { handoff: 'allow' }).then(({ device, id }) => device.handoff(id))).status).toBe(
      200,
    );
  });

  it('accepts no other policy', async () => {
    expect((await room.host.create({ handoff: 'never' })).status).toBe(400);
  });
});
