// Finished steps travel sealed to the next device: not repeated, not forgeable, deleted in time.

import type { ClaimReply } from '@limen/contract';
import type { LogEntry } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { followPlan, newDevice, withoutLight } from '#testing/device.ts';
import { openBox, type SealedBox, sealBox } from '#testing/handoff-box.ts';
import { type Claimed, claimSession, readPlan, sealFor, useDeviceApp } from '#testing/sessions/device-app.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';

const room = useDeviceApp();
const BOTH = { requirements: ['face', 'identity_document'] };
const FACE = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', light: 'lit' } } as const;
/** Entries of a plan's log until its face is finished. */
const FACE_ENTRIES = 15;

const boxRow = ({ id }: Claimed) =>
  room.app.database.queries
    .selectFrom('handoff_boxes')
    .selectAll()
    .where('session_id', '=', named<SessionId>(id))
    .executeTakeFirst();

/** Computer with a finished and reported face. */
async function finishFace(log = (given: readonly LogEntry[]) => given): Promise<Claimed> {
  const session = await claimSession(room, BOTH);
  room.clock.advance(10_000);
  await session.device.report(session.id, 0, log(session.log.slice(0, FACE_ENTRIES)));
  return session;
}

/** Computer with a face sealed for a phone, and a handoff code. */
async function offerFace(session: Claimed) {
  const box = await sealBox(session, [0], FACE);
  const { status, body } = await session.device.handoff(session.id, box.carried);
  expect(status).toBe(200);
  return { box, offer: body };
}

async function takeOver(session: Claimed, offer: object) {
  const phone = await newDevice(room.app.http);
  room.clock.advance(4_000);
  const { body } = await phone.claim(session.id, offer);
  return { phone, claimed: body, ...readPlan(body.plan) };
}

const documentOf = (matchScore: number | null) => ({
  thresholdResult: 'AGE_ABOVE_THRESHOLD',
  matchScore,
  type: 'passport',
  country: 'NLD',
  verifiedAt: `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`,
  signs: [],
});

describe('a document on the phone after the face on the computer', () => {
  async function finish(matchScore: number | null) {
    const session = await finishFace();
    const { box, offer } = await offerFace(session);
    const { phone, claimed, plan, planText, log } = await takeOver(session, offer);
    expect(plan.carried).toEqual([0]);
    expect(openBox(claimed.carried!, session.id, box.key)).toEqual({ version: 1, ...FACE });
    expect(log.map(([event]) => event)).toEqual(['carried', 'started', 'finished']);
    room.clock.advance(5_000);
    expect((await phone.report(session.id, 0, log)).status).toBe(200);
    const envelope = await sealFor({ planText, plan }, { ...FACE, document: documentOf(matchScore), log });
    return { session, reply: await phone.answer(session.id, envelope) };
  }

  it('does not repeat the face, and is reported as a change of devices', async () => {
    const { session, reply } = await finish(0.8);
    expect(reply).toMatchObject({ status: 200, body: { end: { flowStatus: 'COMPLETED', errors: [] } } });
    expect((await room.host.result(session.token)).body).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      result: { faceMatch: true },
      riskEvaluation: { recommendation: 'ALLOW', flags: ['CROSS_DEVICE'] },
    });
  });

  it.each([[null], [0.1]])('still compares the two faces: a score of %s is a mismatch', async (score) => {
    const { session } = await finish(score);
    expect((await room.host.result(session.token)).body).toMatchObject({
      sessionStatus: 'AGE_UNKNOWN',
      errors: [{ code: -9 }],
      riskEvaluation: { recommendation: 'BLOCK' },
    });
  });
});

describe("the computer's light reported by the phone", () => {
  const stopped = (log: readonly LogEntry[]): LogEntry[] => {
    const shown = log.slice(0, log.findIndex(([event]) => event === 'lit') + 2);
    const at = shown.at(-1)![2];
    return [...shown, ['stopped', 1, at + 100], ['finished', 0, at + 200]];
  };

  it.each([
    ['was shown', 'lit', 200, (log: readonly LogEntry[]) => log],
    ['was shown', 'declined', 422, (log: readonly LogEntry[]) => log],
    ['was stopped', 'lit', 422, stopped],
    ['was stopped', 'declined', 200, stopped],
    ['was declined', 'lit', 422, withoutLight],
    ['was declined', 'declined', 200, withoutLight],
  ])('and %s cannot be forged: %s gets %i', async (_, light, status, course) => {
    const session = await finishFace(course);
    const { offer } = await offerFace(session);
    const { phone, plan, planText, log } = await takeOver(session, offer);
    room.clock.advance(5_000);
    await phone.report(session.id, 0, log);
    const face = { ...FACE.face, light };
    const envelope = await sealFor({ planText, plan }, { face, document: documentOf(0.8), log });
    expect((await phone.answer(session.id, envelope)).status).toBe(status);
  });
});

describe('an unfinished step on the computer', () => {
  it('cannot be sealed for another device', async () => {
    const session = await claimSession(room, BOTH);
    room.clock.advance(10_000);
    await session.device.report(session.id, 0, session.log.slice(0, FACE_ENTRIES - 1));
    for (const steps of [[0], [1], [0, 1], [9]]) {
      const { carried } = await sealBox(session, steps, FACE);
      const refused = await session.device.handoff(session.id, carried);
      expect(refused).toMatchObject({ status: 400, error: 'validation_failed' });
    }
    expect(await boxRow(session)).toBe(undefined);
  });

  it.each<[string, (session: Claimed) => Promise<object>]>([
    ['nothing came along', async (session) => (await session.device.handoff(session.id)).body],
    [
      'it was begun again after it was sealed',
      async (session) => {
        const { offer } = await offerFace(session);
        room.clock.advance(1_000);
        await session.device.report(session.id, FACE_ENTRIES, [['retried', 0, 11_000]]);
        return offer;
      },
    ],
  ])('ends the session if claimed as done: %s', async (_when, offer) => {
    const session = await finishFace();
    const { phone, claimed, plan } = await takeOver(session, await offer(session));
    expect([plan.carried, claimed.carried]).toEqual([undefined, undefined]);
    const refused = await phone.report(session.id, 0, [['carried', 0, 100]]);
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused' });
    expect((await room.host.result(session.token)).body.riskEvaluation).toMatchObject({
      recommendation: 'BLOCK',
      flags: ['BEHAVIOR_OUT_OF_PLAN', 'CROSS_DEVICE'],
    });
  });

  it('may be repeated if carried over, which drops the carried steps after it', async () => {
    const session = await finishFace();
    const { offer } = await offerFace(session);
    const { phone, plan, planText } = await takeOver(session, offer);
    const log = followPlan({ ...plan, carried: [] });
    room.clock.advance(12_000);
    expect((await phone.report(session.id, 0, [['carried', 0, 5], ['retried', 0, 6], ...log.slice(1)])).status).toBe(
      200,
    );
    const whole: LogEntry[] = [['carried', 0, 5], ['retried', 0, 6], ...log.slice(1)];
    const envelope = await sealFor({ planText, plan }, { ...FACE, document: documentOf(0.8), log: whole });
    expect((await phone.answer(session.id, envelope)).status).toBe(200);
  });
});

describe('a sealed box', () => {
  const flip = (text: string) => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`);
  const changes: [string, (own: SealedBox, session: Claimed) => Promise<object> | object][] = [
    ['was changed on the way', ({ carried }) => ({ ...carried, box: flip(carried.box) })],
    [
      'has the signature of another',
      async ({ carried }, session) => {
        const stranger = await newDevice(room.app.http);
        const { signature } = (await sealBox({ ...session, device: stranger }, [0], FACE)).carried;
        return { ...carried, signature };
      },
    ],
    [
      'was sealed for another session',
      async (_own, session) => {
        const other = await finishFace();
        return (await sealBox({ planText: other.planText, device: session.device }, [0], FACE)).carried;
      },
    ],
    [
      'was sealed under another plan',
      async (_own, session) => {
        const planText = session.planText.replace('"version":1', '"version": 1');
        return (await sealBox({ planText, device: session.device }, [0], FACE)).carried;
      },
    ],
    ['is of another length', ({ carried }) => ({ ...carried, box: carried.box.slice(4) })],
  ];

  it.each(changes)('is refused if it %s', async (_what, change) => {
    const session = await finishFace();
    const carried = await change(await sealBox(session, [0], FACE), session);
    const body = { began: { browser: 'Firefox', system: 'Windows' }, carried };
    const refused = await session.device.call('POST', session.id, 'handoff', { body });
    expect(refused).toMatchObject({ status: 400, error: 'validation_failed' });
    expect(await boxRow(session)).toBe(undefined);
  });

  it('is returned to the same device until it reports, and then deleted', async () => {
    const session = await finishFace();
    const { offer } = await offerFace(session);
    const { phone, claimed, log } = await takeOver(session, offer);
    expect(claimed.carried).toMatchObject({ steps: [0], deviceKey: session.device.key });
    const again = (await phone.claim(session.id)).body as ClaimReply;
    expect(again.carried).toEqual(claimed.carried);
    expect(JSON.stringify((await session.device.view(session.id)).body)).not.toContain(claimed.carried!.box);
    await phone.report(session.id, 0, log.slice(0, 1));
    expect(await boxRow(session)).toBe(undefined);
    expect((await phone.claim(session.id)).body).not.toHaveProperty('carried');
  });

  it.each<[string, (session: Claimed, offer: { code: string }) => Promise<unknown>]>([
    [
      'a wrong number was picked',
      async ({ id }, { code }) => (await newDevice(room.app.http)).claim(id, { code, number: '00' }),
    ],
    ['another code was made', ({ id, device }) => device.handoff(id)],
    ['the session is over', ({ id, device }) => device.cancel(id)],
    ['the session was deleted', ({ token }) => room.host.redact(token)],
  ])('is deleted when %s', async (_when, change) => {
    const session = await finishFace();
    const { offer } = await offerFace(session);
    expect(await boxRow(session)).toBeDefined();
    await change(session, offer);
    expect(await boxRow(session)).toBe(undefined);
  });

  it('is deleted after five minutes, collected or not', async () => {
    const [left, taken] = [await finishFace(), await finishFace()];
    await offerFace(left);
    const { phone } = await takeOver(taken, (await offerFace(taken)).offer);
    room.clock.advance(300_000);
    expect((await phone.claim(taken.id)).body).not.toHaveProperty('carried');
    await room.app.jobs.start();
    for (const session of [left, taken]) {
      await expect.poll(() => boxRow(session), { interval: 20 }).toBe(undefined);
    }
  });

  it('reveals nothing by its size', async () => {
    const session = await finishFace();
    const lengths = [];
    for (const found of [FACE, { ...FACE, embedding: 'A'.repeat(2_000) }]) {
      const { carried } = await sealBox(session, [0], found);
      await session.device.handoff(session.id, carried);
      lengths.push((await boxRow(session))?.sealed.length);
    }
    expect(lengths[0]).toBe(lengths[1]);
  });
});

it('counts the times of carried movements like its own', async () => {
  const hurried = (log: readonly LogEntry[]) =>
    log.map(([event, index, at], place): LogEntry => [event, index, event === 'done' ? log[place - 1]![2] + 40 : at]);
  const session = await finishFace(hurried);
  const { offer } = await offerFace(session);
  const { phone, plan, planText, log } = await takeOver(session, offer);
  room.clock.advance(5_000);
  await phone.report(session.id, 0, log);
  await phone.answer(session.id, await sealFor({ planText, plan }, { ...FACE, document: documentOf(0.8), log }));
  const { riskEvaluation } = (await room.host.result(session.token)).body;
  expect(riskEvaluation?.flags).toContain('BEHAVIOR_CHALLENGE_TOO_FAST');
  expect(riskEvaluation?.recommendation).not.toBe('ALLOW');
});
