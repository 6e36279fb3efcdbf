// The document step over the device channel: answers, signs, attempts, and page reloads.
import type { LogEntry, PlanStep } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { asNextAttempt, leaveOutColors, newDevice } from '#testing/device.ts';
import { type Claimed, captureSession, claimSession, sealFor, useDeviceApp } from '#testing/sessions/device-app.ts';

const room = useDeviceApp();
const BOTH = { requirements: ['face', 'identity_document'], ageThreshold: 25, documentAgeThreshold: 18 };
const ALONE = { requirements: ['identity_document'] };

/** Read just now by the server's clock. */
function passport(change: object = {}): object {
  const verifiedAt = `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`;
  const fields = { matchScore: 0.7, type: 'passport', country: 'SWE', verifiedAt, signs: [] };
  return { thresholdResult: 'AGE_AT_THRESHOLD', ...fields, ...change };
}

async function answer(session: Claimed, other: object): Promise<Awaited<ReturnType<Claimed['device']['answer']>>> {
  return session.device.answer(session.id, await sealFor(session, other));
}

/** Entries of a plan's log until its face is finished. */
const FACE_ENTRIES = 15;

describe('an answer with a document', () => {
  it('is decided by the document, and the host gets kind, country and time', async () => {
    const session = await captureSession(room, { ...BOTH, documentAgeReturnFormat: 'both' });
    const document = passport({ thresholdResult: undefined, age: 19 });
    expect((await answer(session, { document })).body.end).toEqual({ flowStatus: 'COMPLETED', errors: [] });
    const { body } = await room.host.result(session.token);
    expect(body).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', riskEvaluation: { recommendation: 'ALLOW' } });
    expect(body.result).toEqual({
      confidenceScore: 0.7,
      faceMatch: true,
      documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact: 19 },
      document: { type: 'passport', country: 'SWE', verifiedAt: expect.stringMatching(/^2026-\d\d-\d\dT[\d:]{8}Z$/) },
      facialAgeEstimation: { thresholdResult: 'AGE_ABOVE_THRESHOLD' },
    });
  });

  it('of another person ends with -9, without an age', async () => {
    const session = await captureSession(room, BOTH);
    expect((await answer(session, { document: passport({ matchScore: 0.2 }) })).body.end?.errors).toEqual([-9]);
    const { sessionStatus, result } = (await room.host.result(session.token)).body;
    expect(sessionStatus).toBe('AGE_UNKNOWN');
    expect(result).toMatchObject({ confidenceScore: 0.2, faceMatch: false });
    expect(result).not.toHaveProperty('documentAge');
  });

  it.each([
    ['screen', 'DOCUMENT_ON_SCREEN', 'MEDIUM', 'REVIEW'],
    ['photocopy', 'DOCUMENT_PHOTOCOPY', 'MEDIUM', 'REVIEW'],
    ['file', 'DOCUMENT_FROM_FILE', 'LOW', 'ALLOW'],
  ])('and the sign %s is flagged', async (sign, flag, level, recommendation) => {
    const session = await captureSession(room, { ...ALONE, enableDocumentFile: true });
    const document = passport({ matchScore: null, signs: [sign] });
    expect((await answer(session, { face: undefined, document })).status).toBe(200);
    const { sessionStatus, riskEvaluation } = (await room.host.result(session.token)).body;
    expect(sessionStatus).toBe('AGE_AT_THRESHOLD');
    expect(riskEvaluation).toMatchObject({ level, recommendation, signals: { behavioral: { flags: [flag] } } });
  });

  it.each(['2025-12-31T23:00:00Z', '2036-01-01T00:00:00Z'])(
    'by a clock that says %s is taken, with a time of the capture',
    async (verifiedAt) => {
      const servedAt = room.clock.now();
      const session = await captureSession(room, ALONE);
      const document = passport({ matchScore: null, verifiedAt });
      expect((await answer(session, { face: undefined, document })).status).toBe(200);
      const { result, riskEvaluation } = (await room.host.result(session.token)).body;
      const time = Date.parse(result?.document?.verifiedAt ?? '');
      expect(time).toBeGreaterThanOrEqual(servedAt - 1_000);
      expect(time).toBeLessThanOrEqual(room.clock.now());
      expect(riskEvaluation?.recommendation).toBe('ALLOW');
    },
  );

  it.each<[string, object]>([
    ['names somebody', { name: 'ERIKSSON' }],
    ['has a number', { number: 'L898902C3' }],
    ['was verified on a day that there is not', { verifiedAt: '2026-02-30T00:00:00Z' }],
    ['came from a file that was not allowed', { signs: ['file'] }],
  ])('that %s is refused and ends the session', async (_what, change) => {
    const session = await captureSession(room, ALONE);
    const document = passport({ matchScore: null, ...change });
    const refused = await answer(session, { face: undefined, document });
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused', body: { code: -23 } });
    const { body, text } = await room.host.result(session.token);
    expect(body).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', riskEvaluation: { recommendation: 'BLOCK' } });
    expect(text + room.app.logged()).not.toMatch(/ERIKSSON|L898902C3/);
  });
});

it("computes the age by the server's UTC date, fixed over midnight until another device takes over", async () => {
  const DAY_MS = 86_400_000;
  room.clock.advance(DAY_MS - (room.clock.now() % DAY_MS) - 600_000);
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [today, tomorrow] = [dateOf(room.clock.now()), dateOf(room.clock.now() + DAY_MS)];
  const session = await claimSession(room, ALONE);
  expect(session.plan.today).toBe(today);
  room.clock.advance(900_000);
  expect((await session.device.claim(session.id)).body.plan).toBe(session.planText);
  const offer = (await session.device.handoff(session.id)).body;
  const phone = await newDevice(room.app.http);
  expect(JSON.parse((await phone.claim(session.id, offer)).body.plan).today).toBe(tomorrow);
});

it('gives up with -23 after repeated unreadable documents', async () => {
  const session = await claimSession(room, ALONE);
  room.clock.advance(60_000);
  const tries: LogEntry[] = [
    ['started', 0, 1_000],
    ['retried', 0, 20_000],
    ['retried', 0, 40_000],
  ];
  expect((await session.device.report(session.id, 0, tries)).status).toBe(200);
  expect((await session.device.cancel(session.id, -23)).body.end).toEqual({ flowStatus: 'CANCELLED', errors: [-23] });
  expect((await room.host.result(session.token)).body).toMatchObject({
    sessionStatus: 'AGE_UNKNOWN',
    flowStatus: 'CANCELLED',
    errors: [{ code: -23, message: 'Document scan error' }],
    riskEvaluation: { recommendation: 'REVIEW', flags: [] },
  });
});

describe('a page reload in the second step', () => {
  /** The face is done, the document started, and then the face starts again. */
  async function goBack(): Promise<{ session: Claimed; log: LogEntry[] }> {
    const session = await claimSession(room, BOTH);
    const log: LogEntry[] = [...session.log.slice(0, FACE_ENTRIES + 1), ['retried', 0, 12_000]];
    room.clock.advance(12_000);
    expect((await session.device.report(session.id, 0, log)).status).toBe(200);
    return { session, log };
  }
  it('restarts the first step, visible to all followers', async () => {
    const session = await claimSession(room, BOTH);
    const offer = (await session.device.handoff(session.id)).body;
    room.clock.advance(3_000);
    const phone = await newDevice(room.app.http);
    await phone.claim(session.id, offer);
    const progress = async () => (await session.device.view(session.id)).body.progress;
    room.clock.advance(12_000);
    await phone.report(session.id, 0, session.log.slice(0, FACE_ENTRIES + 1));
    expect(await progress()).toEqual({ step: 1, challengesDone: 0 });
    await phone.report(session.id, FACE_ENTRIES + 1, [['retried', 0, 12_000]]);
    expect(await progress()).toEqual({ step: 0, challengesDone: 0 });
  });

  it('answers after both steps, and the repetition counts as a retry', async () => {
    const { session, log } = await goBack();
    room.clock.advance(15_000);
    const whole = [...log, ...asNextAttempt(session.log.slice(1), 12_000)];
    expect((await answer(session, { document: passport(), log: whole })).status).toBe(200);
    const { sessionStatus, riskEvaluation } = (await room.host.result(session.token)).body;
    expect(sessionStatus).toBe('AGE_AT_THRESHOLD');
    expect(riskEvaluation).toMatchObject({ recommendation: 'ALLOW', flags: [] });
  });

  it.each<[string, (log: readonly LogEntry[]) => readonly LogEntry[]]>([
    ['leaves the face undone', (course) => course.slice(FACE_ENTRIES)],
    ['takes the document for begun', (course) => [...course.slice(1, FACE_ENTRIES), course[FACE_ENTRIES + 1]!]],
    ['leaves the document out', (course) => course.slice(1, FACE_ENTRIES)],
  ])('is refused if it %s', async (_what, rest) => {
    const { session, log } = await goBack();
    room.clock.advance(15_000);
    const refused = await answer(session, {
      document: passport(),
      log: [...log, ...asNextAttempt(rest(session.log), 12_000)],
    });
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused' });
    expect((await room.host.result(session.token)).body.riskEvaluation?.flags).toContain('BEHAVIOR_OUT_OF_PLAN');
  });
});

describe('a started step-up', () => {
  const STEP_UP = { ...BOTH, requirements: ['face'], stepUpEnabled: true };
  const face = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' };

  /** The face was below, the document started, and then the face was shown again. */
  async function rollAgain() {
    const session = await claimSession(room, STEP_UP);
    const course = session.log.slice(0, FACE_ENTRIES);
    const again = asNextAttempt(course.slice(1), 12_000);
    const log: LogEntry[] = [...course, ['started', 1, 11_000], ['retried', 0, 12_000], ...again];
    room.clock.advance(30_000);
    expect((await session.device.report(session.id, 0, log)).status).toBe(200);
    return { session, log };
  }

  it('is not avoided by a sufficient face', async () => {
    const { session, log } = await rollAgain();
    expect(await answer(session, { face, document: undefined, log })).toMatchObject({ status: 422 });
    expect((await room.host.result(session.token)).body.sessionStatus).toBe('AGE_UNKNOWN');
  });

  it('decides', async () => {
    const { session, log } = await rollAgain();
    const whole: LogEntry[] = [...log, ['started', 1, 28_000], ['finished', 1, 29_000]];
    const document = passport({ thresholdResult: 'AGE_BELOW_THRESHOLD' });
    expect((await answer(session, { face, document, log: whole })).status).toBe(200);
    expect((await room.host.result(session.token)).body.sessionStatus).toBe('AGE_BELOW_THRESHOLD');
  });

  it('moves along to another device and stays due there', async () => {
    const { session } = await rollAgain();
    const offer = (await session.device.handoff(session.id)).body;
    const phone = await newDevice(room.app.http);
    const { steps } = JSON.parse((await phone.claim(session.id, offer)).body.plan);
    const due = [session.plan.steps[0]!, { ...session.plan.steps[1]!, when: 'always' } as PlanStep];
    expect(leaveOutColors(steps)).toEqual(leaveOutColors(due));
    const back = (await phone.handoff(session.id)).body;
    const again = JSON.parse((await session.device.claim(session.id, back)).body.plan);
    expect(leaveOutColors(again.steps)).toEqual(leaveOutColors(steps));
  });
});
