// Verification sessions over HTTP with real tokens: enroll, sign in, verify, delete.
import { describe, expect, it } from 'vitest';
import {
  capture,
  enroll,
  newFace,
  newPersonKey,
  newVerificationHost,
  sameFace,
  useVerificationApp,
} from '#testing/sessions/verification-app.ts';

const room = useVerificationApp({ LOCAL_SIGN_INS: '3' });

describe('a person', () => {
  it('enrolls, signs in through the service, then locally, verifies, and is unknown once deleted', async () => {
    const host = await newVerificationHost(room);
    const [face, key] = [newFace(), await newPersonKey()];
    const { puid, guid, deviceId } = await enroll(room, host, face, key);

    const signIn = await capture(room, await host.start('SIGN-IN'));
    await signIn.reach('token');
    expect((await signIn.show(sameFace(face))).body).toEqual({ outcome: 'matched', triesLeft: 2 });
    expect((await signIn.answer()).body).toMatchObject({
      state: 'completed',
      end: { flowStatus: 'COMPLETED', errors: [], redirectUrl: 'https://shop.example/done' },
    });
    expect((await host.result(signIn.id)).body).toMatchObject({
      type: 'SIGN-IN',
      status: 'SUCCESS',
      message: 'Sign-in successful',
      puid,
      guid,
      riskEvaluation: { recommendation: 'REVIEW', flags: ['NEW_DEVICE'], signals: { behavioral: null } },
    });

    const local = await capture(room, await host.start('SIGN-IN'));
    await local.reach('token');
    expect((await local.local(deviceId!, key)).body).toEqual({ outcome: 'matched' });
    await local.answer();
    expect((await host.result(local.id)).body).toMatchObject({
      status: 'SUCCESS',
      puid,
      riskEvaluation: { recommendation: 'ALLOW', flags: [] },
    });

    const right = await capture(room, await host.start('VERIFY', { userId: puid }));
    await right.reach('token');
    expect((await right.show(sameFace(face))).body.outcome).toBe('matched');
    await right.answer();
    expect((await host.result(right.id)).body).toMatchObject({ status: 'SUCCESS', puid });

    const other = await enroll(room, host, newFace());
    const wrong = await capture(room, await host.start('VERIFY', { userId: other.puid }));
    await wrong.reach('token');
    expect((await wrong.show(sameFace(face))).body).toEqual({ outcome: 'not_recognized', triesLeft: 2 });
    await wrong.answer();
    expect((await host.result(wrong.id)).body).toMatchObject({ status: 'FAILED', errorCodes: [153] });

    expect(await host.deletePerson(puid)).toBe(200);
    expect((await host.result(local.id)).status).toBe(404); // their results are deleted with them
    const after = await capture(room, await host.start('SIGN-IN'));
    await after.reach('token');
    expect((await after.local(deviceId!, key)).body).toEqual({ outcome: 'refused' });
    expect((await after.show(sameFace(face))).body.outcome).toBe('not_recognized');
    await after.answer();
    expect((await host.result(after.id)).body).toMatchObject({ status: 'FAILED', errorCodes: [153] });
    const gone = await capture(room, await host.start('VERIFY', { userId: puid }));
    await gone.reach('token');
    expect((await gone.show(sameFace(face))).body.outcome).toBe('not_recognized');
  });

  it('stays one person after a second enrollment, which reports it', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const first = await enroll(room, host, face);
    expect(first.result).toMatchObject({ message: 'Enrollment successful', riskEvaluation: { flags: [] } });
    const second = await enroll(room, host, sameFace(face));
    expect(second.puid).toBe(first.puid);
    // An unknown device was just added to theirs.
    expect(second.result).toMatchObject({
      message: 'User already enrolled',
      riskEvaluation: { flags: ['NEW_DEVICE'], recommendation: 'REVIEW' },
    });
    expect((await enroll(room, host, newFace())).puid).not.toBe(first.puid);
  });

  it('of one customer is unknown to another', async () => {
    const [host, stranger] = [await newVerificationHost(room), await newVerificationHost(room)];
    const [face, key] = [newFace(), await newPersonKey()];
    const { puid, deviceId } = await enroll(room, host, face, key);
    const signIn = await capture(room, await stranger.start('SIGN-IN'));
    await signIn.reach('token');
    expect((await signIn.show(sameFace(face))).body.outcome).toBe('not_recognized');
    expect((await signIn.local(deviceId!, key)).body.outcome).toBe('refused');
    const verify = await capture(room, await stranger.start('VERIFY', { userId: puid }));
    await verify.reach('token');
    expect((await verify.show(sameFace(face))).body.outcome).toBe('not_recognized');
    expect((await stranger.result(signIn.id)).body.status).toBe('PENDING');
    expect((await host.result(signIn.id)).status).toBe(404);
  });
});

describe('a known device', () => {
  it("compares locally until the service's turn, which resets the allowance", async () => {
    const host = await newVerificationHost(room);
    const [face, key] = [newFace(), await newPersonKey()];
    const { deviceId } = await enroll(room, host, face, key);
    const signInLocally = async () => {
      const session = await capture(room, await host.start('SIGN-IN'));
      await session.reach('token');
      const { outcome } = (await session.local(deviceId!, key)).body;
      if (outcome === 'matched') await session.answer();
      return { session, outcome };
    };
    expect((await signInLocally()).outcome).toBe('matched');
    expect((await signInLocally()).outcome).toBe('matched');
    const { session, outcome } = await signInLocally();
    expect(outcome).toBe('server_required');
    await session.show(sameFace(face));
    await session.answer();
    // It signed as known before the service compared, so it is no new device.
    expect((await host.result(session.id)).body).toMatchObject({
      status: 'SUCCESS',
      riskEvaluation: { recommendation: 'ALLOW', flags: [] },
    });
    expect((await signInLocally()).outcome).toBe('matched');
  });

  it('counts a repeated call once', async () => {
    const host = await newVerificationHost(room);
    const key = await newPersonKey();
    const { deviceId } = await enroll(room, host, newFace(), key);
    const session = await capture(room, await host.start('SIGN-IN'));
    await session.reach('token');
    for (let again = 0; again < 4; again += 1) {
      expect((await session.local(deviceId!, key)).body.outcome).toBe('matched');
    }
  });

  it('is created by a sign-in through the service, and known only after that succeeded', async () => {
    const host = await newVerificationHost(room);
    const [face, key] = [newFace(), await newPersonKey()];
    await enroll(room, host, face);
    const first = await capture(room, await host.start('SIGN-IN'));
    await first.reach('token');
    const { deviceId } = (await first.show(sameFace(face), key)).body;
    const early = await capture(room, await host.start('SIGN-IN'));
    await early.reach('token');
    expect((await early.local(deviceId!, key)).body.outcome).toBe('refused');
    await first.answer();
    expect((await early.local(deviceId!, key)).body.outcome).toBe('matched');
  });

  it('must show the face if its browser is suspicious', async () => {
    const host = await newVerificationHost(room);
    const key = await newPersonKey();
    const { deviceId } = await enroll(room, host, newFace(), key);
    const session = await capture(room, await host.start('SIGN-IN'));
    await session.reach('token');
    const seen = (headless: string[]) => ({ indicators: { headless, virtualCamera: [], browserAnomalies: [] } });
    expect((await session.local(deviceId!, key, seen(['webdriver']))).body.outcome).toBe('server_required');
    expect((await session.local(deviceId!, key, seen(['deviceMemory']))).body.outcome).toBe('matched');
    expect((await session.local(deviceId!, key, seen(['nonsense']))).status).toBe(400);
  });

  it('can forget itself, and no other device', async () => {
    const host = await newVerificationHost(room);
    const [key, other] = [await newPersonKey(), await newPersonKey()];
    const { deviceId } = await enroll(room, host, newFace(), key);
    const session = await capture(room, await host.start('SIGN-IN'));
    expect((await session.forget(deviceId!, other)).status).toBe(403);
    await session.reach('token');
    expect((await session.local(deviceId!, key)).body.outcome).toBe('matched');
    expect(await session.forget(deviceId!, key)).toMatchObject({ status: 200, body: {} });
    expect((await session.local(deviceId!, key)).body.outcome).toBe('refused');
    // The sign-in that it vouched for becomes void.
    await session.answer();
    expect((await host.result(session.id)).body).toMatchObject({ status: 'FAILED', errorCodes: [153] });
  });

  it('speaks only for its own person and signs only for its own session', async () => {
    const host = await newVerificationHost(room);
    const key = await newPersonKey();
    const { deviceId } = await enroll(room, host, newFace(), key);
    const { puid } = await enroll(room, host, newFace());
    const verify = await capture(room, await host.start('VERIFY', { userId: puid }));
    await verify.reach('token');
    expect((await verify.local(deviceId!, key)).body.outcome).toBe('refused');
    expect((await verify.local(deviceId!, await newPersonKey())).body.outcome).toBe('refused');
    const enrollment = await capture(room, await host.start('ENROLL'));
    await enrollment.reach('token');
    expect((await enrollment.local(deviceId!, key)).body.outcome).toBe('refused');
  });
});
