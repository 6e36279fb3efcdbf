// Reports, answers and cancellations: accepted, refused, and their effect on the session.
import type { LogEntry } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { newDevice, padText, sealAnswer, withoutLight } from '#testing/device.ts';
import {
  type Claimed,
  captureSession,
  claimSession,
  readPlan,
  sealFor,
  useDeviceApp,
} from '#testing/sessions/device-app.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';

const room = useDeviceApp();

/** Host's view of a session that its device ended. */
async function expectRefused({ id, token, device }: Claimed, code: number, flag: string): Promise<void> {
  expect((await device.view(id)).body).toMatchObject({
    state: 'cancelled',
    end: { flowStatus: 'CANCELLED', errors: [code] },
  });
  const { body } = await room.host.result(token);
  expect(body).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', riskEvaluation: { recommendation: 'BLOCK' } });
  expect(body.riskEvaluation?.flags).toContain(flag);
}

describe('reporting', () => {
  it('opens the first step and shows the progress', async () => {
    const { id, device, log } = await claimSession(room);
    expect((await device.report(id, 0, log.slice(0, 1))).body).toMatchObject({
      state: 'capturing',
      progress: { step: 0, challengesDone: 0 },
    });
    // The camera request follows the first or second movement, so five entries include two of them.
    expect((await device.report(id, 1, log.slice(1, 6))).body.progress).toEqual({ step: 0, challengesDone: 2 });
  });

  it('accepts a repeated report if it is identical', async () => {
    const { id, device, log } = await claimSession(room);
    await device.report(id, 0, log.slice(0, 4));
    expect((await device.report(id, 0, log.slice(0, 2))).status).toBe(200);
    expect((await device.report(id, 2, log.slice(2, 6))).body.progress).toEqual({ step: 0, challengesDone: 2 });
  });

  it('refuses gaps and too many entries without ending anything', async () => {
    const { id, device, log } = await claimSession(room);
    expect(await device.report(id, 1, log.slice(1))).toMatchObject({ status: 400, error: 'validation_failed' });
    const retried = Array.from({ length: 159 }, (): LogEntry => ['retried', 0, 5_000]);
    expect((await device.report(id, 0, [log[0]!, ...retried])).status).toBe(200);
    expect((await device.report(id, 160, [['retried', 0, 5_000]])).status).toBe(400);
    expect((await device.view(id)).body.state).toBe('capturing');
  });

  it.each([
    ['has no entries', { from: 0, entries: [] }],
    ['has an entry of a wrong form', { from: 0, entries: [['started', 0]] }],
    ['has an unknown event', { from: 0, entries: [['jumped', 0, 0]] }],
    ['begins nowhere', { entries: [['started', 0, 0]] }],
  ])('refuses a report that %s', async (_what, body) => {
    const { id, device } = await claimSession(room);
    expect(await device.call('POST', id, 'log', { body })).toMatchObject({ status: 400, error: 'validation_failed' });
  });

  it.each<[string, (log: LogEntry[]) => LogEntry[]]>([
    ['skips a challenge', (log) => log.filter((_entry, index) => index !== 1 && index !== 2)],
    ['does them in another order', (log) => [log[0]!, log[3]!, log[4]!]],
    ['finishes early', (log) => [log[0]!, log.at(-1)!]],
    ['took too long over a challenge', (log) => [log[0]!, log[1]!, ['done', 0, log[1]![2] + 15_001]]],
  ])('ends the session if the course %s', async (_what, change) => {
    const session = await claimSession(room);
    const refused = await session.device.report(session.id, 0, change(session.log));
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused', body: { code: -22 } });
    await expectRefused(session, -22, 'BEHAVIOR_OUT_OF_PLAN');
  });

  it('refuses a contradiction, as from a second tab, without ending anything', async () => {
    const session = await captureSession(room);
    const { id, device, log } = session;
    const changed: LogEntry = ['shown', 0, 1_301];
    const refused = await device.report(id, 1, [changed]);
    expect(refused).toMatchObject({ status: 409, error: 'log_conflict' });
    expect(refused.body).not.toHaveProperty('code');
    expect(refused.body.message).toContain('claim again');
    expect((await device.claim(id)).body.log).toEqual(log);
    expect((await device.answer(id, await sealFor(session))).status).toBe(200);
    expect((await room.host.result(session.token)).body.riskEvaluation).toMatchObject({ flags: [] });
  });

  it('ends the session if the plan rules out the contradiction', async () => {
    const session = await captureSession(room);
    const refused = await session.device.report(session.id, 1, [['shown', 1, 1_300]]);
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused', body: { code: -22 } });
    await expectRefused(session, -22, 'BEHAVIOR_OUT_OF_PLAN');
  });

  it('blames the document if it was the document', async () => {
    const session = await claimSession(room, { requirements: ['identity_document'] });
    const entries: LogEntry[] = [
      ['started', 0, 0],
      ['shown', 0, 100],
    ];
    expect((await session.device.report(session.id, 0, entries)).body.code).toBe(-23);
    await expectRefused(session, -23, 'BEHAVIOR_OUT_OF_PLAN');
  });
});

describe('a valid answer', () => {
  it('ends the session with its decision', async () => {
    const session = await captureSession(room);
    const { status, body } = await session.device.answer(session.id, await sealFor(session));
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'completed', end: { flowStatus: 'COMPLETED', errors: [] } });
    expect((await room.host.result(session.token)).body).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      riskEvaluation: { recommendation: 'ALLOW', flags: [] },
    });
  });

  it('may be repeated byte for byte and is acknowledged again', async () => {
    const session = await captureSession(room);
    const envelope = await sealFor(session);
    const first = await session.device.answer(session.id, envelope);
    expect(await session.device.answer(session.id, envelope)).toMatchObject({ status: 200, body: first.body });
    // Also the identical call, as a client library repeats it.
    expect((await session.device.call('POST', session.id, 'answer', { body: envelope, counter: 1 })).status).toBe(200);
    expect((await room.host.result(session.token)).body.riskEvaluation).toMatchObject({ flags: [] });
  });

  it('is accepted once: a different one is a replay', async () => {
    const session = await captureSession(room);
    await session.device.answer(session.id, await sealFor(session));
    const again = await session.device.answer(session.id, await sealFor(session));
    expect(again).toMatchObject({ status: 409, error: 'payload_replayed', body: { code: -15 } });
    expect((await room.host.result(session.token)).body.sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
  });

  it("is too fast by the server's clock, whatever its log says", async () => {
    const session = await claimSession(room);
    const log = withoutLight(session.log);
    await session.device.report(session.id, 0, log.slice(0, 1));
    await session.device.answer(session.id, await sealFor(session, { log }));
    const { flags } = (await room.host.result(session.token)).body.riskEvaluation ?? { flags: [] };
    expect(flags).toEqual(expect.arrayContaining(['BEHAVIOR_CAPTURE_TOO_FAST', 'BEHAVIOR_LOG_TOO_LONG']));
  });
});

describe('an answer of wrong size or kind ends nothing', () => {
  it.each([0, 1, 2_047, 2_049, 4_096])('with %i bytes', async (size) => {
    const session = await captureSession(room);
    const refused = await session.device.answer(session.id, Buffer.alloc(size));
    expect(refused).toMatchObject({ status: 400, error: 'malformed_request' });
    expect(refused.body.message).toContain('2048');
    expect((await session.device.answer(session.id, await sealFor(session))).status).toBe(200);
  });

  it('above the limit, in plain JSON, or from another device', async () => {
    const session = await captureSession(room);
    const envelope = await sealFor(session);
    const send = (body: Buffer | object, type?: string) =>
      session.device.call('POST', session.id, 'answer', { body, type });
    expect((await send(Buffer.alloc(4_097))).status).toBe(413);
    expect(await send({ face: {} })).toMatchObject({ status: 415, error: 'unsupported_media_type' });
    expect((await send(envelope, 'application/json')).status).toBe(415);
    const thief = await newDevice(room.app.http);
    expect(await thief.answer(session.id, envelope)).toMatchObject({ status: 403, body: { code: -16 } });
    expect((await session.device.view(session.id)).body.state).toBe('capturing');
    await session.device.answer(session.id, envelope);
    expect((await room.host.result(session.token)).body.riskEvaluation?.flags).toEqual(['BEHAVIOR_OTHER_DEVICE']);
  });
});

describe('an answer to another plan ends the session as a replay', () => {
  it.each<[string, (mine: Claimed, other: Claimed) => Promise<Buffer>]>([
    ['of another session', (_mine, other) => sealFor(other)],
    [
      'sealed to another key',
      ({ plan }, other) => sealAnswer(JSON.stringify({ ...plan, publicKey: other.plan.publicKey }), {}),
    ],
    ['sealed under a changed plan', ({ plan }) => sealAnswer(JSON.stringify({ ...plan, today: '2030-01-01' }), {})],
    ['of noise', async () => Buffer.alloc(2_048, 7)],
    ['that names another session', (mine, other) => sealFor(mine, { sessionId: other.id })],
    ['with another nonce', (mine, other) => sealFor(mine, { nonce: other.plan.nonce })],
  ])('with %s', async (_what, seal) => {
    const [mine, other] = [await captureSession(room), await claimSession(room)];
    const refused = await mine.device.answer(mine.id, await seal(mine, other));
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused', body: { code: -15 } });
    await expectRefused(mine, -15, 'BEHAVIOR_REPLAY');
    const late = await mine.device.answer(mine.id, await sealFor(mine));
    expect(late).toMatchObject({ status: 409, error: 'session_ended' });
  });
});

describe('an answer outside the plan ends the session', () => {
  it.each<[string, (mine: Claimed) => Promise<Buffer>]>([
    ['skips a challenge', (mine) => sealFor(mine, { log: mine.log.filter((_entry, at) => at !== 5 && at !== 6) })],
    ['adds one', (mine) => sealFor(mine, { log: [...mine.log, ['shown', 3, 60_000]] })],
    ['leaves the face out', (mine) => sealFor(mine, { face: undefined })],
    [
      'tells an age that was not asked for',
      (mine) => sealFor(mine, { face: { spoof: false, estimate: 30, lowerBound: 25 } }),
    ],
    ['has a field of its own', (mine) => sealFor(mine, { ageThreshold: 12 })],
    ['has no session id', (mine) => sealFor(mine, { sessionId: undefined })],
    ['is no object', (mine) => sealAnswer(mine.planText, [])],
    ['is no JSON', (mine) => sealAnswer(mine.planText, padText('{'))],
    ['is padded with something', (mine) => sealAnswer(mine.planText, padText('{}', 1))],
    ['is empty', (mine) => sealAnswer(mine.planText, padText(''))],
  ])('if it %s', async (_what, seal) => {
    const session = await claimSession(room);
    room.clock.advance(10_000);
    await session.device.report(session.id, 0, session.log.slice(0, 3));
    const refused = await session.device.answer(session.id, await seal(session));
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused', body: { code: -22 } });
    await expectRefused(session, -22, 'BEHAVIOR_OUT_OF_PLAN');
  });

  it('if nothing was reported before', async () => {
    const session = await claimSession(room);
    expect((await session.device.answer(session.id, await sealFor(session))).body.code).toBe(-22);
    await expectRefused(session, -22, 'BEHAVIOR_OUT_OF_PLAN');
  });

  it('if it reports a spoof before the face step started', async () => {
    const session = await claimSession(room, { requirements: ['identity_document', 'face'] });
    const log = session.log.slice(0, 2);
    await session.device.report(session.id, 0, log);
    const refused = await session.device.answer(session.id, await sealFor(session, { face: { spoof: true }, log }));
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused', body: { code: -22 } });
  });

  it('if it omits the due document', async () => {
    const session = await claimSession(room, { stepUpEnabled: true });
    const face = { spoof: false, thresholdResult: 'AGE_BELOW_THRESHOLD' };
    const log = session.log.slice(0, 15);
    room.clock.advance(10_000);
    await session.device.report(session.id, 0, log);
    const verifiedAt = `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`;
    const shown = { type: 'passport', country: 'SWE', verifiedAt, signs: [] };
    const document = { thresholdResult: 'AGE_ABOVE_THRESHOLD', matchScore: 0.9, ...shown };
    const refused = await session.device.answer(session.id, await sealFor(session, { face, document, log }));
    expect(refused).toMatchObject({ status: 422, body: { code: -23 } });
  });
});

describe('cancelling', () => {
  it('ends the session, with the optional reason', async () => {
    const [plain, desktop] = [await claimSession(room), await claimSession(room)];
    expect((await plain.device.cancel(plain.id)).body).toMatchObject({
      state: 'cancelled',
      end: { flowStatus: 'CANCELLED' },
    });
    expect((await desktop.device.cancel(desktop.id, -5)).body.end?.errors).toEqual([-5]);
  });

  it('accepts only reasons that a device can know', async () => {
    const { id, device } = await claimSession(room);
    expect((await device.cancel(id, -15)).status).toBe(400);
    // These belong to verification sessions.
    for (const code of [152, 153, 154]) {
      const refused = await device.cancel(id, code);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('-5, -7, -10')]);
    }
    expect((await device.view(id)).body.state).toBe('opened');
  });

  it('is final', async () => {
    const session = await captureSession(room);
    await session.device.cancel(session.id);
    const calls = [
      session.device.cancel(session.id),
      session.device.report(session.id, 0, session.log),
      session.device.handoff(session.id),
      session.device.claim(session.id),
      session.device.answer(session.id, await sealFor(session)),
    ];
    for (const call of await Promise.all(calls)) expect(call).toMatchObject({ status: 409, error: 'session_ended' });
  });

  it('is refused to strangers, who are counted', async () => {
    const session = await captureSession(room);
    const stranger = await newDevice(room.app.http);
    for (let times = 0; times < 7; times += 1) {
      expect(await stranger.cancel(session.id)).toMatchObject({ status: 403, error: 'device_mismatch' });
    }
    expect((await stranger.report(session.id, 0, session.log)).status).toBe(403);
    expect((await stranger.handoff(session.id)).status).toBe(403);
    const row = await room.app.database.queries
      .selectFrom('device_channels')
      .select('revision')
      .where('session_id', '=', named<SessionId>(session.id))
      .executeTakeFirstOrThrow();
    expect(row.revision).toBe(2 + 5); // claim, report, and at most five of the nine
    await session.device.cancel(session.id);
    expect((await room.host.result(session.token)).body.riskEvaluation?.flags).toContain('BEHAVIOR_OTHER_DEVICE');
  });
});

describe('the session deadline', () => {
  it('ends the session on any further call, with its error code', async () => {
    const session = await captureSession(room);
    room.clock.advance(1_800_000);
    const sent = [
      session.device.report(session.id, 8, [['started', 0, 0]]),
      session.device.cancel(session.id),
      session.device.answer(session.id, await sealFor(session)),
    ];
    for (const call of await Promise.all(sent)) {
      expect(call).toMatchObject({ status: 409, error: 'session_ended', body: { code: -8 } });
    }
    const { body } = await room.host.result(session.token);
    expect(body.flowStatus).toBe('EXPIRED');
    expect(body.riskEvaluation?.signals.behavioral).not.toBe(null); // the end by timer includes the device's course
  });

  it('is not affected by a clock that was set back', async () => {
    const session = await claimSession(room);
    room.clock.advance(-60_000);
    await session.device.report(session.id, 0, session.log);
    expect((await session.device.answer(session.id, await sealFor(session))).status).toBe(200);
    room.clock.advance(60_000);
    expect((await room.host.result(session.token)).body.riskEvaluation).toMatchObject({ flags: [] });
  });

  it('keeps the plan of a simulated end from being answered', async () => {
    const session = await captureSession(room);
    await room.host.simulate(session.token, { outcome: 'below' });
    const late = await session.device.answer(session.id, await sealFor(readPlan(session.planText)));
    expect(late).toMatchObject({ status: 409, error: 'session_ended' });
    expect((await room.host.result(session.token)).body.sessionStatus).toBe('AGE_BELOW_THRESHOLD');
  });
});
