// Age sessions in the device channel: plans, valid and invalid answers, endings.

import { Indicators } from '@limen/contract';
import type { AgeBound, DevicePlan, Movement, PlanStep } from '@limen/plan';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testOwner } from '#testing/owners.ts';
import { named, type SessionId, type SessionToken } from '../../../platform/base/ids.ts';
import type { FinishedCourse } from '../../device/flow.ts';
import type { LightChallenge } from '../../device/light.ts';
import type { AgeSessionOutcome } from '../../lifecycle/kinds.ts';
import type { Session } from '../../lifecycle/session.ts';
import type { BehaviorFacts } from '../../risk/measure-behavior.ts';
import { readContents } from '../contents.ts';
import type { AgeEnding } from '../end-session.ts';
import { decideAge } from '../rules.ts';
import { createAgeDeviceFlow } from './flow.ts';

const MOVEMENTS: Movement[] = ['blink', 'turn_left', 'look_up'];
const DRAWN = { challenges: MOVEMENTS, challengeMs: 15_000 };
const BEHAVIOR: BehaviorFacts = {
  captureMs: 9_000,
  stepsStarted: 1,
  challengeMs: [900, 1_200, 1_500],
  lightMs: 0,
  logOrderBreaks: 0,
  logOverrunMs: -50,
  retries: 0,
  handoffMs: [],
  otherDeviceAttempts: 0,
  replayAttempts: 0,
  outOfPlanAnswers: 0,
  handoffNumbersWrong: 0,
};
const keep = async () => {};
const NOON = Date.parse('2026-03-01T12:00:00Z');
const TIME: FinishedCourse = {
  servedAt: NOON - 60_000,
  answeredAt: NOON,
  begun: [],
  client: undefined,
  rhythm: [],
  carried: [],
  light: { colours: 0, isStopped: false },
};

function sessionOf(body: Parameters<typeof readContents>[0]): Session<'age'> {
  return {
    id: named<SessionId>('session'),
    kind: 'age',
    token: named<SessionToken>('token'),
    owner: testOwner('shop'),
    apiKeyId: 'key',
    state: 'capturing',
    createdAt: 0,
    expiresAt: 0,
    contents: readContents(body, true),
    outcome: undefined,
  };
}

function flowThatRecords(endsIt = true, lightChallenge: LightChallenge = 'off', ageBound?: AgeBound) {
  const endings: AgeEnding[] = [];
  const kept: unknown[] = [];
  const flow = createAgeDeviceFlow({
    async endSession(session, ending, kept_) {
      endings.push(ending);
      kept.push(kept_);
      return endsIt ? { session: { ...session, state: 'completed' }, result: {} as never } : undefined;
    },
    async expire() {},
    offersProof: () => true,
    lightChallenge,
    ageBound,
  });
  return { flow, endings, kept };
}

/** Fields that only other areas request. */
const ASKS = { operation: 'AGE', sharesSelfie: false, contact: [], passkey: false, light: false } as const;

const stepsOf = (session: Session<'age'>): PlanStep[] =>
  flowThatRecords()
    .flow(session)
    .planSteps(() => DRAWN);

function readFor(session: Session<'age'>, answer: object, common: object = {}) {
  const recorder = flowThatRecords();
  const plan = { steps: stepsOf(session) } as DevicePlan;
  const complete = { version: 1, sessionId: 'session', nonce: 'nonce', indicators: null, log: [], ...common };
  return { ...recorder, read: recorder.flow(session).readAnswer(plan, { ...complete, ...answer }, TIME) };
}

const BELOW = { spoof: false, thresholdResult: 'AGE_BELOW_THRESHOLD' };
const ABOVE = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' };
const YOUNG = { spoof: false, estimate: 20, lowerBound: 17.9 };
const GROWN = { spoof: false, estimate: 33, lowerBound: 29 };
const SHOWN = { type: 'identity_card', country: 'SWE', verifiedAt: '2026-03-01T11:59:30Z', signs: [] };
const CARD = { thresholdResult: 'AGE_ABOVE_THRESHOLD', matchScore: 0.8, ...SHOWN };
const DATED_CARD = { age: 31, matchScore: 0.8, ...SHOWN };
const SPOOF = { spoof: true };

describe('the plan', () => {
  const face = { step: 'face', when: 'always', challenges: MOVEMENTS, challengeMs: 15_000 };

  it('has the steps in the order of the requirements', () => {
    const ordered = sessionOf({
      requirements: ['identity_document', 'face'],
      ageThreshold: 25,
      documentAgeThreshold: 18,
    });
    expect(stepsOf(ordered)).toEqual([
      { step: 'identity_document', when: 'always', report: 'threshold', ageThreshold: 18, fromFile: false },
      { ...face, report: 'threshold', ageThreshold: 25 },
    ]);
  });

  it('includes the document as a conditional last step if the session may step up', () => {
    const conditional = {
      step: 'identity_document',
      when: 'face_below_threshold',
      report: 'threshold',
      fromFile: false,
    };
    expect(stepsOf(sessionOf({ stepUpEnabled: true, ageThreshold: 25, documentAgeThreshold: 18 }))).toEqual([
      { ...face, report: 'threshold', ageThreshold: 25 },
      { ...conditional, ageThreshold: 18 },
    ]);
    for (const requirements of [['face', 'identity_document'] as const, ['identity_document'] as const]) {
      const steps = stepsOf(sessionOf({ stepUpEnabled: true, requirements: [...requirements] }));
      expect(steps.map(({ when }) => when)).toEqual(requirements.map(() => 'always'));
    }
  });

  it('accepts a document file only if the host allows it', () => {
    const fromFile = (body: Parameters<typeof readContents>[0]) =>
      stepsOf(sessionOf(body)).flatMap((step) => (step.step === 'identity_document' ? [step.fromFile] : []));
    expect(fromFile({ requirements: ['identity_document'] })).toEqual([false]);
    expect(fromFile({ requirements: ['identity_document'], enableDocumentFile: true })).toEqual([true]);
    expect(fromFile({ stepUpEnabled: true, enableDocumentFile: true })).toEqual([true]);
  });

  it('requests the age from a step only if the host wants it', () => {
    const reports = stepsOf(
      sessionOf({
        requirements: ['face', 'identity_document'],
        facialAgeEstimationReturnFormat: 'exact',
        documentAgeReturnFormat: 'threshold',
      }),
    ).map((step) => 'report' in step && step.report);
    expect(reports).toEqual(['age', 'threshold']);
    const [both] = stepsOf(sessionOf({ facialAgeEstimationReturnFormat: 'both' }));
    expect(both).toMatchObject({ report: 'age' });
  });

  it("sends the service's thresholds that differ from the page's", () => {
    const bound = { spread: 1, mirror: 0.5, years: 2 };
    const stepUp = sessionOf({ stepUpEnabled: true });
    const steps = flowThatRecords(true, 'off', bound)
      .flow(stepUp)
      .planSteps(() => DRAWN);
    expect(steps.map((step) => ('ageBound' in step ? step.ageBound : undefined))).toEqual([bound, undefined]);
    expect(stepsOf(stepUp)[0]).not.toHaveProperty('ageBound');
  });

  it('draws no challenges without a face step', () => {
    const drawn: number[] = [];
    flowThatRecords()
      .flow(sessionOf({ requirements: ['identity_document'] }))
      .planSteps(() => {
        drawn.push(1);
        return DRAWN;
      });
    expect(drawn).toEqual([]);
  });
});

describe('an answer', () => {
  const faceOnly = sessionOf({});
  const faceAge = sessionOf({ facialAgeEstimationReturnFormat: 'exact' });
  const both = sessionOf({ requirements: ['face', 'identity_document'] });
  const documentFirst = sessionOf({ requirements: ['identity_document', 'face'] });
  const documentOnly = sessionOf({ requirements: ['identity_document'] });
  const stepUp = sessionOf({ stepUpEnabled: true });
  const stepUpAges = sessionOf({
    stepUpEnabled: true,
    facialAgeEstimationReturnFormat: 'both',
    documentAgeReturnFormat: 'exact',
  });

  const withFile = sessionOf({ requirements: ['identity_document'], enableDocumentFile: true });
  const ALONE = { ...CARD, matchScore: null };

  it.each<[string, Session<'age'>, object, number[], boolean]>([
    ['a face', faceOnly, { face: ABOVE }, [0], false],
    ['an estimated face', faceAge, { face: YOUNG }, [0], false],
    ['face and document', both, { face: BELOW, document: CARD }, [0, 1], false],
    ['document and face', documentFirst, { face: BELOW, document: CARD }, [0, 1], false],
    ['a document whose face was not to be compared', both, { face: ABOVE, document: ALONE }, [0, 1], false],
    [
      'a doubtful document',
      both,
      { face: ABOVE, document: { ...CARD, signs: ['photocopy', 'screen'] } },
      [0, 1],
      false,
    ],
    ['a document from a file', withFile, { document: { ...ALONE, signs: ['file'] } }, [0], false],
    ['a document of no country', both, { face: ABOVE, document: { ...CARD, country: null } }, [0, 1], false],
    ['a document', documentOnly, { document: ALONE }, [0], false],
    ['a face that needs no document', stepUp, { face: ABOVE }, [0], false],
    ['a face below the threshold with its document', stepUp, { face: BELOW, document: CARD }, [0, 1], false],
    [
      'an estimate below the threshold with its document',
      stepUpAges,
      { face: YOUNG, document: DATED_CARD },
      [0, 1],
      false,
    ],
    ['an estimate that needs no document', stepUpAges, { face: GROWN }, [0], false],
    ['a spoof', both, { face: SPOOF }, [0], true],
    ['a spoof where the document came first', documentFirst, { face: SPOOF }, [0, 1], true],
  ])('is read if it is %s', async (_, session, answer, stepsDue, cutShort) => {
    const { read, endings, kept } = readFor(session, answer);
    expect(read).toMatchObject({ stepsDue, cutShort });
    expect(await read?.end(BEHAVIOR, keep)).toEqual({ ...session, state: 'completed' });
    expect(endings).toEqual([
      { answer: { ...answer, end: 'finished' }, indicators: null, cameraSigns: [], check: TIME, behavior: BEHAVIOR },
    ]);
    expect(kept).toEqual([keep]);
  });

  it.each<[string, Session<'age'>, object]>([
    ['nothing', faceOnly, {}],
    ['an age where the threshold was asked for', faceOnly, { face: GROWN }],
    ['a threshold where the age was asked for', faceAge, { face: ABOVE }],
    ['both at once', faceAge, { face: { ...GROWN, ...ABOVE } }],
    ['a bound above its estimate', faceAge, { face: { spoof: false, estimate: 20, lowerBound: 20.1 } }],
    ['an age beyond all ages', faceAge, { face: { spoof: false, estimate: 151, lowerBound: 20 } }],
    ['a spoof with an age', faceAge, { face: { ...GROWN, spoof: true } }],
    ['a document that nobody asked for', faceOnly, { face: ABOVE, document: CARD }],
    ['a document that was not due', stepUp, { face: ABOVE, document: CARD }],
    ['an estimate that needs no document, with one', stepUpAges, { face: GROWN, document: DATED_CARD }],
    ['a missing document', both, { face: ABOVE }],
    ['a missing document that became due', stepUp, { face: BELOW }],
    ['a missing face', both, { document: CARD }],
    ['a face that nobody asked for', documentOnly, { face: ABOVE, document: CARD }],
    ['a score without a face to compare', documentOnly, { document: CARD }],
    ['a file where the camera was asked for', both, { face: ABOVE, document: { ...CARD, signs: ['file'] } }],
    ['a spoof that nobody asked for', documentOnly, { face: SPOOF }],
    ['a document after a spoof', both, { face: SPOOF, document: CARD }],
    ['an age on a document where the threshold was asked for', both, { face: ABOVE, document: DATED_CARD }],
    ['a threshold where the document’s age was asked for', stepUpAges, { face: YOUNG, document: CARD }],
    ['an age that gives the birthday away', stepUpAges, { face: YOUNG, document: { ...DATED_CARD, age: 18.2537 } }],
    ['a document without a score', both, { face: ABOVE, document: { ...CARD, matchScore: undefined } }],
    ['a score above 1', both, { face: ABOVE, document: { ...CARD, matchScore: 1.01 } }],
    ['a score that is text', both, { face: ABOVE, document: { ...CARD, matchScore: '0.8' } }],
    ['an unknown result', faceOnly, { face: { spoof: false, thresholdResult: 'AGE_UNKNOWN' } }],
    ['a field too many', faceOnly, { face: ABOVE, thresholds: {} }],
    ['a changed threshold', faceOnly, { face: { ...ABOVE, ageThreshold: 1 } }],
    ['another version', faceOnly, { face: ABOVE, version: 2 }],
    ['a log that is none', faceOnly, { face: ABOVE, log: [['started', 0]] }],
    ['a log entry that is longer', faceOnly, { face: ABOVE, log: [['started', 0, 1, 2]] }],
    ['an unknown log event', faceOnly, { face: ABOVE, log: [['skipped', 0, 1]] }],
    ['no word on indicators', faceOnly, { face: ABOVE, indicators: undefined }],
  ])('is refused if it is %s', (_, session, answer) => {
    expect(readFor(session, answer).read).toBe(undefined);
  });

  it.each([undefined, null, 7, 'text', [], {}])('is refused if it is %j', (answer) => {
    const { flow } = flowThatRecords();
    expect(flow(faceOnly).readAnswer({ steps: stepsOf(faceOnly) } as DevicePlan, answer, TIME)).toBe(undefined);
  });

  it("of any JSON that is read leads to a decision about the plan's steps", () => {
    const face = fc.constantFrom(undefined, BELOW, ABOVE, YOUNG, GROWN, SPOOF);
    const document = fc.constantFrom(undefined, CARD, DATED_CARD, ALONE, { ...DATED_CARD, matchScore: null });
    const sessions = fc.constantFrom(faceOnly, faceAge, both, documentFirst, documentOnly, stepUp, stepUpAges);
    fc.assert(
      fc.property(sessions, face, document, fc.jsonValue(), (session, seen, card, noise) => {
        const recorder = flowThatRecords();
        const plan = { steps: stepsOf(session) } as DevicePlan;
        expect(recorder.flow(session).readAnswer(plan, noise, TIME)).toBe(undefined);
        const { read, endings } = readFor(session, { ...(seen && { face: seen }), ...(card && { document: card }) });
        if (!read) return;
        void read.end(BEHAVIOR, keep);
        const { errors } = decideAge(session.contents.settings, endings[0]!.answer);
        const stranger = seen !== undefined && card !== undefined && card.matchScore === null;
        expect(errors.map(({ code }) => code)).toEqual(seen === SPOOF ? [1] : stranger ? [-9] : []);
        for (const position of read.stepsDue) expect(stepsOf(session)[position]).toBeDefined();
      }),
    );
  });

  it('is refused if the session had ended before', async () => {
    const { flow } = flowThatRecords(false);
    const answer = { version: 1, sessionId: 's', nonce: 'n', indicators: null, log: [], face: ABOVE };
    const read = flow(faceOnly).readAnswer({ steps: stepsOf(faceOnly) } as DevicePlan, answer, TIME);
    expect(await read?.end(BEHAVIOR, keep)).toBe(undefined);
    expect(await flow(faceOnly).cancel(undefined, BEHAVIOR, keep)).toBe(false);
  });
});

describe('indicators', () => {
  const none = { headless: [], virtualCamera: [], browserAnomalies: [] };
  const readWith = (indicators: unknown) => readFor(sessionOf({}), { face: ABOVE, indicators });

  it('become a yes or no for each known indicator', async () => {
    const seen = { headless: ['webGL', 'timing'], virtualCamera: ['suspiciousLabels'], browserAnomalies: [] };
    const { read, endings } = readWith(seen);
    await read?.end(BEHAVIOR, keep);
    const indicators = endings[0]?.indicators;
    const raised = Object.entries(indicators ?? {}).flatMap(([group, flags]) =>
      Object.entries(flags).flatMap(([name, flag]) => (flag ? [`${group}.${name}`] : [])),
    );
    expect(raised).toEqual(['headless.webGL', 'headless.timing', 'virtualCamera.suspiciousLabels']);
    for (const [group, { properties }] of Object.entries(Indicators.properties)) {
      expect(Object.keys(indicators?.[group as keyof Indicators] ?? {})).toEqual(Object.keys(properties));
    }
  });

  it('are refused if unknown or in the wrong group', () => {
    expect(readWith(none).read).toBeDefined();
    for (const wrong of [
      { ...none, headless: ['suspiciousLabels'] },
      { ...none, headless: ['constructor'] },
      { ...none, headless: ['__proto__'] },
      { ...none, browserAnomalies: [7] },
      { ...none, more: [] },
      { headless: [], virtualCamera: [] },
      [],
    ]) {
      expect([readWith(wrong).read, wrong]).toEqual([undefined, wrong]);
    }
  });
});

describe('ends without an answer', () => {
  it.each([
    [undefined, 'CANCELLED', []],
    [-5, 'CANCELLED', [-5]],
    [-7, 'CANCELLED', [-7]],
    [-10, 'CANCELLED', [-10]],
    [-15, 'CANCELLED', [-15]],
    [-22, 'CANCELLED', [-22]],
    [-23, 'CANCELLED', [-23]],
  ])('set flow status and codes for the code %s', async (code, flowStatus, codes) => {
    const session = sessionOf({});
    const { flow, endings, kept } = flowThatRecords();
    expect(await flow(session).cancel(code, BEHAVIOR, keep)).toBe(true);
    expect(kept).toEqual([keep]);
    expect(endings[0]).toMatchObject({ indicators: null, behavior: BEHAVIOR });
    const decision = decideAge(readContents({}, true).settings, endings[0]!.answer);
    expect(decision).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus });
    expect(decision.errors.map((error) => error.code)).toEqual(codes);
  });

  it('are shown to the page as flow status and codes', () => {
    const { flow } = flowThatRecords();
    expect(flow(sessionOf({})).endOf()).toBe(undefined);
    const outcome = {
      sessionStatus: 'AGE_UNKNOWN',
      flowStatus: 'COMPLETED',
      errors: [{ code: 1, message: 'Image spoof' }],
    } as AgeSessionOutcome;
    expect(flow({ ...sessionOf({}), outcome }).endOf()).toEqual({ flowStatus: 'COMPLETED', errors: [1] });
  });
});

it('sends the page its language, whether a computer is allowed, and the redirect', () => {
  const { flow } = flowThatRecords();
  expect(flow(sessionOf({ locale: 'de_AT', enableDesktop: true, redirectUrl: 'myapp://done' })).describe()).toEqual({
    locale: 'de-AT',
    enableDesktop: true,
    redirectUrl: 'myapp://done',
    host: 'myapp://done',
    handoff: 'allow',
    returnsByCode: false,
    asks: { ...ASKS, requester: null, steps: ['face'], mayAskForDocument: false, sendsAge: false },
  });
  const described = flow(sessionOf({})).describe();
  expect(described).toMatchObject({ locale: 'en', enableDesktop: false, redirectUrl: undefined });
});

describe('required items', () => {
  const { flow } = flowThatRecords();
  const asksOf = (body: Parameters<typeof readContents>[0]) => flow(sessionOf(body)).describe().asks;

  it('include light if the session requests it and there is a face', () => {
    expect(asksOf({ light: 'optional' }).light).toBe(true);
    expect(asksOf({}).light).toBe(false);
    expect(asksOf({ requirements: ['identity_document'] }).light).toBe(false);
  });

  it('include the required steps in order, without the conditional one', () => {
    expect(asksOf({ requirements: ['identity_document', 'face'] }).steps).toEqual(['identity_document', 'face']);
    expect(asksOf({ stepUpEnabled: true }).steps).toEqual(['face']);
  });

  it.each<[Parameters<typeof readContents>[0], boolean]>([
    [{}, false],
    [{ stepUpEnabled: true }, true],
    [{ stepUpEnabled: true, requirements: ['face', 'identity_document'] }, false],
    [{ stepUpEnabled: true, requirements: ['identity_document'] }, false],
    [{ requirements: ['face', 'identity_document'] }, false],
  ])('for %j say that a document depends on the face: %s', (body, mayAskForDocument) => {
    expect(asksOf(body).mayAskForDocument).toBe(mayAskForDocument);
  });

  it.each<[Parameters<typeof readContents>[0], boolean]>([
    [{}, false],
    [{ facialAgeEstimationReturnFormat: 'exact' }, true],
    [{ facialAgeEstimationReturnFormat: 'both' }, true],
    [{ documentAgeReturnFormat: 'exact' }, false],
    [{ documentAgeReturnFormat: 'exact', stepUpEnabled: true }, true],
    [{ documentAgeReturnFormat: 'exact', requirements: ['identity_document'] }, true],
    [{ facialAgeEstimationReturnFormat: 'exact', requirements: ['identity_document'] }, false],
  ])('for %j say that an age may leave the device: %s', (body, sendsAge) => {
    expect(asksOf(body).sendsAge).toBe(sendsAge);
  });
});
