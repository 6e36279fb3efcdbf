// Light and the camera request, and attempts to get around them. None may succeed.

import { type FacePlanStep, LIGHT_ATTEMPTS, type LogEntry } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { newDevice, withoutLight, withSecondRound } from '#testing/device.ts';
import { captureSession, claimSession, sealFor, useDeviceApp } from '#testing/sessions/device-app.ts';

const room = useDeviceApp();
const enforcing = useDeviceApp({ LIGHT_CHALLENGE: 'enforce' });
const dark = useDeviceApp({ LIGHT_CHALLENGE: 'off' });

const GROWN = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' };
type ChangeLog = (log: LogEntry[]) => LogEntry[];
const as = (change: (entry: LogEntry, at: number, log: LogEntry[]) => LogEntry): ChangeLog => {
  return (log) => log.map(change);
};
const without = (...events: LogEntry[0][]): ChangeLog => {
  return (log) => log.filter(([event]) => !events.includes(event));
};

interface Try {
  /** Time by the service's clock. */
  afterMs?: number;
  body?: object;
  log?: ChangeLog;
  light?: string | undefined;
  other?: object;
}

/** Answers a session at human speed; `light` undefined omits the light. */
async function answer(
  app: typeof room,
  { body = {}, log = (course) => course, other = {}, afterMs = 16_000, ...told }: Try,
) {
  const session = await claimSession(app, body);
  app.clock.advance(afterMs);
  await session.device.report(session.id, 0, session.log.slice(0, 1));
  const face = { ...GROWN, ...('light' in told && { light: told.light }) };
  const envelope = await sealFor(session, { face, log: log(session.log), ...other });
  const reply = await session.device.answer(session.id, envelope);
  const { body: result } = await app.host.result(session.token);
  return { reply, result, flags: result.riskEvaluation?.flags, advice: result.riskEvaluation?.recommendation };
}

const inColors = (number: (index: number) => number): ChangeLog =>
  as(([event, index, at]) => [event, event === 'lit' ? number(index) : index, at]);

/** Repeats the course from the middle of the light with these color numbers. */
function beginAgain(number: (index: number) => number): ChangeLog {
  return (log) => {
    const first = log.slice(0, log.findIndex(([event]) => event === 'lit') + 2);
    const end = first.at(-1)![2];
    const second = inColors(number)(log.slice(1)).map(([event, index, at]): LogEntry => [event, index, end + at]);
    return [...first, ['retried', 0, end + 500], ...second];
  };
}

/** Declines further light after this many colors. */
function stopAfter(colors: number): ChangeLog {
  return (log) => {
    const shown = log.findIndex(([event]) => event === 'lit') + colors;
    const at = log[shown - 1]![2] + 100;
    return [...log.slice(0, shown), ['stopped', colors - 1, at], ['finished', 0, at + 200]];
  };
}

const stopSecond: ChangeLog = (log) => stopAfter(8)(withSecondRound(log));

const goOnAfterStop: ChangeLog = (log) => {
  const stopped = stopAfter(3)(log).slice(0, -1);
  return [...stopped, ...log.slice(stopped.length - 1)];
};

describe('a refused course', () => {
  const lit = (log: LogEntry[]) => log.filter(([event]) => event === 'lit');
  it.each<[string, Try]>([
    ['colors in another order', { log: as((entry) => (entry[0] === 'lit' ? ['lit', 5 - entry[1], entry[2]] : entry)) }],
    ['a color that is missing', { log: (log) => log.filter(([event, index]) => event !== 'lit' || index !== 3) }],
    ['the last colors missing', { log: (log) => log.filter(([event, index]) => event !== 'lit' || index < 3) }],
    [
      'all colors within 50 milliseconds',
      {
        log: (log) =>
          as((entry) => (entry[0] === 'lit' ? ['lit', entry[1], lit(log)[0]![2] + entry[1] * 10] : entry))(log),
      },
    ],
    ['light before the movements were done', { log: (log) => [log[0]!, ...lit(log), ...withoutLight(log).slice(1)] }],
    ['a finding of light that was not shown', { log: withoutLight, light: 'lit' }],
    ['doubt about light that was not shown', { log: withoutLight, light: 'inconclusive' }],
    ['light that was shown and is called declined', { light: 'declined' }],
    ['a finding of light that was stopped', { log: stopAfter(3), light: 'lit' }],
    ['doubt about light that was stopped', { log: stopAfter(3), light: 'inconclusive' }],
    ['a face that was not lit, by one round', { light: 'not_lit' }],
    ['a face that was not lit, where the first round was stopped', { log: stopAfter(5), light: 'not_lit' }],
    ['a face that was lit, where the second round was stopped', { log: stopSecond, light: 'lit' }],
    ['doubt, where the second round was stopped', { log: stopSecond, light: 'inconclusive' }],
    ['both rounds that are called declined', { log: withSecondRound, light: 'declined' }],
    ['colors after light was stopped', { log: goOnAfterStop, light: 'declined' }],
    ['a second attempt in the colors of the first', { log: beginAgain((index) => index) }],
    ['a second attempt in colors of both', { log: beginAgain((index) => (index < 3 ? 12 + index : index)) }],
    ['a second attempt in the colors of the third', { log: beginAgain((index) => 24 + index) }],
    ['a first attempt in the colors of the second', { log: inColors((index) => 12 + index) }],
    ['nothing said of light that was shown', { light: undefined }],
    ['nothing said of light that was not shown', { log: withoutLight, light: undefined }],
    ['a finding that there is not', { light: 'bright' }],
    ['the camera never asked', { log: without('asked') }],
    [
      'the camera asked at another moment',
      {
        log: (log) => [
          ...without('asked')(log).slice(0, 1),
          log.find(([event]) => event === 'asked')!,
          ...without('asked')(log).slice(1),
        ],
      },
    ],
    ['a sign of the camera that there is not', { other: { camera: ['melted'] } }],
    ['a sign of the camera twice', { other: { camera: ['frame_timing', 'frame_timing'] } }],
  ])('is refused: %s', async (_what, tried) => {
    const { reply, flags, advice } = await answer(room, tried);
    expect(reply).toMatchObject({ status: 422, error: 'answer_refused', body: { code: -22 } });
    expect([flags, advice]).toEqual([['BEHAVIOR_OUT_OF_PLAN'], 'BLOCK']);
  });

  it('has light that the plan does not request', async () => {
    const [reported, told] = [await claimSession(dark), await claimSession(dark)];
    expect(reported.plan.steps[0]).not.toHaveProperty('light');
    const movements = reported.log.slice(0, -1);
    const end = movements.at(-1)![2];
    const refused = await reported.device.report(reported.id, 0, [...movements, ['lit', 0, end + 450]]);
    expect(refused).toMatchObject({ status: 422, error: 'answer_refused' });
    dark.clock.advance(12_000);
    await told.device.report(told.id, 0, told.log);
    const envelope = await sealFor(told, { face: { ...GROWN, light: 'declined' } });
    expect(await told.device.answer(told.id, envelope)).toMatchObject({ status: 422, error: 'answer_refused' });
  });

  it('reports light too fast before any answer', async () => {
    const session = await claimSession(room);
    const course = session.log.slice(
      0,
      session.log.findIndex(([event]) => event === 'lit'),
    );
    const hurried: LogEntry[] = [...course, ['lit', 0, course.at(-1)![2] + 50]];
    expect(await session.device.report(session.id, 0, hurried)).toMatchObject({ status: 422, error: 'answer_refused' });
  });
});

describe('a face', () => {
  it('is allowed if lit as drawn', async () => {
    expect(await answer(room, {})).toMatchObject({ reply: { status: 200 }, flags: [], advice: 'ALLOW' });
  });

  it.each([
    ['declined', withoutLight, ['LIGHT_INCONCLUSIVE'], 'ALLOW'],
    ['inconclusive', (log: LogEntry[]) => log, ['LIGHT_INCONCLUSIVE'], 'ALLOW'],
    ['not_lit', withSecondRound, ['LIGHT_NOT_AS_DRAWN'], 'REVIEW'],
  ] as const)('that is %s is told of', async (light, log, flags, advice) => {
    expect(await answer(room, { light, log })).toMatchObject({ reply: { status: 200 }, flags, advice });
  });

  it('is a spoof if not lit as drawn and light is enforced', async () => {
    const { result, advice, flags } = await answer(enforcing, { light: 'not_lit', log: withSecondRound });
    expect(result).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus: 'COMPLETED', errors: [{ code: 1 }] });
    expect([advice, flags]).toEqual(['BLOCK', ['FACE_SPOOF']]);
    expect(await answer(enforcing, { light: 'declined', log: withoutLight })).toMatchObject({ advice: 'ALLOW' });
  });

  it('is reviewed if unlit in the first round and stopped in the second, enforced or not', async () => {
    for (const app of [room, enforcing]) {
      const unlit = await answer(app, { light: 'not_lit', log: stopSecond });
      expect([unlit.reply.status, unlit.advice, unlit.flags]).toEqual([200, 'REVIEW', ['LIGHT_NOT_AS_DRAWN']]);
      const unknown = await answer(app, { light: 'declined', log: stopSecond });
      expect([unknown.reply.status, unknown.advice, unknown.flags]).toEqual([200, 'ALLOW', ['LIGHT_INCONCLUSIVE']]);
    }
  });

  /** As fast as the plan allows, from the first movement. */
  const hurry = (log: LogEntry[]): LogEntry[] => {
    const movements = withoutLight(log).slice(0, -1);
    const [, , start] = log[0]!;
    const quick = as(([event, index, at]) => [event, index, start + Math.round((at - start) * 0.2)])(movements);
    const from = quick.at(-1)![2];
    const light = [1, 2, 3, 4, 5, 6].map((count): LogEntry => ['lit', count - 1, from + 400 * count]);
    return [...quick, ...light, ['finished', 0, light.at(-1)![2] + 400]];
  };

  it.each([
    ['at once', 0, 422],
    ['before the last color can be there', 1_500, 422],
    ['when the last color is there', 3_900, 200],
  ])('may report its light %s', async (_, afterMs, status) => {
    const session = await claimSession(room);
    room.clock.advance(afterMs);
    const log = hurry(session.log);
    expect(log.at(-2)![2]).toBeGreaterThan(3_600);
    expect((await session.device.report(session.id, 0, log)).status).toBe(status);
  });

  it('may report its light one color at a time', async () => {
    const session = await claimSession(room);
    let before = 0;
    for (const [place, entry] of session.log.entries()) {
      room.clock.advance(entry[2] - before);
      before = entry[2];
      expect((await session.device.report(session.id, place, [entry])).status).toBe(200);
    }
    expect((await session.device.answer(session.id, await sealFor(session))).status).toBe(200);
  });

  it("is too fast if its movements took no time on the service's clock", async () => {
    const { flags, advice } = await answer(room, { log: hurry, afterMs: 3_500 });
    expect(flags).toContain('BEHAVIOR_CAPTURE_TOO_FAST');
    expect(advice).not.toBe('ALLOW');
  });
});

describe('a session that requires light', () => {
  const body = { light: 'required' };

  it.each(['declined', 'inconclusive', 'not_lit'])('never allows a face that is %s', async (light) => {
    const log: ChangeLog = light === 'declined' ? withoutLight : withSecondRound;
    const { reply, flags, advice } = await answer(room, { body, light, log });
    expect([reply.status, advice]).toEqual([200, 'REVIEW']);
    expect(flags).toContain('LIGHT_REQUIRED');
  });

  it('requests light even if the service does not', async () => {
    const { plan } = await claimSession(dark, body);
    expect(plan.steps[0]).toMatchObject({ light: { required: true } });
    expect(await answer(dark, { body })).toMatchObject({ advice: 'ALLOW', flags: [] });
  });

  it('requires a document from people who decline, which does not compensate for it', async () => {
    const stepUp = { ...body, stepUpEnabled: true };
    const face: ChangeLog = (log) => withoutLight(log).filter(([event, index]) => index === 0 || !isOfStep(event));
    expect(await answer(room, { body: stepUp, light: 'declined', log: face })).toMatchObject({
      reply: { status: 422, error: 'answer_refused' },
      advice: 'BLOCK',
    });
    const verifiedAt = `${new Date(room.clock.now()).toISOString().slice(0, 19)}Z`;
    const shown = { matchScore: 0.9, type: 'passport', country: 'SWE', verifiedAt, signs: [] };
    const document = { thresholdResult: 'AGE_ABOVE_THRESHOLD', ...shown };
    const both = await answer(room, { body: stepUp, light: 'declined', log: withoutLight, other: { document } });
    expect(both.result).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
    expect([both.advice, both.flags]).toEqual(['REVIEW', ['LIGHT_INCONCLUSIVE', 'LIGHT_REQUIRED']]);
    // Lit people need no document.
    expect(await answer(room, { body: stepUp, log: (log) => log.slice(0, 15) })).toMatchObject({ advice: 'ALLOW' });
  });

  const isOfStep = (event: LogEntry[0]) => event === 'started' || event === 'finished';

  it('requires a face', async () => {
    const { status } = await room.host.create({ requirements: ['identity_document'], light: 'required' });
    expect(status).toBe(400);
  });
});

it("counts camera signs with the browser's, and two of them are reviewed", async () => {
  const one = await answer(room, { other: { camera: ['frame_timing'] } });
  expect([one.advice, one.flags]).toEqual(['ALLOW', ['CAMERA_FRAME_TIMING']]);
  const two = await answer(room, { other: { camera: ['frame_timing', 'request_ignored'] } });
  expect(two.advice).toBe('REVIEW');
  expect(two.result.riskEvaluation?.signals.browser).toEqual({
    score: 30,
    flags: ['CAMERA_FRAME_TIMING', 'CAMERA_REQUEST_IGNORED'],
  });
});

describe('the colors', () => {
  const lightOf = (planText: string): FacePlanStep['light'] => JSON.parse(planText).steps[0].light;

  it('differ in a second attempt, which is reported like the first', async () => {
    const { reply, advice, flags } = await answer(room, { log: beginAgain((index) => 12 + index), afterMs: 30_000 });
    expect([reply.status, advice, flags]).toEqual([200, 'ALLOW', []]);
  });

  it('count as declined if stopped: no retry and no finding', async () => {
    const optional = await answer(room, { log: stopAfter(4), light: 'declined' });
    expect(optional).toMatchObject({ reply: { status: 200 }, advice: 'ALLOW', flags: ['LIGHT_INCONCLUSIVE'] });
    const required = await answer(room, { body: { light: 'required' }, log: stopAfter(6), light: 'declined' });
    expect([required.reply.status, required.advice]).toEqual([200, 'REVIEW']);
  });

  it('stay for a reloaded page and change for a device that takes over', async () => {
    const { id, device, planText } = await captureSession(room);
    expect(lightOf((await device.claim(id)).body.plan)).toEqual(lightOf(planText));
    const { body: offer } = await device.handoff(id);
    const second = await newDevice(room.app.http, '10.0.0.9');
    const taken = lightOf((await second.claim(id, offer)).body.plan);
    expect(taken?.attempts).toHaveLength(LIGHT_ATTEMPTS);
    expect(taken?.attempts).not.toEqual(lightOf(planText)?.attempts);
  });
});
