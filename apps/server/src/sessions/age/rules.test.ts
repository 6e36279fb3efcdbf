// The age decision: whole years, step-ups, reported document facts, and implausible answers.
import { compareAge } from '@limen/plan';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FACES, PAPER, settings } from '#testing/sessions/age-answers.ts';
import type { AgeSettings } from '../lifecycle/kinds.ts';
import { SESSION_ERRORS } from '../lifecycle/reasons.ts';
import { type DocumentAnswer, decideAge, type FaceAnswer, isDocumentDue } from './rules.ts';

describe('whole years', () => {
  it.each([
    [17.999, 18, 'AGE_BELOW_THRESHOLD'],
    [18, 18, 'AGE_AT_THRESHOLD'],
    [18.999, 18, 'AGE_AT_THRESHOLD'],
    [19, 18, 'AGE_ABOVE_THRESHOLD'],
    [-0.5, 1, 'AGE_BELOW_THRESHOLD'],
  ])('compares %d with %d as %s', (age, threshold, wanted) => {
    expect(compareAge(age, threshold)).toBe(wanted);
  });

  it('never decides better for a lower age', () => {
    const rank = ['AGE_BELOW_THRESHOLD', 'AGE_AT_THRESHOLD', 'AGE_ABOVE_THRESHOLD'];
    const age = fc.double({ min: -5, max: 130, noNaN: true });
    fc.assert(
      fc.property(age, age, fc.integer({ min: 1, max: 120 }), (one, other, threshold) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        expect(rank.indexOf(compareAge(low, threshold))).toBeLessThanOrEqual(rank.indexOf(compareAge(high, threshold)));
      }),
    );
  });
});

describe('step-up', () => {
  it.each([
    ['below the threshold', 24.99, true],
    ['at the threshold', 25, false],
    ['above the threshold', 26, false],
  ])('is decided by a lower bound %s', (_, lowerBound, due) => {
    const face: FaceAnswer = { spoof: false, estimate: 40, lowerBound };
    expect(isDocumentDue({ ...settings, stepUpEnabled: true }, face)).toBe(due);
    expect(isDocumentDue(settings, face)).toBe(false);
    expect(isDocumentDue({ ...settings, requirements: ['face', 'identity_document'] }, face)).toBe(true);
  });

  it.each([
    ['AGE_BELOW_THRESHOLD', true],
    ['AGE_AT_THRESHOLD', false],
    ['AGE_ABOVE_THRESHOLD', false],
  ] as const)('with nothing but %s', (thresholdResult, due) => {
    expect(isDocumentDue({ ...settings, stepUpEnabled: true }, { spoof: false, thresholdResult })).toBe(due);
  });

  it('stays decisive once due, even if the face would be enough later', () => {
    const stepUp = { ...settings, stepUpEnabled: true, documentAgeThreshold: 18 };
    const document: DocumentAnswer = { ...PAPER, thresholdResult: 'AGE_BELOW_THRESHOLD', matchScore: 0.9 };
    const answer = { end: 'finished', face: FACES.above, document } as const;
    expect(decideAge(stepUp, { ...answer, steppedUp: true }).sessionStatus).toBe('AGE_BELOW_THRESHOLD');
    expect(decideAge(stepUp, answer).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
    const { document: _, ...without } = answer;
    expect(decideAge(stepUp, { ...without, steppedUp: true }).errors).toMatchObject([{ code: -23 }]);
    expect(decideAge(settings, { ...answer, steppedUp: true }).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
  });

  it('is not due before a face was captured', () => {
    expect(isDocumentDue({ ...settings, stepUpEnabled: true }, undefined)).toBe(false);
    expect(isDocumentDue({ ...settings, stepUpEnabled: true }, { spoof: true })).toBe(false);
  });
});

describe('reported document facts', () => {
  const only: AgeSettings = { ...settings, requirements: ['identity_document'], documentAgeReturnFormat: 'both' };
  const read = (document: Partial<DocumentAnswer>) =>
    decideAge(only, { end: 'finished', document: { ...PAPER, age: 40, matchScore: null, ...document } }).result;

  it('are kind, issuer and verification time', () => {
    expect(read({ type: 'residence_permit', country: 'SWE', signs: ['screen'] })).toEqual({
      age: 40,
      documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact: 40 },
      document: { type: 'residence_permit', country: 'SWE', verifiedAt: '2026-03-01T12:00:00Z' },
    });
  });

  it('omit the country if the issuer is not a country', () => {
    expect(read({ country: null })?.document).toEqual({ type: 'passport', verifiedAt: '2026-03-01T12:00:00Z' });
  });

  it('are empty if no document was read or decided', () => {
    const stepUp = { ...settings, stepUpEnabled: true };
    expect(decideAge(stepUp, { end: 'finished', face: FACES.above }).result).not.toHaveProperty('document');
    const document = { ...PAPER, age: 40, matchScore: null };
    expect(decideAge(only, { end: 'cancelled', document, errors: [-23] })).toEqual({
      sessionStatus: 'AGE_UNKNOWN',
      flowStatus: 'CANCELLED',
      result: {},
      errors: [{ code: -23, message: 'Document scan error' }],
      findings: [],
    });
  });

  it('do not decide: a suspicious document is left to the risk', () => {
    expect(read({ signs: ['screen', 'photocopy', 'file'] })).toEqual(read({ signs: [] }));
  });
});

describe('an implausible answer', () => {
  const both: AgeSettings = { ...settings, requirements: ['face', 'identity_document'] };
  const face = FACES.above;

  it('decides nothing by an unrequested document', () => {
    const document = { ...PAPER, age: 40, matchScore: 1 };
    const decision = decideAge(settings, { end: 'finished', face: FACES.below, document });
    expect(decision).toMatchObject({ sessionStatus: 'AGE_BELOW_THRESHOLD', flowStatus: 'COMPLETED' });
    expect(decision.result).not.toHaveProperty('documentAge');
  });

  it.each([
    ['estimate that is none', { spoof: false, estimate: Number.NaN, lowerBound: 30 }],
    ['endless estimate', { spoof: false, estimate: Number.POSITIVE_INFINITY, lowerBound: 30 }],
    ['bound that is none', { spoof: false, estimate: 30, lowerBound: Number.NaN }],
    ['bound above the estimate', { spoof: false, estimate: 20, lowerBound: 30 }],
  ] satisfies [string, FaceAnswer][])('a face with an %s is no face', (_, unusable) => {
    const { sessionStatus, errors } = decideAge(settings, { end: 'finished', face: unusable });
    expect({ sessionStatus, codes: errors.map(({ code }) => code) }).toEqual({
      sessionStatus: 'AGE_UNKNOWN',
      codes: [-22],
    });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('ignores a document with the age %d', (age) => {
    const { sessionStatus, errors } = decideAge(both, {
      end: 'finished',
      face,
      document: { ...PAPER, age, matchScore: 1 },
    });
    expect({ sessionStatus, codes: errors.map(({ code }) => code) }).toEqual({
      sessionStatus: 'AGE_UNKNOWN',
      codes: [-23],
    });
  });

  it('fails the match if the score is not a number', () => {
    const document = { ...PAPER, age: 40, matchScore: Number.NaN };
    const decision = decideAge({ ...both, faceMatchThreshold: 0 }, { end: 'finished', face, document });
    expect(decision).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', result: { faceMatch: false } });
    expect(decision.result).not.toHaveProperty('confidenceScore');
  });

  it.each([...SESSION_ERRORS.keys(), 999])('leads to no decision with the error %d', (code) => {
    const document = { ...PAPER, age: 40, matchScore: 1 };
    const decision = decideAge(both, { end: 'finished', face, document, errors: [code, code] });
    const flowStatus = code === 1 || code === -9 ? 'COMPLETED' : 'CANCELLED';
    const errors = [{ code, message: SESSION_ERRORS.get(code) ?? 'Unknown error' }];
    const findings = code === 1 ? ['faceSpoof'] : code === -9 ? ['faceMismatch'] : [];
    expect(decision).toEqual({ sessionStatus: 'AGE_UNKNOWN', flowStatus, result: {}, errors, findings });
  });

  it('leads to no decision without a requested step', () => {
    const decision = decideAge({ ...settings, requirements: [] }, { end: 'finished', face });
    expect(decision).toEqual({
      sessionStatus: 'AGE_UNKNOWN',
      flowStatus: 'CANCELLED',
      result: {},
      errors: [],
      findings: [],
    });
  });
});

it('names every error code', () => {
  expect(SESSION_ERRORS.get(1)).toBe('Image spoof');
  expect([...SESSION_ERRORS.keys()]).toEqual([1, -5, -7, -8, -9, -10, -11, -15, -16, -20, -22, -23, 152, 153, 154]);
});
