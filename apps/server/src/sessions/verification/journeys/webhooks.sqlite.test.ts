// Webhooks and results of every ending, and images that are deleted after delivery.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VerificationFailure, VerificationWebhook } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { engine } from '#testing/database/test-database.ts';
import { capture, newFace, newVerificationHost, useVerificationApp } from '#testing/sessions/verification-app.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';

const room = useVerificationApp();
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NO_RISK = {
  score: 0,
  level: 'LOW',
  flags: [],
  signals: { behavioral: null, browser: { score: 0, flags: [] } },
};
const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(150_000, 'selfie-of-somebody')]);

async function deliver(): Promise<void> {
  while ((await room.app.jobs.runDue()) > 0);
}

/** Ends a session in test mode and returns its webhook. */
async function simulate(type: string, outcome: string, more: object = {}, wanted: object = {}) {
  const host = await newVerificationHost(room);
  const receiver = await startReceiver(() => 200);
  const id = await host.start(type, { callback: { url: receiver.url }, transactionID: 'order-1', ...more });
  const simulated = await host.call<object>('POST', `/v2/verification-session/${id}/simulate`, { outcome, ...wanted });
  await deliver();
  expect(receiver.received).toHaveLength(1);
  const webhook = JSON.parse(receiver.received[0]!.body) as VerificationWebhook | VerificationFailure;
  const { body: result } = await host.result(id);
  expect(simulated.body).toEqual(result);
  return { host, id, webhook, result };
}

describe('a success', () => {
  it('has person, group and time', async () => {
    const { id, webhook, result } = await simulate('SIGN-IN', 'success');
    expect(webhook).toEqual({
      sessionId: id,
      status: 'SUCCESS',
      transactionId: 'order-1',
      message: 'Sign-in successful',
      puid: expect.stringMatching(UUID),
      guid: expect.stringMatching(UUID),
      errors: [],
      identityInformation: { verificationDate: String(room.clock.now()) },
      riskEvaluation: { ...NO_RISK, recommendation: 'ALLOW' },
    });
    expect(result).toEqual({ ...webhook, type: 'SIGN-IN' });
  });

  it('of ENROLL has the requested document and age, and a picture that the result lacks', async () => {
    const more = { requirements: ['face', 'identity_document', 'passkey'], estimateAge: true, sendImages: true };
    const { webhook, result } = await simulate('ENROLL', 'success', more);
    const { images, ...told } = webhook as VerificationWebhook;
    expect(told).toMatchObject({
      message: 'Enrollment successful',
      estimatedAge: 30,
      identityInformation: { documentType: 'passport', verificationDate: expect.stringMatching(/^\d{13}$/) },
    });
    expect(images).toEqual([{ type: 'selfie', data: expect.stringMatching(/^\/9j\//) }]);
    expect(result).toEqual({ ...told, type: 'ENROLL' });
  });

  it('of VERIFY names the requested person', async () => {
    const { webhook } = await simulate('VERIFY', 'success', { userId: 'somebody' });
    expect(webhook).toMatchObject({ status: 'SUCCESS', puid: 'somebody', message: 'Verification successful' });
  });

  it('of SIGN-IN names the person that the host wants', async () => {
    const { webhook } = await simulate('SIGN-IN', 'success', {}, { puid: 'a-known-user' });
    expect(webhook).toMatchObject({ status: 'SUCCESS', puid: 'a-known-user', message: 'Sign-in successful' });
  });
});

describe('a failure', () => {
  it.each([
    ['SIGN-IN', 'spoof', 1, 'Image spoof'],
    ['SIGN-IN', 'not_recognized', 153, 'Face authentication failed'],
    ['VERIFY', 'not_recognized', 153, 'Face authentication failed'],
  ])('of %s by %s has exactly the failure body', async (type, outcome, code, message) => {
    const { id, webhook, result } = await simulate(type, outcome, type === 'VERIFY' ? { userId: 'x' } : {});
    expect(webhook).toEqual({
      status: 'error',
      message,
      errorCodes: [code],
      sessionId: id,
      transactionId: 'order-1',
    });
    expect(result).toMatchObject({ type, status: 'FAILED', message, errorCodes: [code], errors: [{ code, message }] });
  });

  it.each([
    ['spoof', 1, 'Image spoof'],
    ['not_recognized', 152, 'Face enrollment failed'],
  ])('of ENROLL by %s has the status FAILED and errors', async (outcome, code, message) => {
    const { id, webhook, result } = await simulate('ENROLL', outcome, { sendImages: true });
    expect(webhook).toEqual({
      sessionId: id,
      status: 'FAILED',
      transactionId: 'order-1',
      message,
      errors: [{ code, message }],
      riskEvaluation:
        outcome === 'spoof'
          ? { ...NO_RISK, score: 75, level: 'CRITICAL', recommendation: 'BLOCK', flags: ['FACE_SPOOF'] }
          : { ...NO_RISK, recommendation: 'REVIEW' },
    });
    expect(result).toEqual({ ...webhook, type: 'ENROLL' });
  });
});

describe('an ending without decision', () => {
  it.each([
    ['SIGN-IN', 'cancelled', 'CANCELLED', []],
    ['ENROLL', 'expired', 'EXPIRED', [{ code: -8, message: 'Session expired' }]],
  ])('of %s, %s, has its status', async (type, outcome, status, errors) => {
    const { webhook } = await simulate(type, outcome);
    expect(webhook).toMatchObject({ status, errors, riskEvaluation: { recommendation: 'REVIEW' } });
    expect(webhook).not.toHaveProperty('puid');
  });

  it('comes by timer at expiry', async () => {
    const host = await newVerificationHost(room);
    const receiver = await startReceiver(() => 200);
    const id = await host.start('SIGN-IN', { callback: { url: receiver.url }, sessionExpiry: 30 });
    room.clock.advance(30_000);
    expect((await host.result(id)).body).toMatchObject({ status: 'EXPIRED', errors: [{ code: -8 }] });
    await deliver();
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ sessionId: id, status: 'EXPIRED' });
    expect(JSON.parse(receiver.received[0]!.body)).not.toHaveProperty('transactionId');
  });

  it.each([
    [-7, 'CANCELLED', 'Camera failure'],
    [153, 'FAILED', 'Face authentication failed'],
    [154, 'FAILED', 'Passkey was not accepted'],
  ])('or a failure, for a device error %d', async (code, status, message) => {
    const host = await newVerificationHost(room);
    const { device, id, reach } = await capture(room, await host.start('SIGN-IN'));
    await reach('token');
    const { body } = await device.cancel(id, code);
    expect(body.end).toEqual({ flowStatus: status === 'FAILED' ? 'COMPLETED' : 'CANCELLED', errors: [code] });
    expect((await host.result(id)).body).toMatchObject({ status, message, errors: [{ code, message }] });
  });
});

it('reports no failure before the first step, because nothing was attempted', async () => {
  const host = await newVerificationHost(room);
  const { device, id } = await capture(room, await host.start('SIGN-IN'));
  expect((await device.cancel(id, 153)).body.end).toEqual({ flowStatus: 'CANCELLED', errors: [] });
  expect((await host.result(id)).body).toMatchObject({ status: 'CANCELLED', message: 'The session was cancelled' });
});

describe('test mode', () => {
  it('requires an open session and a test key', async () => {
    const host = await newVerificationHost(room);
    const simulateOf = (of: typeof host, id: string, body: object) =>
      of.call<object>('POST', `/v2/verification-session/${id}/simulate`, body);
    const id = await host.start('ENROLL');
    expect((await simulateOf(host, id, { outcome: 'nonsense' })).status).toBe(400);
    const wrong = await simulateOf(host, id, { outcome: 'success', puid: 'somebody' });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'body.puid' }] } });
    expect((await simulateOf(host, id, { outcome: 'success' })).status).toBe(200);
    expect((await simulateOf(host, id, { outcome: 'success' })).status).toBe(409);
    const live = await newVerificationHost(room, 'live');
    expect((await simulateOf(live, await live.start('ENROLL'), { outcome: 'success' })).status).toBe(403);
  });

  it('enrolls no one', async () => {
    const { host, result } = await simulate('ENROLL', 'success');
    expect(await host.deletePerson(result.puid!)).toBe(400);
  });
});

describe('the selfie', () => {
  async function enrollWithSelfie(answers: number[], sendImages = true) {
    const host = await newVerificationHost(room);
    const receiver = await startReceiver((nth) => answers[nth - 1] ?? 200);
    const id = await host.start('ENROLL', { callback: { url: receiver.url }, sendImages });
    const session = await capture(room, id);
    await session.reach('token');
    await session.show(newFace());
    return { host, receiver, session, id };
  }

  it('is in the webhook until delivery, and nowhere afterward', async () => {
    const { host, receiver, session, id } = await enrollWithSelfie([503, 200, 200]);
    expect(await session.selfie(JPEG)).toMatchObject({ status: 200, body: {} });
    await session.answer();
    await deliver();
    const before = await readSealed();
    room.clock.advance(6_000);
    await deliver();
    const [first, second] = receiver.received.map(({ body }) => JSON.parse(body) as VerificationWebhook);
    expect(first?.images).toEqual([{ type: 'selfie', data: JPEG.toString('base64') }]);
    expect(second).toEqual(first);
    expect((await host.result(id)).text).not.toContain('images');

    const { body } = await host.call<{ deliveries: { id: string }[] }>('GET', `/v2/webhook-deliveries?sessionId=${id}`);
    await host.call('POST', `/v2/webhook-deliveries/${body.deliveries[0]!.id}/resend`);
    await deliver();
    const { images: _, ...lasting } = first!;
    expect(JSON.parse(receiver.received[2]!.body)).toEqual(lasting);
    await room.app.database.checkpoint();
    for (const piece of before) expect(await isLeft(piece)).toBe(false);
    expect(room.app.logged()).not.toContain(JPEG.toString('base64', 0, 60));
  });

  it('is deleted when the webhook is abandoned', async () => {
    const { host, receiver, session, id } = await enrollWithSelfie([410, 200]);
    await session.selfie(JPEG);
    await session.answer();
    await deliver();
    const { body } = await host.call<{ deliveries: { id: string; state: string }[] }>(
      ...(['GET', `/v2/webhook-deliveries?sessionId=${id}`] as const),
    );
    expect(body.deliveries[0]?.state).toBe('dead');
    expect(await readSealed()).toEqual([]);
    await host.call('POST', `/v2/webhook-deliveries/${body.deliveries[0]!.id}/resend`);
    await deliver();
    const [first, again] = receiver.received.map((request) => JSON.parse(request.body) as VerificationWebhook);
    const { images, ...lasting } = first!;
    expect(images).toHaveLength(1);
    expect(again).toEqual(lasting);
  });

  it('is accepted three times per session, and the last one counts', async () => {
    const { receiver, session } = await enrollWithSelfie([200]);
    const others = [Buffer.concat([JPEG, Buffer.of(1)]), Buffer.concat([JPEG, Buffer.of(2)])];
    for (const jpeg of [JPEG, ...others]) expect((await session.selfie(jpeg)).status).toBe(200);
    expect(await session.selfie(JPEG)).toMatchObject({ status: 403, error: 'forbidden' });
    await session.answer();
    await deliver();
    const { images } = JSON.parse(receiver.received[0]!.body) as VerificationWebhook;
    expect(images?.[0]?.data).toBe(others[1]!.toString('base64'));
  });

  it('before a handoff does not replace the one after it', async () => {
    const { receiver, session } = await enrollWithSelfie([200]);
    await session.selfie(JPEG);
    const offer = (await session.device.handoff(session.id)).body;
    const second = await capture(room, session.id, { offer });
    await second.reach('token');
    await second.show(newFace());
    await second.answer();
    await deliver();
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ status: 'SUCCESS' });
    expect(JSON.parse(receiver.received[0]!.body)).not.toHaveProperty('images');
  });

  it('is deleted when the session is redacted before, during and after its end', async () => {
    const { host, session, id } = await enrollWithSelfie([503, 503]);
    await session.selfie(JPEG);
    const evidence = await readSealed();
    expect(evidence.length).toBeGreaterThan(0);
    await host.call('DELETE', `/v2/verification-session/${id}`);
    await room.app.database.checkpoint();
    for (const piece of evidence) expect(await isLeft(piece)).toBe(false);
  });

  it('is refused if not requested or not an image', async () => {
    const { session } = await enrollWithSelfie([], false);
    expect(await session.selfie(JPEG)).toMatchObject({ status: 403, error: 'forbidden' });
    const asked = await enrollWithSelfie([]);
    expect(await asked.session.selfie(Buffer.from('GIF89a'))).toMatchObject({ status: 400 });
    const foreign = await asked.session.device.call('POST', asked.id, 'selfie', { body: Buffer.alloc(500) });
    expect(foreign.status).toBe(400);
    const tooLarge = Buffer.concat([JPEG, Buffer.alloc(200_000)]);
    expect((await asked.session.selfie(tooLarge)).status).toBe(413);
  });

  /** Pieces of every large sealed value. */
  async function readSealed(): Promise<Buffer[]> {
    const { queries } = room.app.database;
    const rows = [
      ...(await queries.selectFrom('session_evidence').select('sealed').execute()),
      ...(await queries.selectFrom('session_selfies').select('sealed').execute()),
      ...(await queries.selectFrom('webhook_deliveries').select('sealed').execute()),
    ];
    const large = rows.flatMap(({ sealed }) => (sealed && sealed.length > 100_000 ? [Buffer.from(sealed)] : []));
    return large.flatMap((bytes) => [5_000, bytes.length >> 1].map((at) => bytes.subarray(at, at + 32)));
  }

  async function isLeft(piece: Buffer): Promise<boolean> {
    if (engine === 'sqlite') {
      const files = readdirSync(room.storage.dataDir).filter((name) => name.startsWith('limen.db'));
      return files.some((name) => readFileSync(join(room.storage.dataDir, name)).includes(piece));
    }
    const { queries } = room.app.database;
    const rows = [
      ...(await queries.selectFrom('session_evidence').select('sealed').execute()),
      ...(await queries.selectFrom('session_selfies').select('sealed').execute()),
      ...(await queries.selectFrom('webhook_deliveries').select('sealed').execute()),
    ];
    return rows.some(({ sealed }) => sealed && Buffer.from(sealed).includes(piece));
  }
});
