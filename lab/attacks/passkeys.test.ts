// Attacks with passkeys over HTTP: of another person, replayed, and cloned.
//
// Wrong origins, domains and signatures are in
// apps/server/src/sessions/proofs/passkeys.sqlite.test.ts.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Authenticator, createAuthenticator } from '../../apps/server/testing/authenticator.ts';
import {
  type Capture,
  capture,
  type Face,
  newFace,
  newVerificationHost,
  PAGE_ORIGIN,
  sameFace,
  useVerificationApp,
  type VerificationHost,
} from '../../apps/server/testing/sessions/verification-app.ts';

const room = useVerificationApp();
const WITH_PASSKEY = { requirements: ['face', 'passkey'] };

interface Person {
  face: Face;
  authenticator: Authenticator;
  puid: string;
}

let host: VerificationHost;
let ann: Person;
let eve: Person;

beforeAll(async () => {
  host = await newVerificationHost(room);
  [ann, eve] = [await enroll(newFace()), await enroll(newFace())];
});

async function enroll(face: Face): Promise<Person> {
  const authenticator = createAuthenticator(PAGE_ORIGIN);
  const session = await capture(room, await host.start('ENROLL', WITH_PASSKEY));
  await session.reach('token');
  await session.show(face);
  await session.reach('passkey');
  const { body: options } = await session.passkeyOptions();
  await session.passkey(authenticator.create(options.publicKey as unknown as Parameters<Authenticator['create']>[0]));
  await session.answer();
  const { body } = await host.result(session.id);
  expect(body.status).toBe('SUCCESS');
  return { face, authenticator, puid: body.puid! };
}

async function begin(type = 'SIGN-IN', more: object = {}): Promise<Capture> {
  const session = await capture(room, await host.start(type, { ...WITH_PASSKEY, ...more }));
  await session.reach('passkey');
  return session;
}

async function assert(session: Capture, authenticator: Authenticator) {
  const { body } = await session.passkeyOptions();
  return authenticator.get(body.publicKey as unknown as Parameters<Authenticator['get']>[0]);
}

async function showFace(session: Capture, face: Face) {
  await session.reach('token');
  return (await session.show(sameFace(face))).body.outcome;
}

async function endOf(session: Capture) {
  await session.answer();
  return (await host.result(session.id)).body;
}

describe('a passkey of another person', () => {
  it('matches neither with the victim’s face nor with the thief’s for the victim', async () => {
    const session = await begin();
    expect((await session.passkey(await assert(session, eve.authenticator))).body.outcome).toBe('accepted');
    expect(await showFace(session, ann.face)).toBe('not_recognized');
    expect(await endOf(session)).toMatchObject({ status: 'FAILED', errorCodes: [153] });

    const verify = await begin('VERIFY', { userId: ann.puid });
    expect((await verify.passkey(await assert(verify, eve.authenticator))).body.outcome).toBe('refused');
    expect(await showFace(verify, eve.face)).toBe('not_recognized');
    expect((await endOf(verify)).status).toBe('FAILED');
  });

  it('is insufficient without a face', async () => {
    const session = await begin();
    expect((await session.passkey(await assert(session, ann.authenticator))).body.outcome).toBe('accepted');
    expect((await endOf(session)).status).toBe('FAILED');
  });
});

describe('a replayed assertion', () => {
  it('is refused in another session, under new options, and after its use', async () => {
    const first = await begin();
    const assertion = await assert(first, ann.authenticator);
    expect((await first.passkey(assertion)).body.outcome).toBe('accepted');
    expect(await showFace(first, ann.face)).toBe('matched');
    expect((await endOf(first)).status).toBe('SUCCESS');

    const second = await begin();
    await second.passkeyOptions();
    expect((await second.passkey(assertion)).body).toEqual({ outcome: 'refused', triesLeft: 2 });
    const stale = await assert(second, ann.authenticator);
    await second.passkeyOptions();
    expect((await second.passkey(stale)).body).toEqual({ outcome: 'refused', triesLeft: 1 });
    expect(await showFace(second, ann.face)).toBe('matched');
    expect(await endOf(second)).toMatchObject({ status: 'FAILED', errorCodes: [154] });
  });
});

describe('a cloned authenticator', () => {
  it('is refused if its counter equals the genuine one’s earlier value', async () => {
    const copy = ann.authenticator.clone();
    const genuine = await begin();
    expect((await genuine.passkey(await assert(genuine, ann.authenticator))).body.outcome).toBe('accepted');
    expect(await showFace(genuine, ann.face)).toBe('matched');
    expect((await endOf(genuine)).status).toBe('SUCCESS');

    const cloned = await begin();
    expect((await cloned.passkey(await assert(cloned, copy))).body.outcome).toBe('refused');
    expect(await showFace(cloned, ann.face)).toBe('matched');
    expect(await endOf(cloned)).toMatchObject({ status: 'FAILED', errorCodes: [154] });
  });
});
