// A face alone opens no second way in without a face, until something stronger vouches for it.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { describe, expect, it } from 'vitest';
import { type Authenticator, createAuthenticator } from '#testing/authenticator.ts';
import {
  type Capture,
  capture,
  enroll,
  type Face,
  newFace,
  newPersonKey,
  newVerificationHost,
  PAGE_ORIGIN,
  type PersonKey,
  sameFace,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';

const room = useVerificationApp({ LOCAL_SIGN_INS: '3' });
const WITH_PASSKEY = { requirements: ['face', 'passkey'] };
const REVIEW = { recommendation: 'REVIEW', flags: ['NEW_DEVICE'] };
const ALLOW = { recommendation: 'ALLOW', flags: [] };

async function begin(host: VerificationHost, type: string, more: object = {}): Promise<Capture> {
  const session = await capture(room, await host.start(type, more));
  await session.reach('token');
  return session;
}

async function finish(host: VerificationHost, session: Capture) {
  await session.answer();
  return (await host.result(session.id)).body;
}

async function signInByFace(host: VerificationHost, face: Face, key?: PersonKey) {
  const session = await begin(host, 'SIGN-IN');
  const { deviceId } = (await session.show(sameFace(face), key)).body;
  return { session, deviceId: deviceId!, result: await finish(host, session) };
}

async function signInLocally(host: VerificationHost, deviceId: string, key: PersonKey) {
  const session = await begin(host, 'SIGN-IN');
  const { outcome } = (await session.local(deviceId, key)).body;
  return { session, outcome, result: await finish(host, session) };
}

async function enrollWithPasskey(host: VerificationHost, face: Face, authenticator: Authenticator) {
  const session = await begin(host, 'ENROLL', WITH_PASSKEY);
  await session.show(face);
  await session.reach('passkey');
  const { publicKey } = (await session.passkeyOptions()).body;
  await session.passkey(authenticator.create(publicKey as unknown as PublicKeyCredentialCreationOptionsJSON));
  return { session, result: await finish(host, session) };
}

async function usePasskey(host: VerificationHost, face: Face, authenticator: Authenticator, key?: PersonKey) {
  const session = await capture(room, await host.start('SIGN-IN', WITH_PASSKEY));
  await session.reach('passkey');
  const { publicKey } = (await session.passkeyOptions()).body;
  await session.passkey(authenticator.get(publicKey as unknown as PublicKeyCredentialRequestOptionsJSON));
  await session.reach('token');
  const { deviceId } = (await session.show(sameFace(face), key)).body;
  return { session, deviceId: deviceId!, result: await finish(host, session) };
}

describe('a device bound by a face alone', () => {
  it('stays new, however often it signs in and the service compares', async () => {
    const host = await newVerificationHost(room);
    const [face, thief] = [newFace(), await newPersonKey()];
    const { puid } = await enroll(room, host, face, await newPersonKey());
    const { deviceId, result } = await signInByFace(host, face, thief);
    expect(result.riskEvaluation).toMatchObject(REVIEW);
    for (const outcome of ['matched', 'matched', 'server_required']) {
      const session = await begin(host, 'SIGN-IN');
      expect((await session.local(deviceId, thief)).body).toEqual({ outcome });
      if (outcome === 'server_required') await session.show(sameFace(face));
      expect(await finish(host, session)).toMatchObject({ puid, riskEvaluation: REVIEW });
    }
  });

  it('binds no device stronger than itself', async () => {
    const host = await newVerificationHost(room);
    const [face, thief, second] = [newFace(), await newPersonKey(), await newPersonKey()];
    await enroll(room, host, face);
    const first = await signInByFace(host, face, thief);
    const session = await begin(host, 'SIGN-IN');
    await session.local(first.deviceId, thief);
    const { deviceId } = (await session.show(sameFace(face), second)).body;
    await finish(host, session);
    expect((await signInLocally(host, deviceId!, second)).result.riskEvaluation).toMatchObject(REVIEW);
  });

  it('is fully trusted after a review by the host, as are devices bound then', async () => {
    const host = await newVerificationHost(room);
    const [face, key, next] = [newFace(), await newPersonKey(), await newPersonKey()];
    await enroll(room, host, face);
    const { session, deviceId } = await signInByFace(host, face, key);
    expect((await host.trustDevice(session.id)).status).toBe(204);
    expect((await host.trustDevice(session.id)).status).toBe(204);
    expect((await signInLocally(host, deviceId, key)).result.riskEvaluation).toMatchObject(ALLOW);
    const both = await begin(host, 'SIGN-IN');
    await both.local(deviceId, key);
    const bound = (await both.show(sameFace(face), next)).body.deviceId!;
    expect((await finish(host, both)).riskEvaluation).toMatchObject(ALLOW);
    expect((await signInLocally(host, bound, next)).result.riskEvaluation).toMatchObject(ALLOW);
    const result = (await host.result(session.id)).text;
    expect(result).not.toContain(deviceId);
    expect(result).not.toContain('trust');
  });

  it('is fully trusted after a trusted sign-in on it', async () => {
    const host = await newVerificationHost(room);
    const [face, key] = [newFace(), await newPersonKey()];
    await enroll(room, host, face);
    const { deviceId } = await signInByFace(host, face, key);
    const { session } = await signInLocally(host, deviceId, key);
    expect((await host.trustDevice(session.id)).status).toBe(204);
    expect((await signInLocally(host, deviceId, key)).result.riskEvaluation).toMatchObject(ALLOW);
  });

  it("is vouched for by the person's passkey in the same session", async () => {
    const host = await newVerificationHost(room);
    const [face, authenticator, key] = [newFace(), createAuthenticator(PAGE_ORIGIN), await newPersonKey()];
    await enrollWithPasskey(host, face, authenticator);
    const { deviceId, result } = await usePasskey(host, face, authenticator, key);
    expect(result.riskEvaluation).toMatchObject(ALLOW);
    expect((await signInLocally(host, deviceId, key)).result.riskEvaluation).toMatchObject(ALLOW);
  });
});

describe('a trust call', () => {
  it("requires the owner's successful session with something to trust", async () => {
    const [host, stranger] = [await newVerificationHost(room), await newVerificationHost(room)];
    const [face, key] = [newFace(), await newPersonKey()];
    const nothing = { status: 409, headers: { 'x-error-code': 'nothing_to_trust' } };
    expect((await host.trustDevice('unknown')).status).toBe(404);
    await enroll(room, host, face);
    const open = await begin(host, 'SIGN-IN');
    expect(await host.trustDevice(open.id)).toMatchObject(nothing);
    await open.show(newFace(), key);
    await finish(host, open);
    expect(await host.trustDevice(open.id)).toMatchObject(nothing);
    const { session: bare } = await signInByFace(host, face);
    expect(await host.trustDevice(bare.id)).toMatchObject(nothing);
    const simulated = await host.start('SIGN-IN');
    await host.call('POST', `/v2/verification-session/${simulated}/simulate`, { outcome: 'success' });
    expect(await host.trustDevice(simulated)).toMatchObject(nothing);
    const { session, deviceId } = await signInByFace(host, face, key);
    expect((await stranger.trustDevice(session.id)).status).toBe(404);
    const forgetting = await begin(host, 'SIGN-IN');
    expect((await forgetting.forget(deviceId, key)).status).toBe(200);
    expect(await host.trustDevice(session.id)).toMatchObject(nothing);
  });
});

describe('an impostor who enrolled with a photograph first', () => {
  it("cannot sign in anymore once the host has reviewed the owner's device", async () => {
    const host = await newVerificationHost(room);
    const [face, thief, owner] = [newFace(), await newPersonKey(), await newPersonKey()];
    const stolen = await enroll(room, host, face, thief);
    expect((await signInLocally(host, stolen.deviceId!, thief)).result.riskEvaluation).toMatchObject(ALLOW);
    const session = await begin(host, 'ENROLL');
    const { deviceId } = (await session.show(sameFace(face), owner)).body;
    expect(await finish(host, session)).toMatchObject({ puid: stolen.puid, riskEvaluation: REVIEW });
    expect((await host.trustDevice(session.id)).status).toBe(204);
    expect((await signInLocally(host, deviceId!, owner)).result.riskEvaluation).toMatchObject(ALLOW);
    expect((await signInLocally(host, stolen.deviceId!, thief)).result.riskEvaluation).toMatchObject(REVIEW);
  });
});

describe('an enrollment of a known face', () => {
  it('hands nothing over: its passkey and device are worth no more than the face', async () => {
    const host = await newVerificationHost(room);
    const [face, owner, thief] = [newFace(), createAuthenticator(PAGE_ORIGIN), createAuthenticator(PAGE_ORIGIN)];
    const first = await enrollWithPasskey(host, face, owner);
    expect(first.result.riskEvaluation).toMatchObject(ALLOW);
    const second = await enrollWithPasskey(host, sameFace(face), thief);
    expect(second.result).toMatchObject({
      puid: first.result.puid,
      message: 'User already enrolled',
      riskEvaluation: REVIEW,
    });
    const { result } = await usePasskey(host, face, thief);
    expect(result).toMatchObject({ status: 'SUCCESS', puid: first.result.puid, riskEvaluation: REVIEW });
    expect((await usePasskey(host, face, owner)).result.riskEvaluation).toMatchObject(ALLOW);
    expect((await host.trustDevice(second.session.id)).status).toBe(204);
    expect((await usePasskey(host, face, thief)).result.riskEvaluation).toMatchObject(ALLOW);
  });

  it('is recognized even during the first enrollment, and the first once another has ended', async () => {
    for (const { order, toFirst } of [
      { order: [0, 1], toFirst: { message: 'Enrollment successful', riskEvaluation: ALLOW } },
      // The impostor who waited takes over no one.
      { order: [1, 0], toFirst: { message: 'User already enrolled', riskEvaluation: REVIEW } },
    ]) {
      const host = await newVerificationHost(room);
      const [face, keys] = [newFace(), [await newPersonKey(), await newPersonKey()]];
      const sessions = [await begin(host, 'ENROLL'), await begin(host, 'ENROLL')];
      await sessions[0]!.show(face, keys[0]);
      const { deviceId } = (await sessions[1]!.show(sameFace(face), keys[1])).body;
      for (const nth of order) await sessions[nth]!.answer();
      const [first, second] = await Promise.all(sessions.map(async ({ id }) => (await host.result(id)).body));
      expect(first).toMatchObject({ status: 'SUCCESS', ...toFirst });
      expect(second).toMatchObject({
        status: 'SUCCESS',
        message: 'User already enrolled',
        puid: first!.puid,
        riskEvaluation: REVIEW,
      });
      expect((await signInLocally(host, deviceId!, keys[1]!)).result.riskEvaluation).toMatchObject(REVIEW);
    }
  });

  it('deletes no one when it is abandoned', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const [first, second] = [await begin(host, 'ENROLL'), await begin(host, 'ENROLL')];
    await first.show(face);
    await second.show(sameFace(face));
    await second.device.cancel(second.id);
    expect(await finish(host, first)).toMatchObject({ status: 'SUCCESS', riskEvaluation: ALLOW });
    expect((await signInByFace(host, face)).result.status).toBe('SUCCESS');
  });
});

it('refuses a sign-in with a signature for forgetting a device', async () => {
  const host = await newVerificationHost(room);
  const key = await newPersonKey();
  const { deviceId } = await enroll(room, host, newFace(), key);
  const session = await begin(host, 'SIGN-IN');
  let signature = '';
  const spy: PersonKey = {
    point: key.point,
    async sign(text) {
      signature = await key.sign(text.replace(/[^\n]+$/, deviceId!));
      return signature;
    },
  };
  expect((await session.forget(crypto.randomUUID(), spy)).status).toBe(403);
  const body = { deviceId, signature };
  expect((await session.device.call('POST', session.id, 'token/local', { body })).body).toEqual({ outcome: 'refused' });
  expect((await session.device.call('POST', session.id, 'token/forget', { body })).status).toBe(200);
});
