// Attempts to get a better outcome than a camera would give. None may succeed.

import type { AgeSessionResult } from '@limen/contract';
import type { DevicePlan, LogEntry } from '@limen/plan';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it } from 'vitest';
import { answerTo, leaveOutColors, newDevice, sealAnswer, withoutLight } from '#testing/device.ts';
import {
  type Claimed,
  captureSession,
  claimSession,
  readPlan,
  sealFor,
  useDeviceApp,
} from '#testing/sessions/device-app.ts';

const room = useDeviceApp();

interface Attempt {
  session: Claimed;
  /** Reply to the attempt. */
  reply: { status: number; error: string | undefined; body: { code?: number } };
}

/** Device reply (status, error code, session error code), and the host's view afterward. */
interface Verdict {
  reply: [status: number, error: string | undefined, code?: number];
  host: 'blocked' | 'still open' | 'expired' | 'cancelled' | 'flagged';
  flag?: string;
}

type Attack = [what: string, attack: () => Promise<Attempt>, verdict: Verdict];

const REPLAYED: Verdict = { reply: [422, 'answer_refused', -15], host: 'blocked', flag: 'BEHAVIOR_REPLAY' };
const OUT_OF_PLAN: Verdict = { reply: [422, 'answer_refused', -22], host: 'blocked', flag: 'BEHAVIOR_OUT_OF_PLAN' };

/** Sends the result of `make` as the answer of a properly captured session. */
function answerWith(make: (mine: Claimed) => Promise<Buffer>, type?: string): () => Promise<Attempt> {
  return async () => {
    const session = await captureSession(room);
    const body = await make(session);
    return { session, reply: await session.device.call('POST', session.id, 'answer', { body, type }) };
  };
}

/** Reports only that the step started, and answers with a course outside the plan. */
function answerWithLog(change: (log: LogEntry[]) => LogEntry[]): () => Promise<Attempt> {
  return async () => {
    const session = await claimSession(room);
    room.clock.advance(10_000);
    await session.device.report(session.id, 0, session.log.slice(0, 1));
    const envelope = await sealFor(session, { log: change(session.log) });
    return { session, reply: await session.device.answer(session.id, envelope) };
  };
}

/** Changes the plan in a dishonest page; the key to seal to stays. */
function rewritten({ plan }: Claimed, change: (plan: DevicePlan) => object): string {
  return JSON.stringify({ ...plan, ...change(plan) });
}

const ATTACKS: Attack[] = [
  ['an envelope of another session', answerWith(async () => sealFor(await captureSession(room))), REPLAYED],
  [
    'the content of another session, sealed for this one',
    answerWith(async (mine) => sealAnswer(mine.planText, answerTo((await captureSession(room)).plan))),
    REPLAYED,
  ],
  [
    'an answer to the plan of another session',
    answerWith(async (mine) => sealAnswer((await captureSession(room)).planText, answerTo(mine.plan))),
    REPLAYED,
  ],
  [
    'a threshold that the page changed',
    answerWith((mine) =>
      sealAnswer(
        rewritten(mine, ({ steps }) => ({ steps: steps.map((step) => ({ ...step, ageThreshold: 13 })) })),
        answerTo(mine.plan),
      ),
    ),
    REPLAYED,
  ],
  [
    'challenges that the page removed from its plan',
    answerWith((mine) =>
      sealAnswer(
        rewritten(mine, ({ steps }) => ({ steps: steps.map((step) => ({ ...step, challenges: [] })) })),
        answerTo(mine.plan),
      ),
    ),
    REPLAYED,
  ],
  ['a nonce that was made up', answerWith((mine) => sealFor(mine, { nonce: 'AAAAAAAAAAAAAAAAAAAAAA' })), REPLAYED],
  [
    'an envelope for another key',
    answerWith(async (mine) => {
      const { publicKey } = (await claimSession(room)).plan;
      return sealAnswer(
        rewritten(mine, () => ({ publicKey })),
        answerTo(mine.plan),
      );
    }),
    REPLAYED,
  ],
  [
    'an envelope with one bit changed',
    answerWith(async (mine) => {
      const envelope = await sealFor(mine);
      envelope[1_000]! ^= 1;
      return envelope;
    }),
    REPLAYED,
  ],
  ['a challenge skipped', answerWithLog((log) => log.filter((_entry, at) => at !== 3 && at !== 4)), OUT_OF_PLAN],
  [
    'challenges in another order',
    answerWithLog((log) => [log[0]!, ...log.slice(3, 5), ...log.slice(1, 3), ...log.slice(5)]),
    OUT_OF_PLAN,
  ],
  ['no challenge at all', answerWithLog((log) => [log[0]!, log.at(-1)!]), OUT_OF_PLAN],
  [
    'another course than was reported',
    answerWithLog((log) => [['started', 0, 1], ...log.slice(1)]),
    { reply: [409, 'log_conflict'], host: 'still open' },
  ],
  [
    'an age where the threshold was asked for',
    answerWith((mine) => sealFor(mine, { face: { spoof: false, estimate: 40, lowerBound: 35 } })),
    OUT_OF_PLAN,
  ],
  [
    'a step that nobody asked for',
    answerWith((mine) => {
      const verifiedAt = `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`;
      const shown = { type: 'passport', country: 'SWE', verifiedAt, signs: [] };
      return sealFor(mine, { document: { thresholdResult: 'AGE_ABOVE_THRESHOLD', matchScore: 1, ...shown } });
    }),
    OUT_OF_PLAN,
  ],
  [
    'an answer faster than a person',
    async () => {
      const session = await claimSession(room);
      const course = withoutLight(session.log);
      const at = (ms: number) => course.map(([event, index], position): LogEntry => [event, index, position * ms]);
      await session.device.report(session.id, 0, at(10));
      return { session, reply: await session.device.answer(session.id, await sealFor(session, { log: at(10) })) };
    },
    { reply: [200, undefined], host: 'blocked', flag: 'BEHAVIOR_CAPTURE_TOO_FAST' },
  ],
  [
    'a log that claims more time than has passed',
    async () => {
      const session = await claimSession(room);
      room.clock.advance(2_500);
      const log = withoutLight(session.log);
      await session.device.report(session.id, 0, log);
      return { session, reply: await session.device.answer(session.id, await sealFor(session, { log })) };
    },
    { reply: [200, undefined], host: 'flagged', flag: 'BEHAVIOR_LOG_TOO_LONG' },
  ],
  [
    'a whole log with light, told of right after the claim',
    async () => {
      const session = await claimSession(room);
      return { session, reply: await session.device.report(session.id, 0, session.log) };
    },
    OUT_OF_PLAN,
  ],
  [
    'the same with the answer alone',
    async () => {
      const session = await claimSession(room);
      await session.device.report(session.id, 0, session.log.slice(0, 1));
      return { session, reply: await session.device.answer(session.id, await sealFor(session)) };
    },
    OUT_OF_PLAN,
  ],
  [
    '2,047 bytes',
    answerWith(async (mine) => (await sealFor(mine)).subarray(1)),
    { reply: [400, 'malformed_request'], host: 'still open' },
  ],
  [
    '2,049 bytes',
    answerWith(async (mine) => Buffer.concat([await sealFor(mine), Buffer.of(0)])),
    { reply: [400, 'malformed_request'], host: 'still open' },
  ],
  [
    'plain JSON',
    answerWith(async (mine) => Buffer.from(JSON.stringify(answerTo(mine.plan))), 'application/json'),
    { reply: [415, 'unsupported_media_type'], host: 'still open' },
  ],
  [
    'plain JSON that is called an envelope',
    answerWith(async (mine) => Buffer.from(JSON.stringify(answerTo(mine.plan)).padEnd(2_048))),
    REPLAYED,
  ],
  [
    'an answer after the time is over',
    async () => {
      const session = await captureSession(room);
      const envelope = await sealFor(session);
      room.clock.advance(1_800_000);
      return { session, reply: await session.device.answer(session.id, envelope) };
    },
    { reply: [409, 'session_ended', -8], host: 'expired' },
  ],
  [
    'an answer after it was cancelled',
    async () => {
      const session = await captureSession(room);
      await session.device.cancel(session.id);
      return { session, reply: await session.device.answer(session.id, await sealFor(session)) };
    },
    { reply: [409, 'session_ended'], host: 'cancelled' },
  ],
  [
    'an answer of a device that the session is not bound to',
    async () => {
      const session = await captureSession(room);
      const stranger = await newDevice(room.app.http);
      return { session, reply: await stranger.answer(session.id, await sealFor(session)) };
    },
    { reply: [403, 'device_mismatch', -16], host: 'still open' },
  ],
  [
    'an answer of the device that has handed the session on',
    async () => {
      const session = await captureSession(room);
      const envelope = await sealFor(session);
      const offer = (await session.device.handoff(session.id)).body;
      const second = await newDevice(room.app.http);
      room.clock.advance(5_000);
      await second.claim(session.id, offer);
      return { session, reply: await session.device.answer(session.id, envelope) };
    },
    { reply: [403, 'device_mismatch', -16], host: 'still open' },
  ],
  [
    'challenges of its own choice, by handing the session to and fro between two keys',
    async () => {
      const session = await claimSession(room);
      const keys = [session.device, await newDevice(room.app.http)];
      let [holder, other] = [keys[0]!, keys[1]!];
      for (let round = 0; round < 12; round += 1) {
        const offer = (await holder.handoff(session.id)).body;
        room.clock.advance(3_000);
        const { plan } = readPlan((await other.claim(session.id, offer)).body.plan);
        expect(leaveOutColors(plan.steps)).toEqual(leaveOutColors(session.plan.steps));
        [holder, other] = [other, holder];
      }
      // Its original answer no longer works either.
      room.clock.advance(10_000);
      await holder.report(session.id, 0, session.log);
      return { session, reply: await holder.answer(session.id, await sealFor(session)) };
    },
    { ...REPLAYED, flag: 'BEHAVIOR_HANDOFF_REPEATED' },
  ],
  [
    'another report in the place of one that was sent',
    async () => {
      const session = await captureSession(room);
      const earlier = session.log.map(([event, index, at]): LogEntry => [event, index, at - 500]);
      return { session, reply: await session.device.report(session.id, 0, earlier) };
    },
    { reply: [409, 'log_conflict'], host: 'still open' },
  ],
  [
    'a capture on a third device',
    async () => {
      const session = await captureSession(room);
      const [second, third] = [await newDevice(room.app.http), await newDevice(room.app.http)];
      const offer = (await session.device.handoff(session.id)).body;
      const claimed = await second.claim(session.id, offer);
      const next = (await second.handoff(session.id)).body;
      const refused = await third.claim(session.id, next);
      expect(refused).toMatchObject({ status: 403, error: 'third_device', body: { code: -16 } });
      return { session, reply: await third.answer(session.id, await sealFor(readPlan(claimed.body.plan))) };
    },
    { reply: [403, 'device_mismatch', -16], host: 'still open' },
  ],
];

const HOST_SEES: Record<Verdict['host'], Partial<AgeSessionResult>> = {
  blocked: {},
  'still open': { sessionStatus: 'AGE_UNKNOWN' },
  expired: { sessionStatus: 'AGE_UNKNOWN', flowStatus: 'EXPIRED' },
  cancelled: { sessionStatus: 'AGE_UNKNOWN', flowStatus: 'CANCELLED' },
  flagged: {},
};

describe('an attempted bypass', () => {
  it.each(ATTACKS)('is refused or flagged: %s', async (_what, attack, { reply: [status, error, code], host, flag }) => {
    const { session, reply } = await attack();
    expect([reply.status, reply.error, reply.body.code]).toEqual([status, error, code]);
    const { body: result } = await room.host.result(session.token);
    expect(result).toMatchObject(HOST_SEES[host]);
    expect(result.flowStatus === undefined).toBe(host === 'still open');
    const risk = result.riskEvaluation;
    if (host === 'blocked') expect(risk?.recommendation).toBe('BLOCK');
    if (host !== 'still open') expect(risk?.recommendation).not.toBe('ALLOW');
    if (flag) expect(risk?.flags).toContain(flag);
    // Only an answer that follows the plan has an age, however quick.
    if (reply.status !== 200) expect(result.sessionStatus).toBe('AGE_UNKNOWN');
  });
});

it('accepts a repeated envelope for a lost reply, and no other one, a hundred times', async () => {
  const session = await captureSession(room);
  const accepted = await sealFor(session);
  const first = await session.device.answer(session.id, accepted);
  const before = await room.host.result(session.token);
  for (let round = 0; round < 100; round += 1) {
    const again = await session.device.answer(session.id, accepted);
    expect([again.status, again.body.end]).toEqual([200, first.body.end]);
  }
  const other = await session.device.answer(session.id, await sealFor(session));
  expect(other).toMatchObject({ status: 409, error: 'payload_replayed', body: { code: -15 } });
  expect(await room.host.result(session.token)).toEqual(before);
});

it('lets one of two racing answers win, in each of many races', async () => {
  for (let round = 0; round < onlyWhenLong(100, 25); round += 1) {
    const session = await captureSession(room);
    const good = await sealFor(session);
    const better = await sealFor(session, { face: { spoof: true }, log: session.log });
    const replies = await Promise.all([
      session.device.answer(session.id, good),
      session.device.answer(session.id, better),
    ]);
    const won = replies.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const lost = replies.find(({ status }) => status !== 200);
    expect([lost?.status, lost?.error]).toEqual([409, expect.stringMatching(/^(payload_replayed|stale_counter)$/)]);
    const { body } = await room.host.result(session.token);
    expect(body.errors.map(({ code }) => code)).toEqual(won[0] === replies[1] ? [1] : []);
  }
});
