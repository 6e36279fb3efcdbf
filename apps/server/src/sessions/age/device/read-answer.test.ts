// Document answers of a device: only requested fields at a plausible time, and the decision.
import type { DocumentPlanStep, FacePlanStep } from '@limen/plan';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgeSettings } from '../../lifecycle/kinds.ts';
import { decideAge } from '../rules.ts';
import { type ReadDeviceAnswer, readDeviceAnswer } from './flow.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const COURSE = {
  servedAt: NOON - 60_000,
  answeredAt: NOON,
  begun: [] as number[],
  client: undefined,
  rhythm: [],
  carried: [],
  light: { colours: 0, isStopped: false },
};
const FACE: FacePlanStep = {
  step: 'face',
  when: 'always',
  report: 'threshold',
  ageThreshold: 25,
  challenges: ['blink', 'turn_left', 'look_up'],
  challengeMs: 15_000,
};
const DOCUMENT: DocumentPlanStep = {
  step: 'identity_document',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  fromFile: false,
};
const DATED: DocumentPlanStep = { ...DOCUMENT, report: 'age' };
const STEP_UP: DocumentPlanStep = { ...DOCUMENT, when: 'face_below_threshold' };

const YOUNG = { spoof: false, thresholdResult: 'AGE_BELOW_THRESHOLD' };
const GROWN = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' };
const SHOWN = { type: 'identity_card', country: 'SWE', verifiedAt: '2026-03-01T11:59:30Z', signs: [] };
const CARD = { ...SHOWN, matchScore: 0.8, thresholdResult: 'AGE_ABOVE_THRESHOLD' };
const DATED_CARD = { ...SHOWN, matchScore: 0.8, age: 31 };

type Steps = Parameters<typeof readDeviceAnswer>[0];

function read(steps: Steps, found: object, course = COURSE): ReadDeviceAnswer | undefined {
  const rest = { version: 1, sessionId: 'session', nonce: 'nonce', indicators: null, log: [] };
  return readDeviceAnswer(steps, { ...rest, ...found }, course);
}

const readsCard = (change: object) => read([FACE, DOCUMENT], { face: GROWN, document: { ...CARD, ...change } });
const readsDated = (change: object) => read([FACE, DATED], { face: GROWN, document: { ...DATED_CARD, ...change } });

describe('a face below the threshold', () => {
  it.each([true, false, undefined])('may report that its estimate is below: %s', (estimateBelow) => {
    const face = { ...YOUNG, ...(estimateBelow !== undefined && { estimateBelow }) };
    expect(read([FACE], { face })?.face).toEqual(face);
  });

  it('is the only one whose estimate may be below', () => {
    for (const face of [GROWN, { spoof: false, thresholdResult: 'AGE_AT_THRESHOLD' }])
      for (const estimateBelow of [true, false])
        expect(read([FACE], { face: { ...face, estimateBelow } })).toBe(undefined);
    expect(read([FACE], { face: { ...YOUNG, estimateBelow: 1 } })).toBe(undefined);
  });
});

describe('data minimization', () => {
  it.each([
    ...['name', 'surname', 'givenNames', 'number', 'documentNumber', 'personalNumber', 'birthDate', 'dateOfBirth'],
    ...['expiry', 'sex', 'nationality', 'issuer', 'address', 'image', 'portrait', 'embedding', 'lines', 'zone', 'text'],
  ])('refuses a document with the field %s', (field) => {
    const more = { [field]: 'x' };
    expect([readsCard({}), readsDated({})]).not.toContain(undefined);
    expect([readsCard(more), readsDated(more)]).toEqual([undefined, undefined]);
    expect(read([FACE, DOCUMENT], { face: { ...GROWN, ...more }, document: CARD })).toBe(undefined);
    expect(read([FACE, DOCUMENT], { face: GROWN, document: CARD, ...more })).toBe(undefined);
  });

  it('allows a document only its six fields', () => {
    const known = Object.keys({ ...CARD, ...DATED_CARD });
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.jsonValue(), (field, value) => {
        fc.pre(!known.includes(field) && field !== '__proto__');
        expect([readsCard({ [field]: value }), readsDated({ [field]: value })]).toEqual([undefined, undefined]);
      }),
    );
  });

  it.each<[string, unknown]>([
    ['type', 'identity card'],
    ['type', null],
    ['country', 'se'],
    ['country', 'SE'],
    ['country', 'SWED'],
    ['country', 'SWE\n'],
    ['country', ''],
    ['country', undefined],
    ['verifiedAt', undefined],
    ['verifiedAt', NOON],
    ['signs', undefined],
    ['signs', ['moire']],
    ['signs', ['screen', 'screen']],
    ['signs', 'screen'],
    ['matchScore', 1.01],
    ['matchScore', undefined],
  ])('refuses a document whose %s is %j', (field, value) => {
    expect(readsCard({ [field]: value })).toBe(undefined);
  });

  it.each([18.2537, -1, 151, '18', null])('refuses the age %j, because only whole years reveal no birthday', (age) => {
    expect(readsDated({ age })).toBe(undefined);
    expect(readsDated({ age: 18 })).toBeDefined();
  });
});

describe('the verification time', () => {
  it.each([
    ['when the plan was served', '2026-03-01T11:59:00Z', '11:59:00'],
    ['in between', '2026-03-01T11:59:30Z', '11:59:30'],
    ['just now', '2026-03-01T12:00:00Z', '12:00:00'],
    ['before the plan was served, by a clock that stood still', '2026-03-01T11:12:13Z', '11:59:00'],
    ['in the future, by a clock that is fast', '2026-03-01T12:00:01Z', '12:00:00'],
    ['yesterday', '2026-02-28T12:00:00Z', '11:59:00'],
    ['in another century', '2126-03-01T12:00:00Z', '12:00:00'],
  ])('is clamped to the nearest possible time for %s: %s', (_, verifiedAt, time) => {
    expect(readsCard({ verifiedAt })?.document?.verifiedAt).toBe(`2026-03-01T${time}Z`);
  });

  it.each([
    ...['2026-02-29T12:00:00Z', '2026-02-28T24:00:00Z', '2026-02-28T23:59:60Z', '2026-03-01T12:00:00.000Z'],
    ...['2026-03-01T13:00:00+01:00', '0000-00-00T00:00:00Z', 'noon'],
  ])('is missing and refused: %s', (verifiedAt) => {
    const servedAt = Date.parse('2026-02-28T00:00:00Z');
    const found = { face: GROWN, document: { ...CARD, verifiedAt } };
    expect(read([FACE, DOCUMENT], found, { ...COURSE, servedAt })).toBe(undefined);
  });

  it.each([
    ['12:00', '12:00'],
    ['11:30', '11:30'],
    ['10:00', '11:00'],
  ])("is between the two for %s if the service's clock was set back an hour", (time, taken) => {
    const setBack = { ...COURSE, servedAt: NOON, answeredAt: NOON - 3_600_000 };
    const found = { face: GROWN, document: { ...CARD, verifiedAt: `2026-03-01T${time}:00Z` } };
    const document = read([FACE, DOCUMENT], found, setBack)?.document;
    expect(document?.verifiedAt).toBe(`2026-03-01T${taken}:00Z`);
  });
});

describe('a started step-up', () => {
  const begun = { ...COURSE, begun: [0, 1] };

  it.each([
    ['above', GROWN],
    ['at', { spoof: false, thresholdResult: 'AGE_AT_THRESHOLD' }],
    ['below', YOUNG],
  ])('stays due if the face was %s the threshold afterward', (_, face) => {
    expect(read([FACE, STEP_UP], { face }, begun)).toBe(undefined);
    expect(read([FACE, STEP_UP], { face, document: CARD }, begun)).toMatchObject({ stepsDue: [0, 1], document: CARD });
  });

  it('is dropped after a spoof', () => {
    expect(read([FACE, STEP_UP], { face: { spoof: true } }, begun)).toMatchObject({ stepsDue: [0], cutShort: true });
  });

  it('is not due if only the face step had started', () => {
    expect(read([FACE, STEP_UP], { face: GROWN }, { ...COURSE, begun: [0] })).toMatchObject({ stepsDue: [0] });
    expect(read([FACE, STEP_UP], { face: GROWN, document: CARD }, { ...COURSE, begun: [0] })).toBe(undefined);
  });
});

describe('the path from answer to decision', () => {
  const settings: AgeSettings = {
    requirements: ['face', 'identity_document'],
    ageThreshold: 25,
    documentAgeThreshold: 18,
    faceMatchThreshold: 0.42,
    stepUpEnabled: false,
    facialAgeEstimationReturnFormat: 'threshold',
    documentAgeReturnFormat: 'threshold',
  };
  const alone: AgeSettings = { ...settings, requirements: ['identity_document'] };
  const exact: AgeSettings = { ...alone, documentAgeReturnFormat: 'exact' };
  const turned: AgeSettings = { ...settings, requirements: ['identity_document', 'face'] };
  const stepUp: AgeSettings = { ...settings, requirements: ['face'], stepUpEnabled: true };
  const card = (stands: string, matchScore: number | null = 0.8) => ({
    ...SHOWN,
    matchScore,
    thresholdResult: `AGE_${stands}_THRESHOLD`,
  });
  const aged = (age: number) => ({ ...SHOWN, matchScore: null, age });

  it.each<[string, AgeSettings, Steps, object, string, number[]]>([
    ['the document alone', alone, [DOCUMENT], { document: card('AT', null) }, 'AT', []],
    ['its age below its own threshold', exact, [DATED], { document: aged(17) }, 'BELOW', []],
    ['its age at its own threshold', exact, [DATED], { document: aged(18) }, 'AT', []],
    ['its age above its own threshold', exact, [DATED], { document: aged(19) }, 'ABOVE', []],
    ['a young document, old face', settings, [FACE, DOCUMENT], { face: GROWN, document: card('BELOW') }, 'BELOW', []],
    ['an old document, young face', settings, [FACE, DOCUMENT], { face: YOUNG, document: card('ABOVE') }, 'ABOVE', []],
    ['the same, document first', turned, [DOCUMENT, FACE], { face: YOUNG, document: card('ABOVE') }, 'ABOVE', []],
    ['a step-up that was due', stepUp, [FACE, STEP_UP], { face: YOUNG, document: card('AT') }, 'AT', []],
    ['a step-up that was not', stepUp, [FACE, STEP_UP], { face: GROWN }, 'ABOVE', []],
    ['another’s document', settings, [FACE, DOCUMENT], { face: GROWN, document: card('AT', 0.41) }, 'UNKNOWN', [-9]],
    ['another’s, shown first', turned, [DOCUMENT, FACE], { face: GROWN, document: card('AT', -0.1) }, 'UNKNOWN', [-9]],
    ['another’s at a step-up', stepUp, [FACE, STEP_UP], { face: YOUNG, document: card('AT', 0.2) }, 'UNKNOWN', [-9]],
    ['no face on it', settings, [FACE, DOCUMENT], { face: GROWN, document: card('AT', null) }, 'UNKNOWN', [-9]],
    ['a score that just suffices', settings, [FACE, DOCUMENT], { face: GROWN, document: card('AT', 0.42) }, 'AT', []],
  ])('decides %s', (_, session, steps, found, status, codes) => {
    const { face, document } = read(steps, found) ?? expect.unreachable();
    const decision = decideAge(session, { ...(face && { face }), ...(document && { document }), end: 'finished' });
    expect(decision.sessionStatus).toBe(status === 'UNKNOWN' ? 'AGE_UNKNOWN' : `AGE_${status}_THRESHOLD`);
    expect(decision.flowStatus).toBe('COMPLETED');
    expect(decision.errors.map(({ code }) => code)).toEqual(codes);
    const { signs: _signs, ...shown } = SHOWN;
    expect(decision.result?.document).toEqual('document' in found ? shown : undefined);
  });
});
