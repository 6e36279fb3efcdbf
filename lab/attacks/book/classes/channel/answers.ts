// Answers that were made for another session or plan, or that violate it. None may succeed.

import { randomBytes } from 'node:crypto';
import type { DevicePlan, LogEntry } from '@limen/plan';
import { answerTo, sealAnswer } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { type ClaimedSession, claimAgeSession, coursePassed, courseReported, sealFor, tellEnd } from '../../course.ts';
import type { Stage } from '../../stage.ts';

const common = { promise: 'docs/security.md#the-device-channel', needs: 'a test key', atOnce: 4 } as const;
const BLOCKED = ['422 answer_refused, BLOCK'];

const allowed = new WeakMap<Stage, Promise<void>>();

/** An adult who takes human time. Shared by all classes. */
export function expectAllowed(stage: Stage): Promise<void> {
  const shown = allowed.get(stage) ?? showAllowed(stage);
  allowed.set(stage, shown);
  return shown;
}

async function showAllowed(stage: Stage): Promise<void> {
  const session = await coursePassed(stage, stage.host);
  const told = await tellEnd(
    stage.host,
    session.token,
    await session.device.answer(session.id, await sealFor(session)),
  );
  expectHonest(told === '200, ALLOW, AGE_ABOVE_THRESHOLD', `an honest answer is ${told}`);
}

async function send(stage: Stage, session: ClaimedSession, envelope: Buffer): Promise<string> {
  return tellEnd(stage.host, session.token, await session.device.answer(session.id, envelope));
}

export const answersOfAnother: AttackClass = {
  ...common,
  name: 'answers-of-another-session',
  prevents: 'an answer made for another session, plan, nonce or key',
  refusals: BLOCKED,
  attempts: 100,
  async begin(stage) {
    await expectAllowed(stage);
    const captured = () => courseReported(stage, stage.host);
    const forgeries: ((mine: ClaimedSession) => Promise<Buffer>)[] = [
      async () => sealFor(await captured()),
      async (mine) => sealAnswer(mine.planText, answerTo((await captured()).plan)),
      async (mine) => sealAnswer((await captured()).planText, answerTo(mine.plan)),
      (mine) => sealFor(mine, { nonce: randomBytes(16).toString('base64url') }),
      (mine) => sealFor(mine, { sessionId: '00000000-0000-4000-8000-000000000000' }),
      async (mine) =>
        sealAnswer(rewritten(mine, { publicKey: (await captured()).plan.publicKey }), answerTo(mine.plan)),
      (mine) => sealAnswer(mine.planText, answerTo(mine.plan, { log: mine.log }), 'limen-selfie-v1'),
      async () => randomBytes(2_048),
    ];
    return async (round) => {
      const mine = await captured();
      return send(stage, mine, await inTurn(forgeries, round)(mine));
    };
  },
};

export const answersAltered: AttackClass = {
  ...common,
  name: 'answers-altered',
  prevents: 'an answer that was changed on its way',
  refusals: BLOCKED,
  attempts: 128,
  async begin(stage) {
    return async (round) => {
      const mine = await courseReported(stage, stage.host);
      const envelope = await sealFor(mine);
      envelope[(round * 16 + (round >> 3)) % envelope.length]! ^= 1 << (round % 8);
      return send(stage, mine, envelope);
    };
  },
};

export const plansForged: AttackClass = {
  ...common,
  name: 'plans-forged',
  prevents: 'a page that follows an easier plan than the one the service drew',
  refusals: BLOCKED,
  attempts: 100,
  async begin(stage) {
    const easier: ((plan: DevicePlan) => Partial<DevicePlan>)[] = [
      ({ steps }) => ({ steps: steps.map((step) => ({ ...step, ageThreshold: 1 })) as DevicePlan['steps'] }),
      ({ steps }) => ({ steps: steps.map((step) => ({ ...step, challenges: [] })) as DevicePlan['steps'] }),
      ({ steps }) => ({ steps: steps.slice(0, 1) }),
      () => ({ steps: [] }),
      () => ({ today: '2099-01-01' }),
      ({ steps }) => ({ steps: steps.map((step) => ({ ...step, when: 'never' })) as never }),
      ({ nonce }) => ({ nonce: nonce.toLowerCase() }),
    ];
    return async (round) => {
      const body = { requirements: ['face', 'identity_document'] };
      const mine = await courseReported(stage, stage.host, body);
      return send(
        stage,
        mine,
        await sealAnswer(rewritten(mine, inTurn(easier, round)(mine.plan)), answerTo(mine.plan)),
      );
    };
  },
};

export const coursesOutOfPlan: AttackClass = {
  ...common,
  name: 'courses-out-of-plan',
  prevents: 'movements that are skipped, swapped or invented, and findings that nobody asked for',
  refusals: [...BLOCKED, '409 log_conflict, no end'],
  attempts: 120,
  async begin(stage) {
    const logs: ((log: LogEntry[]) => LogEntry[])[] = [
      (log) => log.filter((_, at) => at !== 3 && at !== 4),
      (log) => [log[0]!, ...log.slice(3, 5), ...log.slice(1, 3), ...log.slice(5)],
      (log) => [log[0]!, log.at(-1)!],
      (log) => log.slice(0, -1),
      (log) => [...log, ...log],
      (log) => [...log, ['started', 1, 9_000]],
      (log) => log.map(([event, index, at]) => [event, index + 1, at]),
      (log) => [log[0]!, ...log.filter(([event]) => event === 'done'), log.at(-1)!],
      (log) => [['started', 0, 1], ...log.slice(1)],
    ];
    const findings: object[] = [
      { face: { spoof: false, estimate: 40, lowerBound: 35 } },
      { face: { spoof: false } },
      { face: null },
      {
        document: {
          thresholdResult: 'AGE_ABOVE_THRESHOLD',
          matchScore: 1,
          type: 'passport',
          country: 'SWE',
          signs: [],
        },
      },
      { version: 2 },
      { sessionStatus: 'AGE_ABOVE_THRESHOLD' },
    ];
    return async (round) => {
      const mine = await claimAgeSession(stage, stage.host);
      await mine.device.report(mine.id, 0, mine.log.slice(0, 1));
      const [log, finding] = [inTurn(logs, round), inTurn(findings, round)];
      const wrong = round % 2 === 0 ? { log: log(mine.log) } : finding;
      return send(stage, mine, await sealFor(mine, wrong));
    };
  },
};

export const answersOfAnotherSize: AttackClass = {
  ...common,
  name: 'answers-of-another-size',
  prevents:
    'answers that are truncated, too long, empty or not sealed, sent to get past the checks or to end a session',
  refusals: ['400 malformed_request, no end', '413 payload_too_large, no end', '415 unsupported_media_type, no end'],
  attempts: 100,
  async begin(stage) {
    const mine = await courseReported(stage, stage.host);
    const sealed = await sealFor(mine);
    const tries: [body: Buffer, type?: string][] = [
      [sealed.subarray(1)],
      [sealed.subarray(0, -1)],
      [Buffer.concat([sealed, Buffer.of(0)])],
      [Buffer.concat([sealed, sealed])],
      [Buffer.alloc(0)],
      [Buffer.alloc(1_000_000)],
      [Buffer.from(JSON.stringify(answerTo(mine.plan))), 'application/json'],
      [sealed, 'text/plain'],
      [sealed, 'multipart/form-data'],
    ];
    return async (round) => {
      const [body, type] = inTurn(tries, round);
      const reply = await mine.device.call('POST', mine.id, 'answer', { body, ...(type && { type }) });
      return tellEnd(stage.host, mine.token, reply);
    };
  },
};

export const answersAfterTheEnd: AttackClass = {
  ...common,
  name: 'answers-after-the-end',
  prevents: 'a second, better answer; an answer after giving up; two answers at once that both count',
  refusals: ['409 payload_replayed', '409 session_ended', 'one of two', '409 stale_counter'],
  attempts: 100,
  async begin(stage) {
    return async (round) => {
      const mine = await courseReported(stage, stage.host);
      const spoof = await sealFor(mine, { face: { spoof: true } });
      const better = await sealFor(mine);
      if (round % 3 === 0) {
        await mine.device.cancel(mine.id);
        return refusal(await mine.device.answer(mine.id, better));
      }
      if (round % 3 === 1) {
        await mine.device.answer(mine.id, spoof);
        return refusal(await mine.device.answer(mine.id, better));
      }
      const replies = await Promise.all([mine.device.answer(mine.id, spoof), mine.device.answer(mine.id, better)]);
      const taken = replies.filter(({ status }) => status === 200).length;
      return taken === 1 ? 'one of two' : `${taken} of two`;
    };
  },
};

function refusal({ status, error }: { status: number; error: string | undefined }): string {
  return `${status}${error ? ` ${error}` : ''}`;
}

/** The plan, modified by a page that prefers another. */
function rewritten({ plan }: ClaimedSession, change: object): string {
  return JSON.stringify({ ...plan, ...change });
}
