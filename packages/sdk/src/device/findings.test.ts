// Validation of findings against plans, before anything is sealed.

import { AgeDeviceAnswer, VerificationDeviceAnswer } from '@limen/contract';
import type { FacePlanStep, LogEntry, PlanStep } from '@limen/plan';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { checkFindings, type DeviceFindings } from './findings.ts';

const MOVEMENTS = { challenges: ['blink', 'look_up', 'turn_left'], challengeMs: 15_000 } as const;
const face = (report: 'threshold' | 'age'): PlanStep => ({
  step: 'face',
  when: 'always',
  report,
  ageThreshold: 18,
  challenges: [...MOVEMENTS.challenges],
  challengeMs: MOVEMENTS.challengeMs,
});
const document = (report: 'threshold' | 'age', when: 'always' | 'face_below_threshold' = 'always'): PlanStep => ({
  step: 'identity_document',
  when,
  report,
  ageThreshold: 18,
  fromFile: false,
});

const ABOVE = { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' };
const BELOW = { spoof: false, thresholdResult: 'AGE_BELOW_THRESHOLD' };
const SHOWN = { type: 'passport', country: 'SWE', verifiedAt: '2026-03-01T12:00:00Z', signs: [] };
const MATCHED = { thresholdResult: 'AGE_AT_THRESHOLD', matchScore: 0.9, ...SHOWN };
const ALONE = { age: 18, matchScore: null, ...SHOWN };
const SEEN = { headless: ['webGL'], virtualCamera: [], browserAnomalies: ['missingWebAPIs'] };
const FACE = [face('threshold')];
const FACE_AGE = [face('age')];
const BOTH = [face('threshold'), document('threshold')];
const STEP_UP = [face('threshold'), document('threshold', 'face_below_threshold')];
const WITH_FILE: PlanStep[] = [
  { step: 'identity_document', when: 'always', report: 'age', ageThreshold: 18, fromFile: true },
];
const STEP_UP_AGE = [face('age'), document('age', 'face_below_threshold')];

const check = (steps: PlanStep[], findings: unknown) => () => checkFindings(steps, findings as DeviceFindings);

describe('findings that the plan requests', () => {
  const isAnswer = new Ajv2020({ validateSchema: false, meta: false }).compile(AgeDeviceAnswer);

  it.each([
    ['a threshold', FACE, { face: ABOVE }],
    ['a threshold with browser data', FACE, { face: ABOVE, indicators: SEEN }],
    ['without browser data', FACE, { face: ABOVE, document: undefined, indicators: null }],
    ['an age', FACE_AGE, { face: { spoof: false, estimate: 30.5, lowerBound: 25 } }],
    ['a spoof', BOTH, { face: { spoof: true } }],
    ['a document alone', [document('age')], { document: ALONE }],
    ['a document of no country', [document('age')], { document: { ...ALONE, country: null } }],
    ['a doubtful document', [document('age')], { document: { ...ALONE, signs: ['screen', 'photocopy'] } }],
    ['a document from a file', WITH_FILE, { document: { ...ALONE, signs: ['file'] } }],
    ['both', BOTH, { face: ABOVE, document: MATCHED }],
    ['a step-up that is due', STEP_UP, { face: BELOW, document: MATCHED }],
    ['a step-up that is not', STEP_UP, { face: ABOVE }],
    [
      'a step-up that is due by the lower bound',
      STEP_UP_AGE,
      { face: { spoof: false, estimate: 20, lowerBound: 17.9 }, document: { ...ALONE, age: 19, matchScore: -1 } },
    ],
    [
      'a step-up that is not, by the lower bound',
      STEP_UP_AGE,
      { face: { spoof: false, estimate: 20, lowerBound: 18 } },
    ],
  ])('pass: %s', (_, steps, findings) => {
    expect(check(steps, findings)).not.toThrow();
    const rest = { version: 1, sessionId: 's', nonce: 'n', indicators: null, log: [] };
    expect(isAnswer(JSON.parse(JSON.stringify({ ...rest, ...findings })))).toBe(true);
  });
});

const NOTHING: PlanStep[] = [{ ...(face('threshold') as FacePlanStep), report: 'none', ageThreshold: 0 }];
const ENROLL: PlanStep[] = [
  ...NOTHING,
  { step: 'identity_document', when: 'always', report: 'none', ageThreshold: 0, fromFile: false },
  { step: 'token', when: 'always', operation: 'ENROLL', gallery: 'g', modelId: 'm', sendsSelfie: false },
  { step: 'contact', when: 'always', fields: ['email'] },
];
const SEEN_DOCUMENT = { matchScore: 0.9, ...SHOWN };

describe('findings of a verification session', () => {
  const isAnswer = new Ajv2020({ validateSchema: false, meta: false }).compile(VerificationDeviceAnswer);

  it.each([
    ['a face alone', NOTHING, { face: { spoof: false } }],
    ['a spoof', ENROLL, { face: { spoof: true } }],
    ['everything', ENROLL, { face: { spoof: false }, document: SEEN_DOCUMENT, contact: { email: 'ann@example.org' } }],
    ['contact that was skipped', ENROLL, { face: { spoof: false }, document: SEEN_DOCUMENT, contact: {} }],
    ['contact that was left out', ENROLL, { face: { spoof: false }, document: SEEN_DOCUMENT }],
  ])('pass: %s', (_, steps, findings) => {
    expect(check(steps, findings)).not.toThrow();
    const rest = { version: 1, sessionId: 's', nonce: 'n', indicators: null, log: [] };
    expect(isAnswer(JSON.parse(JSON.stringify({ ...rest, ...findings })))).toBe(true);
  });

  it.each([
    [NOTHING, { face: ABOVE }, 'face must not have the field thresholdResult'],
    [ENROLL, { face: { spoof: false } }, 'document is missing'],
    [ENROLL, { face: { spoof: false }, document: MATCHED }, 'document must not have the field thresholdResult'],
    [ENROLL, { face: { spoof: true }, contact: {} }, 'contact must be omitted: a spoof'],
    [NOTHING, { face: { spoof: false }, contact: {} }, 'contact must be omitted: the plan has no contact step'],
    [
      ENROLL,
      { face: { spoof: false }, document: SEEN_DOCUMENT, contact: { phone: '1' } },
      'must not have the field phone',
    ],
    [
      ENROLL,
      { face: { spoof: false }, document: SEEN_DOCUMENT, contact: { email: 'nobody' } },
      'contact.email must be valid',
    ],
  ])('are rejected: %#', (steps, findings, message) => {
    expect(check(steps, findings)).toThrow(message);
  });
});

describe('findings that the plan does not request', () => {
  it.each([
    [FACE, undefined, 'the findings must be an object'],
    [FACE, { face: ABOVE, faces: 1 }, 'the findings must not have the field faces'],
    [FACE, {}, 'face is missing: the plan has a face step'],
    [FACE, { face: null }, 'face must be an object'],
    [FACE, { face: { thresholdResult: 'AGE_ABOVE_THRESHOLD' } }, 'face.spoof must be true or false'],
    [
      FACE,
      { face: { spoof: true, thresholdResult: 'AGE_ABOVE_THRESHOLD' } },
      'of a spoof face has exactly the fields spoof',
    ],
    [FACE, { face: { spoof: false } }, 'face.thresholdResult is missing; with report threshold'],
    [FACE, { face: { spoof: false, estimate: 30, lowerBound: 25 } }, 'face.thresholdResult is missing'],
    [FACE, { face: { ...ABOVE, estimate: 30 } }, 'face must not have the field estimate'],
    [FACE, { face: { ...BELOW, estimateBelow: 1 } }, 'face.estimateBelow must be true or false'],
    [FACE, { face: { ...ABOVE, estimateBelow: false } }, 'face.estimateBelow must be omitted'],
    [FACE, { face: { spoof: false, thresholdResult: 'ABOVE' } }, 'must be one of AGE_BELOW_THRESHOLD, AGE_AT'],
    [FACE, { face: ABOVE, document: MATCHED }, 'document must be omitted: the plan has no document step'],
    [FACE_AGE, { face: ABOVE }, 'face.estimate is missing; with report age'],
    [
      FACE_AGE,
      { face: { spoof: false, estimate: '30', lowerBound: 25 } },
      'face.estimate must be a number from 0 to 150',
    ],
    [FACE_AGE, { face: { spoof: false, estimate: Number.NaN, lowerBound: 25 } }, 'face.estimate must be a number'],
    [FACE_AGE, { face: { spoof: false, estimate: 20, lowerBound: 21 } }, 'lowerBound must not be above face.estimate'],
    [[document('age')], { face: ABOVE, document: ALONE }, 'face must be omitted'],
    [[document('age')], {}, 'document is missing: the plan has a document step'],
    [[document('age')], { document: MATCHED }, 'document.age is missing'],
    [[document('age')], { document: { ...ALONE, age: 18.5 } }, 'document.age must be a whole number from 0 to 150'],
    [[document('age')], { document: { ...ALONE, matchScore: 0.9 } }, 'matchScore must be null: the plan has no face'],
    [[document('age')], { document: { ...ALONE, name: 'X' } }, 'document must not have the field name'],
    [[document('age')], { document: { ...ALONE, type: 'licence' } }, 'document.type must be one of passport'],
    [[document('age')], { document: { ...ALONE, country: undefined } }, 'document.country is missing'],
    [[document('age')], { document: { ...ALONE, country: 'se' } }, 'document.country must be the three capital'],
    [[document('age')], { document: { ...ALONE, verifiedAt: '2026-03-01' } }, 'document.verifiedAt must be a time'],
    [[document('age')], { document: { ...ALONE, verifiedAt: '2026-13-01T00:00:00Z' } }, 'verifiedAt must be a time'],
    [[document('age')], { document: { ...ALONE, signs: ['moire'] } }, 'document.signs must list the signs seen'],
    [[document('age')], { document: { ...ALONE, signs: ['screen', 'screen'] } }, 'document.signs must list'],
    [
      [document('age')],
      { document: { ...ALONE, signs: ['file'] } },
      'must not contain file: the plan requires the camera',
    ],
    [BOTH, { face: ABOVE, document: { ...MATCHED, matchScore: undefined } }, 'document.matchScore is missing'],
    [
      BOTH,
      { face: ABOVE, document: { ...MATCHED, matchScore: 90 } },
      'matchScore must be a number from -1 to 1, or null',
    ],
    [BOTH, { face: { spoof: true }, document: MATCHED }, 'document must be omitted: a spoof'],
    [STEP_UP, { face: BELOW }, 'document is missing: the face alone is not enough'],
    [STEP_UP, { face: ABOVE, document: MATCHED }, 'document must be omitted: the face alone is enough'],
    [FACE, { face: ABOVE, indicators: [] }, 'indicators must be an object'],
    [FACE, { face: ABOVE, indicators: { headless: [] } }, 'indicators.virtualCamera is missing'],
    [FACE, { face: ABOVE, indicators: { ...SEEN, headless: ['webgl'] } }, 'indicators.headless must list the'],
  ])('are rejected: %#', (steps, findings, message) => {
    expect(check(steps, findings)).toThrow(TypeError);
    expect(check(steps, findings)).toThrow(message);
  });
});

describe('a started step-up', () => {
  const log: LogEntry[] = [
    ['started', 0, 0],
    ['finished', 0, 1],
    ['started', 1, 2],
    ['retried', 0, 3],
  ];
  const checkAfter = (findings: object) => () => checkFindings(STEP_UP, findings as DeviceFindings, log);

  it('remains required, whatever the face’s second result', () => {
    expect(checkAfter({ face: ABOVE })).toThrow('document is missing: the document step has started');
    expect(checkAfter({ face: ABOVE, document: MATCHED })).not.toThrow();
    expect(checkAfter({ face: { spoof: true } })).not.toThrow();
  });
});

describe('light and camera', () => {
  const LIT: LogEntry[] = [
    ['started', 0, 0],
    ...MOVEMENTS.challenges.flatMap((_, i): LogEntry[] => [
      ['shown', i, i * 1_000],
      ['done', i, i * 1_000 + 500],
    ]),
    ['lit', 0, 3_000],
    ['lit', 1, 3_450],
  ];
  const DARK = LIT.filter(([event]) => event !== 'lit');
  const light: FacePlanStep['light'] = {
    attempts: [{ colours: ['red', 'blue'], again: [], colourMs: 450 }],
    required: false,
  };
  const PLAN: PlanStep[] = [{ ...face('threshold'), light } as FacePlanStep];
  const say =
    (findings: unknown, log: LogEntry[], plan = PLAN) =>
    () =>
      checkFindings(plan, findings as DeviceFindings, log);

  it.each(['lit', 'not_lit', 'inconclusive'])('accepts a finding if colors were shown: %s', (found) => {
    expect(say({ face: { ...ABOVE, light: found } }, LIT)).not.toThrow();
    expect(say({ face: { ...ABOVE, light: found } }, DARK)).toThrow('face.light must be declined: the log shows');
  });

  it('must be declined if and only if no colors were shown', () => {
    expect(say({ face: { ...ABOVE, light: 'declined' } }, DARK)).not.toThrow();
    expect(say({ face: { ...ABOVE, light: 'declined' } }, LIT)).toThrow(
      'face.light must be lit or not_lit or inconclusive: the log shows 2 colors',
    );
  });

  it('must be declined if the colors were stopped', () => {
    const stopped: LogEntry[] = [...LIT, ['stopped', 1, 3_500]];
    expect(say({ face: { ...ABOVE, light: 'declined' } }, stopped)).not.toThrow();
    expect(say({ face: { ...ABOVE, light: 'lit' } }, stopped)).toThrow('face.light must be declined: the log shows');
  });

  it('requires two rounds for findings that need them, and ignores a later stop', () => {
    const twice = { ...light, attempts: [{ ...light.attempts[0]!, again: ['green' as const] }] };
    const plan: PlanStep[] = [{ ...face('threshold'), light: twice } as FacePlanStep];
    const not = { face: { ...ABOVE, light: 'not_lit' } };
    expect(say(not, LIT, plan)).toThrow('face.light must be lit or inconclusive: the log shows 2 colors');
    expect(say(not, [...LIT, ['lit', 2, 3_900]], plan)).not.toThrow();
    expect(say(not, [...LIT, ['stopped', 1, 3_900]], plan)).not.toThrow();
  });

  it.each([undefined, 'bright', true])('must be one of the four findings if the plan requests light: %s', (found) => {
    expect(say({ face: { ...ABOVE, light: found } }, DARK)).toThrow('face.light must be one of lit, not_lit');
  });

  it('must be omitted if the plan requests none', () => {
    expect(say({ face: { ...ABOVE, light: 'lit' } }, DARK, FACE)).toThrow('face.light');
  });

  it('accepts only known camera signs, each once', () => {
    expect(say({ face: ABOVE, camera: ['frame_timing', 'standing_clock'] }, DARK, FACE)).not.toThrow();
    expect(say({ face: ABOVE, camera: [] }, DARK, FACE)).not.toThrow();
    for (const camera of [['odd'], 'frame_timing', ['frame_timing', 'frame_timing']])
      expect(say({ face: ABOVE, camera }, DARK, FACE)).toThrow('camera');
  });
});
