// What the service sees of a device's course counts in area D, though no signal of it is on the wire.
import type { LogEntry } from '@limen/plan';
import { beforeAll, describe, expect, it } from 'vitest';
import { followPlan } from '#testing/device.ts';
import {
  capture,
  newFace,
  newVerificationHost,
  useVerificationApp,
  type VerificationHost,
} from '../testing/verification-app.ts';

const room = useVerificationApp();
let host: VerificationHost;
beforeAll(async () => {
  host = await newVerificationHost(room);
});

/** Enrols a new face with the log that is given, or with that of a person who takes their time. */
async function enrolWith(changeLog: (log: LogEntry[]) => LogEntry[] = (log) => log) {
  const session = await capture(room, await host.start('ENROLL'));
  session.log.splice(0, session.log.length, ...changeLog(session.log));
  await session.reach('token');
  await session.show(newFace());
  await session.answer();
  return (await host.result(session.id)).body;
}

describe('a course', () => {
  it('as a person takes it is allowed', async () => {
    const { status, riskEvaluation } = await enrolWith();
    expect(status).toBe('SUCCESS');
    expect(riskEvaluation).toMatchObject({ score: 0, recommendation: 'ALLOW', flags: [] });
  });

  it('of a program that does each movement in a millisecond is blocked, though the face was enrolled', async () => {
    const { status, riskEvaluation } = await enrolWith((log) => log.map(([event, index], at) => [event, index, at]));
    expect(status).toBe('SUCCESS');
    expect(riskEvaluation).toEqual({
      ...{ score: 100, level: 'CRITICAL', recommendation: 'BLOCK' },
      flags: ['BEHAVIOR_CAPTURE_TOO_FAST', 'BEHAVIOR_CHALLENGE_TOO_FAST', 'BEHAVIOR_CHALLENGE_UNIFORM'],
      signals: { behavioral: null, browser: { score: 0, flags: [] } },
    });
  });

  it('whose times run backwards is reviewed', async () => {
    const { riskEvaluation } = await enrolWith((log) => {
      const [first, second, ...rest] = log;
      return [first!, [second![0], second![1], first![2] - 1], ...rest];
    });
    expect(riskEvaluation).toMatchObject({ recommendation: 'REVIEW', flags: ['BEHAVIOR_LOG_OUT_OF_ORDER'] });
  });
});

describe('an answer that is refused', () => {
  it('with the nonce of another plan is blocked as a replay', async () => {
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

  it('that cannot be opened is blocked as a replay', async () => {
    const session = await capture(room, await host.start('ENROLL'));
    await session.reach('token');
    await session.device.answer(session.id, Buffer.alloc(2_048, 4));
    expect((await host.result(session.id)).body.riskEvaluation).toMatchObject({
      recommendation: 'BLOCK',
      flags: expect.arrayContaining(['BEHAVIOR_REPLAY']),
    });
  });

  it('that leaves a step of the plan out is blocked', async () => {
    const session = await capture(room, await host.start('ENROLL'));
    await session.reach('token');
    await session.answer({ log: followPlan(session.plan, [0]) });
    expect((await host.result(session.id)).body.riskEvaluation).toMatchObject({
      recommendation: 'BLOCK',
      flags: ['BEHAVIOR_OUT_OF_PLAN'],
    });
  });
});

it('a stranger with the link is told of in the risk of a session that expires', async () => {
  const session = await capture(room, await host.start('ENROLL'));
  const other = await capture(room, await host.start('ENROLL'));
  await other.device.cancel(session.id);
  room.clock.advance(31 * 60_000);
  const { status, riskEvaluation } = (await host.result(session.id)).body;
  expect({ status, flags: riskEvaluation?.flags }).toEqual({ status: 'EXPIRED', flags: ['BEHAVIOR_OTHER_DEVICE'] });
});
