// Success requires the right calls in the right steps of the answered plan.
import type { LogEntry } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import {
  type Capture,
  capture,
  enroll,
  newAddress,
  newFace,
  newPersonKey,
  newVerificationHost,
  type ReadyChallenge,
  sameFace,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';

const room = useVerificationApp();
const DOCUMENT = { type: 'passport', country: 'NLD', verifiedAt: '2026-01-01T00:00:00Z', signs: [] };

async function begin(host: VerificationHost, type: string, more: object = {}): Promise<Capture> {
  const session = await capture(room, await host.start(type, more));
  await session.reach('token');
  return session;
}

async function expectEnd(host: VerificationHost, { id }: Capture, status: string, codes: number[]): Promise<void> {
  const { body } = await host.result(id);
  expect({ status: body.status, codes: body.errors?.map(({ code }) => code) }).toEqual({ status, codes });
}

async function readyChallenge(session: Capture): Promise<ReadyChallenge> {
  const { body } = await session.challenge();
  if (body.outcome !== 'ready') throw new Error('there is no challenge');
  return body;
}

async function countPeople(): Promise<number> {
  return (await room.app.database.queries.selectFrom('people').select('id').execute()).length;
}

describe('a verification session', () => {
  it('fails if its answer comes without a face sent to the service', async () => {
    const host = await newVerificationHost(room);
    for (const [type, code] of [
      ['ENROLL', 152],
      ['SIGN-IN', 153],
    ] as const) {
      const session = await begin(host, type);
      expect((await session.answer()).body.end).toEqual({ flowStatus: 'COMPLETED', errors: [code] });
      await expectEnd(host, session, 'FAILED', [code]);
    }
  });

  it('fails for a spoof, even of a recognized person, and enrolls no one', async () => {
    const host = await newVerificationHost(room);
    const before = await countPeople();
    const session = await begin(host, 'ENROLL');
    await session.show(newFace(), await newPersonKey());
    expect(await countPeople()).toBe(before + 1);
    const reported = session.log.slice(
      0,
      session.log.findIndex(([event, step]) => event === 'started' && step === 1) + 1,
    );
    const log: LogEntry[] = [...reported, ['retried', 0, 20_000]];
    expect((await session.answer({ face: { spoof: true }, log })).status).toBe(200);
    await expectEnd(host, session, 'FAILED', [1]);
    expect(await countPeople()).toBe(before);
    expect(await room.app.database.queries.selectFrom('person_devices').selectAll().execute()).toEqual([]);
  });

  it('leaves no one behind if canceled', async () => {
    const host = await newVerificationHost(room);
    const before = await countPeople();
    const cancelled = await begin(host, 'ENROLL');
    await cancelled.show(newFace());
    await cancelled.device.cancel(cancelled.id);
    await expectEnd(host, cancelled, 'CANCELLED', []);
    const expired = await begin(host, 'ENROLL', { sessionExpiry: 60 });
    await expired.show(newFace());
    room.clock.advance(60_000);
    await expectEnd(host, expired, 'EXPIRED', [-8]);
    expect(await countPeople()).toBe(before);
  });

  it('fails if the document shows another person or no face', async () => {
    const host = await newVerificationHost(room);
    const before = await countPeople();
    for (const matchScore of [0.41, null]) {
      const session = await begin(host, 'ENROLL', { requirements: ['face', 'identity_document'] });
      await session.show(newFace());
      await session.answer({ document: { ...DOCUMENT, matchScore } });
      await expectEnd(host, session, 'FAILED', [-9]);
    }
    expect(await countPeople()).toBe(before);
    const session = await begin(host, 'ENROLL', { requirements: ['face', 'identity_document'] });
    await session.show(newFace());
    const verifiedAt = `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`;
    await session.answer({ document: { ...DOCUMENT, matchScore: 0.42, verifiedAt } });
    await expectEnd(host, session, 'SUCCESS', []);
    expect((await host.result(session.id)).body.identityInformation).toEqual({
      documentType: 'passport',
      verificationDate: String(Date.parse(verifiedAt)),
    });
  });

  it('returns exactly the captured data', async () => {
    const host = await newVerificationHost(room);
    const session = await begin(host, 'ENROLL', { contact: ['email', 'phone'], estimateAge: true });
    await session.show(newFace());
    const face = { spoof: false, estimate: 31.5, lowerBound: 27 };
    await session.answer({ face, contact: { email: 'ann@example.org' } });
    expect((await host.result(session.id)).body).toMatchObject({
      status: 'SUCCESS',
      contactInformation: { email: 'ann@example.org' },
      estimatedAge: 31.5,
    });
  });

  it.each<[string, object, object]>([
    ['an age that nobody asked for', {}, { face: { spoof: false, estimate: 30, lowerBound: 25 } }],
    ['no age where it was asked for', { estimateAge: true }, { face: { spoof: false } }],
    ['contact that nobody asked for', { contact: ['email'] }, { contact: { phone: '+31 20 123' } }],
    ['an address that is none', { contact: ['email'] }, { contact: { email: 'nobody' } }],
    ['a document that nobody asked for', {}, { document: { ...DOCUMENT, matchScore: 0.9 } }],
  ])('ends without a decision by %s', async (_what, more, answer) => {
    const host = await newVerificationHost(room);
    const session = await begin(host, 'ENROLL', more);
    await session.show(newFace());
    expect(await session.answer(answer)).toMatchObject({ status: 422, error: 'answer_refused' });
    await expectEnd(host, session, 'CANCELLED', [-22]);
  });

  it('leaves no one behind if redacted midway', async () => {
    const host = await newVerificationHost(room);
    const before = await countPeople();
    const session = await begin(host, 'ENROLL');
    const body = await session.encrypt(newFace(), await readyChallenge(session), await newPersonKey());
    const [shown, redacted] = await Promise.all([
      session.send(body),
      host.call('DELETE', `/v2/verification-session/${session.id}`),
    ]);
    expect(redacted.status).toBe(204);
    expect([200, 404, 409]).toContain(shown.status);
    expect(await countPeople()).toBe(before);
    expect(await room.app.database.queries.selectFrom('session_evidence').selectAll().execute()).toEqual([]);
  });
});

describe('a device call', () => {
  it('is accepted only in its own step', async () => {
    const host = await newVerificationHost(room);
    const more = { requirements: ['face', 'passkey'] };
    const session = await capture(room, await host.start('SIGN-IN', more));
    for (const call of [session.challenge, session.passkeyOptions]) {
      expect(await call()).toMatchObject({ status: 409, error: 'step_not_running' });
    }
    await session.reach('passkey');
    expect(await session.challenge()).toMatchObject({ status: 409, error: 'step_not_running' });
    expect((await session.passkeyOptions()).status).toBe(200);
    await session.reach('token');
    expect(await session.passkeyOptions()).toMatchObject({ status: 409, error: 'step_not_running' });
    expect((await session.challenge()).status).toBe(200);
  });

  it('is refused from another device, and after the end', async () => {
    const host = await newVerificationHost(room);
    const session = await begin(host, 'SIGN-IN');
    const stranger = await capture(room, await host.start('SIGN-IN'));
    expect(await stranger.device.call('POST', session.id, 'token/challenge', { body: {} })).toMatchObject({
      status: 403,
      error: 'device_mismatch',
    });
    await session.device.cancel(session.id);
    expect(await session.challenge()).toMatchObject({ status: 409, error: 'session_ended' });
  });

  it('with the token may be repeated after a lost reply, and counts once', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    await enroll(room, host, face);
    const session = await begin(host, 'SIGN-IN');
    const body = await session.encrypt(sameFace(face), await readyChallenge(session));
    const first = await session.send(body);
    expect(first.body).toEqual({ outcome: 'matched', triesLeft: 2 });
    expect((await session.send(body)).body).toEqual(first.body);
  });

  it('needs its own open challenge', async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    await enroll(room, host, face);
    const session = await begin(host, 'SIGN-IN');
    const opened = await readyChallenge(session);
    const [one, two] = [await session.encrypt(face, opened), await session.encrypt(face, opened)];
    expect((await session.send(one)).body.outcome).toBe('matched');
    expect(await session.send(two)).toMatchObject({ status: 409, error: 'challenge_refused' });
    // A probe for another challenge does not fit this one.
    await readyChallenge(session);
    expect((await session.send(two)).body.outcome).toBe('not_recognized');
    // The earlier match no longer counts: the last one does.
    await session.answer();
    await expectEnd(host, session, 'FAILED', [153]);
  });

  it('with a malformed body is refused without using up an attempt', async () => {
    const host = await newVerificationHost(room);
    const session = await begin(host, 'SIGN-IN');
    const body = await session.encrypt(newFace(), await readyChallenge(session));
    for (const wrong of [
      body.subarray(1),
      Buffer.concat([body, Buffer.alloc(1)]),
      Buffer.concat([Buffer.of(2), body.subarray(1)]),
      Buffer.concat([Buffer.of(1), Buffer.alloc(65, 4), body.subarray(66)]),
    ]) {
      expect(await session.send(wrong)).toMatchObject({ status: 400, error: 'malformed_request' });
    }
    expect((await session.send(body)).body).toEqual({ outcome: 'not_recognized', triesLeft: 2 });
  });

  it('allows at most three attempts, even across a handoff', async () => {
    const host = await newVerificationHost(room);
    const first = await begin(host, 'SIGN-IN');
    expect((await first.show(newFace())).body.triesLeft).toBe(2);
    const offer = (await first.device.handoff(first.id)).body;
    const second = await capture(room, first.id, { offer });
    await second.reach('token');
    expect((await second.show(newFace())).body.triesLeft).toBe(1);
    expect((await second.show(newFace())).body.triesLeft).toBe(0);
    expect((await second.show(newFace())).body).toEqual({ outcome: 'not_recognized', triesLeft: 0 });
  });

  it('has a limited number of challenges', async () => {
    const host = await newVerificationHost(room);
    const session = await begin(host, 'SIGN-IN');
    for (let number = 0; number < 12; number += 1) await readyChallenge(session);
    expect(await session.challenge()).toMatchObject({ status: 403, error: 'forbidden' });
  });
});

describe('a handoff', () => {
  it("drops the first device's captures", async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    await enroll(room, host, face);
    const first = await begin(host, 'SIGN-IN');
    expect((await first.show(sameFace(face))).body.outcome).toBe('matched');
    const offer = (await first.device.handoff(first.id)).body;
    const second = await capture(room, first.id, { offer });
    await second.reach('token');
    await second.answer();
    await expectEnd(host, second, 'FAILED', [153]);
  });

  it('enrolls only the person shown to the second device', async () => {
    const host = await newVerificationHost(room);
    const before = await countPeople();
    const [wrong, right] = [newFace(), newFace()];
    const first = await begin(host, 'ENROLL');
    await first.show(wrong, await newPersonKey());
    const offer = (await first.device.handoff(first.id)).body;
    const second = await capture(room, first.id, { offer });
    await second.reach('token');
    await second.show(right);
    await second.answer();
    await expectEnd(host, second, 'SUCCESS', []);
    expect(await countPeople()).toBe(before + 1);
    const signIn = await begin(host, 'SIGN-IN');
    expect((await signIn.show(sameFace(wrong))).body.outcome).toBe('not_recognized');
    expect((await signIn.show(sameFace(right))).body.outcome).toBe('matched');
  });
});

describe('throttled attempts', () => {
  it('report the waiting time to device and host, even for the right face, and spare other people', async () => {
    const host = await newVerificationHost(room);
    const address = newAddress();
    const beginThere = async () => {
      const session = await capture(room, await host.start('SIGN-IN', { transactionID: 'order-1' }), { address });
      await session.reach('token');
      return session;
    };
    const late = await beginThere();
    const opened = await readyChallenge(late);
    // Twenty refusals from one address, three per session.
    let two = await beginThere();
    for (let refused = 0; refused < 20; refused += 1) {
      if (refused > 0 && refused % 3 === 0) two = await beginThere();
      expect((await two.show(newFace())).body.outcome).toBe('not_recognized');
    }
    const throttled = (await two.challenge()).body as { outcome: string; retryAfter: number };
    expect(throttled).toEqual({ outcome: 'throttled', retryAfter: expect.any(Number) });
    expect(throttled.retryAfter).toBeGreaterThan(0);
    await two.answer();
    expect((await host.result(two.id)).body).toMatchObject({
      status: 'FAILED',
      errorCodes: [153],
      retryAfter: throttled.retryAfter,
    });
    // An open challenge is stopped too, without using up an attempt.
    expect((await late.send(await late.encrypt(newFace(), opened))).body).toEqual({
      outcome: 'throttled',
      retryAfter: expect.any(Number),
      triesLeft: 3,
    });
    expect((await (await begin(host, 'SIGN-IN')).challenge()).body.outcome).toBe('ready');
  });
});
