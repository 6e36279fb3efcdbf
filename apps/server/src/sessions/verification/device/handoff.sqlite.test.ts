// A sign-in across two devices: the starter must not profit from another person's face.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { describe, expect, it } from 'vitest';
import { type Authenticator, createAuthenticator } from '#testing/authenticator.ts';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { newDevice } from '#testing/device.ts';
import { sealBox } from '#testing/handoff-box.ts';
import {
  type Capture,
  capture,
  enroll,
  enrollWithPasskey,
  newFace,
  newPersonKey,
  newVerificationHost,
  PAGE_ORIGIN,
  sameFace,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';
import { named, type SessionId } from '../../../platform/base/ids.ts';

const room = useVerificationApp();
const REDIRECT = 'https://shop.example/done';
const FACE = { face: { spoof: false } };

/** Hands off this device's finished steps, with everything up to the start of `next` done. */
async function handOn(first: Capture, next?: 'token') {
  const steps = next
    ? [...first.plan.steps.keys()].slice(
        0,
        first.plan.steps.findIndex(({ step }) => step === next),
      )
    : [];
  const box = steps.length > 0 ? await sealBox(first, steps, FACE) : undefined;
  const { body: offer } = await first.device.handoff(first.id, box?.carried);
  room.clock.advance(4_000);
  return capture(room, first.id, { offer });
}

/** The victim's known and trusted device, with its usual calls. */
async function signInLocally(
  host: VerificationHost,
  second: Capture,
  deviceId: string,
  key: Awaited<ReturnType<typeof newPersonKey>>,
) {
  await second.reach('token');
  expect((await second.local(deviceId, key)).body).toEqual({ outcome: 'matched' });
  const { body: view } = await second.answer();
  return { view, result: (await host.result(second.id)).body };
}

async function hijack(more: object = {}) {
  const host = await newVerificationHost(room);
  const [face, key] = [newFace(), await newPersonKey()];
  const { puid, deviceId } = await enroll(room, host, face, key);
  const attacker = await capture(room, await host.start('SIGN-IN', more));
  const victim = await handOn(attacker);
  const ended = await signInLocally(host, victim, deviceId!, key);
  return { host, puid, attacker, victim, ...ended };
}

describe("an attacker who forwards a sign-in's code", () => {
  it('does not get in if the host wants the person, and the host is asked to review', async () => {
    const { puid, attacker, victim, view, result } = await hijack();
    expect(result).toMatchObject({
      status: 'SUCCESS',
      puid,
      riskEvaluation: { recommendation: 'REVIEW', flags: ['CROSS_DEVICE'] },
    });
    const followed = (await attacker.device.view(attacker.id)).body;
    expect(followed).toMatchObject({ role: 'follower', end: { flowStatus: 'COMPLETED', returnCodeTriesLeft: 3 } });
    for (const seen of [followed, view, (await victim.device.view(victim.id)).body]) {
      expect(JSON.stringify(seen)).not.toContain(REDIRECT);
    }
    expect(JSON.stringify(followed)).not.toContain(view.end?.returnCode);
    const stranger = await newDevice(room.app.http);
    expect((await stranger.view(attacker.id)).body.end).toEqual({ flowStatus: 'COMPLETED', errors: [] });
  });

  it('has three guesses at the code on the other screen, sequential or concurrent', async () => {
    const { attacker, view } = await hijack();
    const code = view.end?.returnCode ?? '';
    const wrong = [1, 2, 3, 4, 5].map((more) => String((Number(code) + more) % 1_000_000).padStart(6, '0'));
    const guess = (text: string) => attacker.device.giveBack(attacker.id, text);
    const first = await guess(wrong[0]!);
    expect(first).toMatchObject({ status: 403, error: 'return_code_refused' });
    expect(first.body.message).toContain('twice more');
    // A repetition, as after a lost reply, is no second guess.
    await guess(wrong[0]!);
    expect((await attacker.device.view(attacker.id)).body.end?.returnCodeTriesLeft).toBe(2);
    const others = await Promise.all(wrong.slice(1).map(guess));
    for (const reply of others) expect(reply.status === 403 || reply.error === 'stale_counter').toBe(true);
    for (const text of wrong) await guess(text);
    const last = await guess(code);
    expect(last).toMatchObject({ status: 403, error: 'return_code_refused' });
    expect(last.body.message).toContain('no tries left');
    expect((await attacker.device.view(attacker.id)).body.end).toEqual({
      flowStatus: 'COMPLETED',
      errors: [],
      returnCodeTriesLeft: 0,
    });
  });

  it('passes if the host allows it, but gets nothing without the code', async () => {
    const { attacker, result } = await hijack({ handoff: 'allow' });
    expect(result.riskEvaluation).toMatchObject({ recommendation: 'ALLOW', flags: ['CROSS_DEVICE'] });
    expect(JSON.stringify((await attacker.device.view(attacker.id)).body)).not.toContain(REDIRECT);
  });

  it('has no code to send if the host forbids handoffs', async () => {
    const host = await newVerificationHost(room);
    const attacker = await capture(room, await host.start('SIGN-IN', { handoff: 'refuse' }));
    expect(await attacker.device.handoff(attacker.id)).toMatchObject({ status: 403, error: 'forbidden' });
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('the code that goes back', () => {
  it('redirects only the first device', async () => {
    const { attacker: computer, victim: phone, view } = await hijack();
    const code = view.end?.returnCode ?? '';
    expect(code).toMatch(/^[0-9]{6}$/);
    for (const other of [phone.device, await newDevice(room.app.http)]) {
      expect(await other.giveBack(phone.id, code)).toMatchObject({ status: 403, error: 'forbidden' });
    }
    const returned = await computer.device.giveBack(computer.id, code);
    expect(returned).toMatchObject({ status: 200, body: { end: { redirectUrl: REDIRECT } } });
    // The reply may have been lost.
    expect((await computer.device.giveBack(computer.id, code)).body.end?.redirectUrl).toBe(REDIRECT);
    expect((await phone.device.view(phone.id)).body.end).toEqual({ flowStatus: 'COMPLETED', errors: [] });
  });

  it('is missing before the end, after a failure, and without a handoff', async () => {
    const host = await newVerificationHost(room);
    const computer = await capture(room, await host.start('SIGN-IN'));
    const phone = await handOn(computer);
    expect((await computer.device.giveBack(computer.id, '000000')).error).toBe('forbidden');
    await phone.device.cancel(phone.id);
    for (const { device } of [computer, phone]) {
      expect((await device.view(phone.id)).body.end).toEqual({ flowStatus: 'CANCELLED', errors: [] });
    }
    expect((await computer.device.giveBack(computer.id, '000000')).error).toBe('forbidden');
    const face = newFace();
    const alone = await capture(room, await host.start('ENROLL'));
    await alone.reach('token');
    await alone.show(face);
    expect((await alone.answer()).body.end).toEqual({ flowStatus: 'COMPLETED', errors: [], redirectUrl: REDIRECT });
  });

  it('is stored sealed and deleted with the session', async () => {
    const { host, attacker, view } = await hijack();
    const rows = () =>
      room.app.database.queries
        .selectFrom('device_channels')
        .selectAll()
        .where('session_id', '=', named<SessionId>(attacker.id))
        .execute();
    const [row] = await rows();
    expect(Buffer.from(row!.sealed).includes(view.end?.returnCode ?? '-')).toBe(false);
    await host.call('DELETE', `/v2/verification-session/${attacker.id}`);
    expect(await rows()).toEqual([]);
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('what the first device has shown the service', () => {
  it('travels with the step: the face is found once, and the second device only finishes', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const first = await capture(room, await host.start('ENROLL', { contact: ['email'] }));
    await first.reach('token');
    expect((await first.show(face)).body.outcome).toBe('enrolled');
    await first.reach('contact');
    const { second, log } = await finishOnPhone(first);
    expect(log.map(([event]) => event)).toEqual(['carried', 'carried', 'started', 'finished']);
    await second.reach('contact');
    const { body } = await second.answer();
    expect(body.end).toMatchObject({ flowStatus: 'COMPLETED', errors: [] });
    expect((await host.result(first.id)).body).toMatchObject({
      status: 'SUCCESS',
      riskEvaluation: { recommendation: 'REVIEW', flags: ['CROSS_DEVICE'] },
    });
    const again = await capture(room, await host.start('SIGN-IN'));
    await again.reach('token');
    expect((await again.show(sameFace(face))).body.outcome).toBe('matched');
  });

  it('is void once the second device restarts the step and shows no one', async () => {
    const host = await newVerificationHost(room);
    const first = await capture(room, await host.start('ENROLL', { contact: ['email'] }));
    await first.reach('token');
    await first.show(newFace());
    await first.reach('contact');
    const { second, log } = await finishOnPhone(first);
    const [token, contact] = [1, 2];
    const anew = [
      ...log.slice(0, 2),
      ...([
        ['retried', token, 30],
        ['finished', token, 40],
        ['started', contact, 50],
        ['finished', contact, 60],
      ] as const),
    ];
    await second.device.report(second.id, 0, anew.slice(0, 5));
    await second.answer({ log: anew });
    expect((await host.result(first.id)).body).toMatchObject({ status: 'FAILED', errors: [{ code: 152 }] });
  });

  it('does not travel if the host wants a picture of the face', async () => {
    const host = await newVerificationHost(room);
    const first = await capture(room, await host.start('SIGN-IN', { sendImages: true }));
    await first.reach('token');
    const { carried } = await sealBox(first, [0], FACE);
    const refused = await first.device.handoff(first.id, carried);
    expect(refused).toMatchObject({ status: 400, error: 'validation_failed' });
    expect(JSON.stringify(refused.body)).toContain('picture');
  });

  it.each(['SIGN-IN', 'VERIFY'] as const)(
    'is no face in a %s: a known phone would vouch for a photograph',
    async (type) => {
      const host = await newVerificationHost(room);
      const { puid } = await enroll(room, host, newFace(), await newPersonKey());
      const first = await capture(
        room,
        await host.start(type, { handoff: 'allow', ...(type === 'VERIFY' && { userId: puid }) }),
      );
      await first.reach('token');
      const { carried } = await sealBox(first, [0], FACE);
      const refused = await first.device.handoff(first.id, carried);
      expect(refused).toMatchObject({ status: 400, error: 'validation_failed' });
      expect(JSON.stringify(refused.body)).toContain('compares the face');
    },
  );

  async function finishOnPhone(first: Capture) {
    const { carried } = await sealBox(first, [0, 1], FACE);
    const { body: offer } = await first.device.handoff(first.id, carried);
    room.clock.advance(4_000);
    const second = await capture(room, first.id, { offer });
    return { second, log: second.log };
  }
});

describe.skipIf(SKIPS_ENGINE_BLIND)('a passkey', () => {
  const PASSKEY = { requirements: ['face', 'passkey'] };

  async function use(session: Capture, authenticator: Authenticator) {
    const { body } = await session.passkeyOptions();
    const response = await authenticator.get(body.publicKey as unknown as PublicKeyCredentialRequestOptionsJSON);
    expect((await session.passkey(response)).body.outcome).toBe('accepted');
  }

  it('on the starting device speaks for the starter, so such a session may pass', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const { authenticator } = await enrollWithPasskey(room, host, face);
    const first = await capture(room, await host.start('SIGN-IN', PASSKEY));
    await first.reach('passkey');
    await use(first, authenticator);
    await first.reach('token');
    const second = await handOn(first, 'token');
    await second.reach('token');
    await second.show(sameFace(face));
    await second.answer();
    expect((await host.result(first.id)).body).toMatchObject({
      status: 'SUCCESS',
      riskEvaluation: { recommendation: 'ALLOW', flags: ['CROSS_DEVICE'] },
    });
  });

  it('on the other device does not speak for the starter, who may be another person', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const { authenticator } = await enrollWithPasskey(room, host, face);
    const first = await capture(room, await host.start('SIGN-IN', PASSKEY));
    await first.reach('passkey');
    const second = await handOn(first);
    await second.reach('passkey');
    await use(second, authenticator);
    await second.reach('token');
    await second.show(sameFace(face));
    await second.answer();
    expect((await host.result(first.id)).body).toMatchObject({
      status: 'SUCCESS',
      riskEvaluation: { recommendation: 'REVIEW', flags: ['CROSS_DEVICE'] },
    });
  });

  it('bound by a photograph lets no one pass when the owner finishes, and gains nothing', async () => {
    const host = await newVerificationHost(room);
    const [face, key, thief] = [newFace(), await newPersonKey(), createAuthenticator(PAGE_ORIGIN)];
    const { puid, deviceId } = await enroll(room, host, face, key);
    const enrollment = await capture(room, await host.start('ENROLL', PASSKEY));
    await enrollment.reach('token');
    await enrollment.show(sameFace(face));
    await enrollment.reach('passkey');
    const { publicKey } = (await enrollment.passkeyOptions()).body;
    await enrollment.passkey(thief.create(publicKey as unknown as PublicKeyCredentialCreationOptionsJSON));
    await enrollment.answer();
    expect((await host.result(enrollment.id)).body.riskEvaluation?.flags).toEqual(['NEW_DEVICE']);

    const begun = async (more: object = {}) => {
      const session = await capture(room, await host.start('SIGN-IN', { ...PASSKEY, ...more }));
      await session.reach('passkey');
      await use(session, thief);
      await session.reach('token');
      return session;
    };
    const finishedByOwner = async (more: object = {}) => {
      const victim = await handOn(await begun(more), 'token');
      return (await signInLocally(host, victim, deviceId!, key)).result;
    };
    expect(await finishedByOwner()).toMatchObject({
      status: 'SUCCESS',
      puid,
      riskEvaluation: { recommendation: 'REVIEW', flags: expect.arrayContaining(['CROSS_DEVICE']) },
    });
    // The face came from the thief's device; the owner's has not seen it.
    expect(await finishedByOwner({ handoff: 'allow' })).toMatchObject({
      riskEvaluation: { recommendation: 'REVIEW', flags: expect.arrayContaining(['NEW_DEVICE', 'CROSS_DEVICE']) },
    });
    const alone = await begun();
    await alone.show(sameFace(face));
    await alone.answer();
    expect((await host.result(alone.id)).body.riskEvaluation).toMatchObject({
      recommendation: 'REVIEW',
      flags: ['NEW_DEVICE'],
    });
  });

  it('does not make the other device vouched for, even if the host allows handoffs', async () => {
    const host = await newVerificationHost(room);
    const [face, key] = [newFace(), await newPersonKey()];
    const { authenticator } = await enrollWithPasskey(room, host, face);
    const first = await capture(room, await host.start('SIGN-IN', { ...PASSKEY, handoff: 'allow' }));
    await first.reach('passkey');
    await use(first, authenticator);
    await first.reach('token');
    const second = await handOn(first, 'token');
    await second.reach('token');
    const { deviceId } = (await second.show(sameFace(face), key)).body;
    await second.answer();
    expect((await host.result(first.id)).body.riskEvaluation?.recommendation).toBe('ALLOW');
    const signIn = async () => {
      const alone = await capture(room, await host.start('SIGN-IN'));
      return (await signInLocally(host, alone, deviceId!, key)).result.riskEvaluation;
    };
    expect(await signIn()).toMatchObject({ recommendation: 'REVIEW', flags: ['NEW_DEVICE'] });
    expect((await host.trustDevice(first.id)).status).toBe(204);
    expect(await signIn()).toMatchObject({ recommendation: 'ALLOW', flags: [] });
  });
});
