// A device's course counts in verification sessions, although no behavior signal is returned.
import type { LogEntry } from '@limen/plan';
import { beforeAll, describe, expect, it } from 'vitest';
import { followPlan, underPlan, withoutLight } from '#testing/device.ts';
import {
  capture,
  type Face,
  newFace,
  newPersonKey,
  newVerificationHost,
  type PersonKey,
  sameFace,
  useVerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';

const room = useVerificationApp();
let host: VerificationHost;
beforeAll(async () => {
  host = await newVerificationHost(room);
});

type ChangeLog = (log: LogEntry[]) => LogEntry[];

const inMilliseconds: ChangeLog = (log) => withoutLight(log).map(([event, index], at) => [event, index, at]);
const backwards: ChangeLog = ([first, second, ...rest]) => [first!, [second![0], second![1], first![2] - 1], ...rest];

/** Enrolls a face with the given log, or at human speed. */
async function enrollWith(changeLog: ChangeLog = (log) => log, face: Face = newFace(), key?: PersonKey) {
  const session = await capture(room, await host.start('ENROLL'));
  session.log.splice(0, session.log.length, ...changeLog(session.log));
  await session.reach('token');
  const { deviceId } = (await session.show(face, key)).body;
  await session.answer();
  return { ...(await host.result(session.id)).body, deviceId: deviceId! };
}

/** Outcome of the device's own comparison, or the service's. */
async function signIn(deviceId: string, key: PersonKey, face: Face) {
  const session = await capture(room, await host.start('SIGN-IN'));
  await session.reach('token');
  const { outcome } = (await session.local(deviceId, key)).body;
  if (outcome !== 'matched') await session.show(sameFace(face));
  await session.answer();
  return { outcome, ...(await host.result(session.id)).body };
}

describe('the course of a session', () => {
  it('is allowed at human speed', async () => {
    const { status, riskEvaluation } = await enrollWith();
    expect(status).toBe('SUCCESS');
    expect(riskEvaluation).toMatchObject({ score: 0, recommendation: 'ALLOW', flags: [] });
  });

  it('is at most reviewed without browser data', async () => {
    const session = await capture(room, await host.start('ENROLL'));
    await session.reach('token');
    await session.show(newFace());
    await session.answer({ indicators: null });
    expect((await host.result(session.id)).body.riskEvaluation).toMatchObject({
      recommendation: 'REVIEW',
      flags: ['BROWSER_DATA_MISSING'],
      signals: { behavioral: null, browser: { flags: ['BROWSER_DATA_MISSING'] } },
    });
  });

  it('is at most reviewed with the log of another enrollment', async () => {
    let recorded: LogEntry[] = [];
    await enrollWith((log) => {
      recorded = withoutLight(log);
      return recorded;
    });
    const again = await capture(room, await host.start('ENROLL'), { follow: (plan) => underPlan(recorded, plan) });
    await again.reach('token');
    await again.show(newFace());
    await again.answer();
    expect((await host.result(again.id)).body.riskEvaluation).toMatchObject({
      recommendation: 'REVIEW',
      flags: ['BEHAVIOR_LOG_REPEATED', 'LIGHT_INCONCLUSIVE'],
    });
  });

  it('is blocked at a millisecond per movement, and leaves neither person nor device', async () => {
    const [face, key] = [newFace(), await newPersonKey()];
    const { deviceId, puid, ...told } = await enrollWith(inMilliseconds, face, key);
    expect(told).toMatchObject({ status: 'FAILED', errors: [{ code: 152, message: 'Face enrollment failed' }] });
    expect(puid).toBeUndefined();
    expect((await host.trustDevice(told.sessionId)).status).toBe(409);
    expect(await signIn(deviceId, key, face)).toMatchObject({ outcome: 'refused', status: 'FAILED' });
    // The owner can still be the first to enroll.
    const owner = await enrollWith(undefined, sameFace(face));
    expect(owner).toMatchObject({ message: 'Enrollment successful', riskEvaluation: { recommendation: 'ALLOW' } });
    expect(told.riskEvaluation).toEqual({
      score: 100,
      level: 'CRITICAL',
      recommendation: 'BLOCK',
      flags: [
        'BEHAVIOR_CAPTURE_TOO_FAST',
        'BEHAVIOR_CHALLENGE_TOO_FAST',
        'BEHAVIOR_CHALLENGE_UNIFORM',
        'LIGHT_INCONCLUSIVE',
      ],
      signals: { behavioral: null, browser: { score: 0, flags: [] } },
    });
  });

  it('is reviewed if its times run backward, and its device stays unvouched until the host decides', async () => {
    const [face, key] = [newFace(), await newPersonKey()];
    const { deviceId, sessionId, riskEvaluation } = await enrollWith(backwards, face, key);
    expect(riskEvaluation).toMatchObject({ recommendation: 'REVIEW', flags: ['BEHAVIOR_LOG_OUT_OF_ORDER'] });
    const review = { recommendation: 'REVIEW', flags: ['NEW_DEVICE'] };
    expect(await signIn(deviceId, key, face)).toMatchObject({ outcome: 'matched', riskEvaluation: review });
    expect((await host.trustDevice(sessionId)).status).toBe(204);
    expect((await signIn(deviceId, key, face)).riskEvaluation).toMatchObject({ recommendation: 'ALLOW', flags: [] });
  });

  it('is blocked for a scripted sign-in, and binds no device', async () => {
    const [face, key] = [newFace(), await newPersonKey()];
    await enrollWith(undefined, face);
    const session = await capture(room, await host.start('SIGN-IN'));
    session.log.splice(0, session.log.length, ...inMilliseconds(session.log));
    await session.reach('token');
    const { deviceId } = (await session.show(sameFace(face), key)).body;
    await session.answer();
    const { status, riskEvaluation } = (await host.result(session.id)).body;
    expect([status, riskEvaluation?.recommendation]).toEqual(['SUCCESS', 'BLOCK']);
    expect((await host.trustDevice(session.id)).status).toBe(409);
    expect((await signIn(deviceId!, key, face)).outcome).toBe('refused');
  });
});

describe('a refused answer', () => {
  it('is blocked as a replay if it has the nonce of another plan', async () => {
    const session = await capture(room, await host.start('ENROLL'));
    await session.reach('token');
    await session.answer({ nonce: 'AAAAAAAAAAAAAAAAAAAAAA' });
    const { body } = await host.result(session.id);
    expect(body).toMatchObject({ status: 'CANCELLED', errors: [{ code: -15 }] });
    expect(body.riskEvaluation).toMatchObject({
      level: 'CRITICAL',
      recommendation: 'BLOCK',
      flags: ['BEHAVIOR_REPLAY'],
    });
  });

  it('is blocked as a replay if it cannot be opened', async () => {
    const session = await capture(room, await host.start('ENROLL'));
    await session.reach('token');
    await session.device.answer(session.id, Buffer.alloc(2_048, 4));
    expect((await host.result(session.id)).body.riskEvaluation).toMatchObject({
      recommendation: 'BLOCK',
      flags: expect.arrayContaining(['BEHAVIOR_REPLAY']),
    });
  });

  it('is blocked if it omits a step of the plan', async () => {
    const session = await capture(room, await host.start('ENROLL'));
    await session.reach('token');
    await session.answer({ log: followPlan(session.plan, [0]) });
    expect((await host.result(session.id)).body.riskEvaluation).toMatchObject({
      recommendation: 'BLOCK',
      flags: ['BEHAVIOR_OUT_OF_PLAN'],
    });
  });
});

it('reports a stranger with the link in the risk of an expired session', async () => {
  const session = await capture(room, await host.start('ENROLL'));
  const other = await capture(room, await host.start('ENROLL'));
  await other.device.cancel(session.id);
  room.clock.advance(31 * 60_000);
  const { status, riskEvaluation } = (await host.result(session.id)).body;
  expect({ status, flags: riskEvaluation?.flags }).toEqual({ status: 'EXPIRED', flags: ['BEHAVIOR_OTHER_DEVICE'] });
});
