// Passkeys in verification sessions: created at enrollment, required at sign-in, bound to the person.

import type { LogEntry } from '@limen/plan';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { describe, expect, it } from 'vitest';
import { type Authenticator, createAuthenticator } from '#testing/authenticator.ts';
import {
  type Capture,
  capture,
  enrollWithPasskey,
  newFace,
  newVerificationHost,
  PAGE_ORIGIN,
  sameFace,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';

const room = useVerificationApp();
const WITH_PASSKEY = { requirements: ['face', 'passkey'] };

async function create(session: Capture, authenticator: Authenticator) {
  const { body } = await session.passkeyOptions();
  return authenticator.create(body.publicKey as unknown as PublicKeyCredentialCreationOptionsJSON);
}

async function get(session: Capture, authenticator: Authenticator) {
  const { body } = await session.passkeyOptions();
  return authenticator.get(body.publicKey as unknown as PublicKeyCredentialRequestOptionsJSON);
}

async function signIn(host: VerificationHost, type = 'SIGN-IN', more: object = {}) {
  const session = await capture(room, await host.start(type, { ...WITH_PASSKEY, ...more }));
  await session.reach('passkey');
  return session;
}

describe('a passkey', () => {
  it('is created at enrollment and used at sign-in, which then is no new device', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const { authenticator, puid } = await enrollWithPasskey(room, host, face);
    const session = await signIn(host);
    const response = await get(session, authenticator);
    expect((await session.passkey(response)).body.outcome).toBe('accepted');
    // The identical call, after a lost reply.
    expect((await session.passkey(response)).body).toEqual({ outcome: 'accepted', triesLeft: 2 });
    await session.reach('token');
    expect((await session.show(sameFace(face))).body.outcome).toBe('matched');
    await session.answer();
    expect((await host.result(session.id)).body).toMatchObject({
      status: 'SUCCESS',
      puid,
      riskEvaluation: { recommendation: 'ALLOW', flags: [] },
    });
  });

  it('of another person does not match this face', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    await enrollWithPasskey(room, host, face);
    const other = await enrollWithPasskey(room, host, newFace());
    const session = await signIn(host);
    expect((await session.passkey(await get(session, other.authenticator))).body.outcome).toBe('accepted');
    await session.reach('token');
    expect((await session.show(sameFace(face))).body.outcome).toBe('not_recognized');
    await session.answer();
    expect((await host.result(session.id)).body).toMatchObject({ status: 'FAILED', errorCodes: [153] });
  });

  it('of another person is refused by VERIFY immediately', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const { puid } = await enrollWithPasskey(room, host, face);
    const other = await enrollWithPasskey(room, host, newFace());
    const session = await signIn(host, 'VERIFY', { userId: puid });
    expect((await session.passkey(await get(session, other.authenticator))).body).toEqual({
      outcome: 'refused',
      triesLeft: 2,
    });
    await session.reach('token');
    expect((await session.show(sameFace(face))).body.outcome).toBe('matched');
    await session.answer();
    expect((await host.result(session.id)).body).toMatchObject({ status: 'FAILED', errorCodes: [154] });
  });

  it('fails the session if requested and missing; an enrollment then enrolls no one', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const session = await capture(room, await host.start('ENROLL', WITH_PASSKEY));
    await session.reach('token');
    await session.show(face);
    await session.reach('passkey');
    await session.answer();
    expect((await host.result(session.id)).body).toMatchObject({ status: 'FAILED', errors: [{ code: 154 }] });
    const { authenticator } = await enrollWithPasskey(room, host, newFace());
    const after = await signIn(host);
    await after.passkey(await get(after, authenticator));
    await after.reach('token');
    expect((await after.show(sameFace(face))).body.outcome).toBe('not_recognized');
  });

  it('has at most three attempts, and none with an old challenge', async () => {
    const host = await newVerificationHost(room);
    const { authenticator } = await enrollWithPasskey(room, host, newFace());
    const [first, second] = [await signIn(host), await signIn(host)];
    const foreign = await get(first, authenticator);
    expect((await first.passkey(foreign)).body.outcome).toBe('accepted');
    await second.passkeyOptions();
    expect((await second.passkey(foreign)).body).toEqual({ outcome: 'refused', triesLeft: 2 });
    expect((await second.passkey({ id: 'nonsense' })).body).toEqual({ outcome: 'refused', triesLeft: 1 });
    const stale = await get(second, authenticator);
    await second.passkeyOptions();
    expect((await second.passkey(stale)).body).toEqual({ outcome: 'refused', triesLeft: 0 });
    expect((await second.passkey(await get(second, authenticator))).body).toEqual({ outcome: 'refused', triesLeft: 0 });
  });

  it('is not created before an enrollment', async () => {
    const host = await newVerificationHost(room);
    const session = await capture(room, await host.start('ENROLL', WITH_PASSKEY));
    await session.reach('passkey');
    expect(await session.passkeyOptions()).toMatchObject({ status: 403, error: 'forbidden' });
  });

  it('of a deleted person no longer works', async () => {
    const host = await newVerificationHost(room);
    const { authenticator, puid } = await enrollWithPasskey(room, host, newFace());
    await host.deletePerson(puid);
    const session = await signIn(host);
    expect((await session.passkey(await get(session, authenticator))).body.outcome).toBe('refused');
  });

  it('for one face is not stored for another face shown later', async () => {
    const host = await newVerificationHost(room);
    const [mine, theirs] = [newFace(), newFace()];
    const victim = await enrollWithPasskey(room, host, theirs);
    const authenticator = createAuthenticator(PAGE_ORIGIN);
    const session = await capture(room, await host.start('ENROLL', WITH_PASSKEY));
    await session.reach('token');
    await session.show(mine);
    await session.reach('passkey');
    await session.passkey(await create(session, authenticator));
    const stale = await create(session, createAuthenticator(PAGE_ORIGIN));
    const { log, back } = await goBack(session);
    expect((await session.show(sameFace(theirs))).body.outcome).toBe('enrolled');
    await back();
    expect((await session.passkey(stale)).body.outcome).toBe('refused'); // its options were for the first face
    await session.answer({ log });
    expect((await host.result(session.id)).body).toMatchObject({ status: 'FAILED', errors: [{ code: 154 }] });
    const verify = await signIn(host, 'VERIFY', { userId: victim.puid });
    expect((await verify.passkey(await get(verify, authenticator))).body.outcome).toBe('refused');
  });

  it('answers its options once', async () => {
    const host = await newVerificationHost(room);
    const { authenticator } = await enrollWithPasskey(room, host, newFace());
    const session = await signIn(host);
    const { publicKey } = (await session.passkeyOptions()).body;
    const options = publicKey as unknown as PublicKeyCredentialRequestOptionsJSON;
    const [first, second] = [authenticator.get(options), authenticator.get(options)];
    expect((await session.passkey(first)).body).toEqual({ outcome: 'accepted', triesLeft: 2 });
    expect((await session.passkey(second)).body).toEqual({ outcome: 'refused', triesLeft: 1 });
    // Repeated after new options, it still answers the old ones.
    const third = authenticator.get(options);
    await session.passkeyOptions();
    expect((await session.passkey(third)).body).toEqual({ outcome: 'refused', triesLeft: 0 });
  });

  it('shows the requester and no persistent name', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    const users = [];
    for (const shown of [face, sameFace(face)]) {
      const session = await capture(room, await host.start('ENROLL', WITH_PASSKEY));
      await session.reach('token');
      await session.show(shown);
      await session.reach('passkey');
      const { user } = (await session.passkeyOptions()).body.publicKey as { user: { id: string; name: string } };
      expect(user.name).toBe('Face sign-in, Wine shop');
      users.push(user.id);
      await session.answer();
    }
    expect(users[0]).not.toBe(users[1]);
  });
});

/** Reports a second attempt at the token step, then the passkey step again. */
async function goBack({ id, device, plan, log }: Capture) {
  const token = plan.steps.findIndex(({ step }) => step === 'token');
  const until = log.findIndex(([event, step]) => event === 'started' && step === token + 1) + 1;
  const at = log[until - 1]![2];
  const again: LogEntry[] = [
    ['retried', token, at + 1],
    ['finished', token, at + 2],
    ['started', token + 1, at + 3],
  ];
  await device.report(id, until, again.slice(0, 1));
  return {
    back: () => device.report(id, until + 1, again.slice(1)),
    log: [...log.slice(0, until), ...again, ['finished', token + 1, at + 4]],
  };
}
