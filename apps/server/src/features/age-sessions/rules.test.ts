// The age decision: every combination of settings and outcomes against rules written down apart from the code.

import { isDeepStrictEqual } from 'node:util';
import { type AgeReport, compareAge } from '@limen/plan';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateRisk } from '../../core/risk/evaluate-risk.ts';
import type { AgeReturnFormat, AgeSettings, AgeStep } from '../../core/sessions/kinds/age.ts';
import { SESSION_ERRORS } from '../../core/sessions/session-errors.ts';
import {
  type AgeAnswer,
  type AgeDecision,
  type DocumentAnswer,
  decideAge,
  type FaceAnswer,
  isDocumentDue,
  isOldEnough,
} from './rules.ts';

// The thresholds differ and every estimate but one is above its threshold, so that a comparison of the wrong pair shows.
const settings: AgeSettings = {
  requirements: ['face'],
  ageThreshold: 25,
  documentAgeThreshold: 18,
  faceMatchThreshold: 0.42,
  stepUpEnabled: false,
  facialAgeEstimationReturnFormat: 'threshold',
  documentAgeReturnFormat: 'threshold',
};
const FACES = {
  none: undefined,
  young: { spoof: false, estimate: 24.99, lowerBound: 20.5 },
  below: { spoof: false, estimate: 27.4, lowerBound: 24.99 },
  at: { spoof: false, estimate: 30.2, lowerBound: 25.9 },
  above: { spoof: false, estimate: 33.7, lowerBound: 26 },
  spoof: { spoof: true },
} satisfies Record<string, FaceAnswer | undefined>;
const DOCUMENT_AGES = { none: undefined, below: 17.9, at: 18.5, above: 19 };
const MATCH_SCORES = { yes: 0.42, no: 0.41, none: null };
const PAPER = { type: 'passport', country: 'NLD', verifiedAt: '2026-03-01T12:00:00Z', signs: [] } as const;
const STATUS = {
  ...({ young: 'AGE_BELOW_THRESHOLD', below: 'AGE_BELOW_THRESHOLD' } as const),
  ...({ at: 'AGE_AT_THRESHOLD', above: 'AGE_ABOVE_THRESHOLD' } as const),
};

interface Case {
  requirements: AgeStep[];
  faceFormat: AgeReturnFormat;
  documentFormat: AgeReturnFormat;
  stepUp: boolean;
  face: keyof typeof FACES;
  document: keyof typeof DOCUMENT_AGES;
  /** Whether the device says the age itself or only where it stands. */
  faceSays: AgeReport;
  documentSays: AgeReport;
  match: keyof typeof MATCH_SCORES;
  end: AgeAnswer['end'];
  errors: number[];
}

const AXES: { [K in keyof Case]: Case[K][] } = {
  requirements: [['face'], ['identity_document'], ['face', 'identity_document'], ['identity_document', 'face']],
  faceFormat: ['threshold', 'exact', 'both'],
  documentFormat: ['threshold', 'exact', 'both'],
  stepUp: [false, true],
  face: ['none', 'young', 'below', 'at', 'above', 'spoof'],
  document: ['none', 'below', 'at', 'above'],
  faceSays: ['age', 'threshold'],
  documentSays: ['age', 'threshold'],
  match: ['yes', 'no', 'none'],
  end: ['finished', 'cancelled', 'expired', 'camera_failure', 'desktop'],
  errors: [[], [-10]],
};

/** The short run takes each seventh: no axis has seven values, so that all of them meet. */
const STRIDE = onlyWhenLong(1, 7);

function* everyCase(): Generator<Case> {
  const names = Object.keys(AXES) as (keyof Case)[];
  const total = names.reduce((product, name) => product * AXES[name].length, 1);
  for (let number = 0; number < total; number += STRIDE) {
    let rest = number;
    const values = names.map((name) => {
      const value = AXES[name][rest % AXES[name].length];
      rest = Math.floor(rest / AXES[name].length);
      return [name, value];
    });
    yield Object.fromEntries(values);
  }
}

function faceOf({ face, faceSays }: Case): FaceAnswer | undefined {
  if (face === 'none' || face === 'spoof' || faceSays === 'age') return FACES[face];
  return { spoof: false, thresholdResult: STATUS[face], ...(face === 'young' && { estimateBelow: true }) };
}

function documentOf({ document, documentSays, match }: Case): DocumentAnswer | undefined {
  if (document === 'none') return undefined;
  const matchScore = MATCH_SCORES[match];
  if (documentSays === 'threshold') return { ...PAPER, thresholdResult: STATUS[document], matchScore };
  return { ...PAPER, age: DOCUMENT_AGES[document], matchScore };
}

function decideCase(one: Case): AgeDecision {
  const face = faceOf(one);
  const document = documentOf(one);
  return decideAge(
    {
      ...settings,
      requirements: one.requirements,
      stepUpEnabled: one.stepUp,
      facialAgeEstimationReturnFormat: one.faceFormat,
      documentAgeReturnFormat: one.documentFormat,
    },
    {
      ...(face && { face }),
      ...(document && { document }),
      end: one.end,
      ...(one.errors.length > 0 && { errors: one.errors }),
    },
  );
}

const asks = (one: Case, step: AgeStep) => one.requirements.includes(step);
const isBelow = ({ face }: Case) => face === 'young' || face === 'below';
const steppedUp = (one: Case) => one.stepUp && asks(one, 'face') && isBelow(one);
const needsDocument = (one: Case) => asks(one, 'identity_document') || steppedUp(one);
// A host that wants the age cannot be served with a threshold alone.
const lacksFace = (one: Case) =>
  one.face === 'none' || (one.faceSays === 'threshold' && one.faceFormat !== 'threshold');
const lacksDocument = (one: Case) =>
  one.document === 'none' || (one.documentSays === 'threshold' && one.documentFormat !== 'threshold');
const spoofCode = (one: Case) => (one.face === 'spoof' ? [1] : []);

/** Read from the top, the first that fits decides: what it is, the state of the flow, the error codes. */
const ENDS: [rule: string, fits: (one: Case) => boolean, flow: string, codes: (one: Case) => number[]][] = [
  ['expiry', ({ end }) => end === 'expired', 'EXPIRED', (one) => [-8, ...spoofCode(one), ...one.errors]],
  ['cancel', ({ end }) => end === 'cancelled', 'CANCELLED', (one) => [...spoofCode(one), ...one.errors]],
  ['camera', ({ end }) => end === 'camera_failure', 'CANCELLED', (one) => [-7, ...spoofCode(one), ...one.errors]],
  ['desktop', ({ end }) => end === 'desktop', 'CANCELLED', (one) => [-5, ...spoofCode(one), ...one.errors]],
  ['spoof', ({ face }) => face === 'spoof', 'COMPLETED', (one) => [1, ...one.errors]],
  ['error', ({ errors }) => errors.length > 0, 'CANCELLED', (one) => one.errors],
  ['no face', (one) => asks(one, 'face') && lacksFace(one), 'CANCELLED', () => [-22]],
  ['no document', (one) => needsDocument(one) && lacksDocument(one), 'CANCELLED', () => [-23]],
  ['mismatch', (one) => asks(one, 'face') && needsDocument(one) && one.match !== 'yes', 'COMPLETED', () => [-9]],
];

const FACE_BLOCK = {
  young: { thresholdResult: 'AGE_BELOW_THRESHOLD', exact: 24.99, lowerBound: 20.5 },
  below: { thresholdResult: 'AGE_BELOW_THRESHOLD', exact: 27.4, lowerBound: 24.99 },
  at: { thresholdResult: 'AGE_AT_THRESHOLD', exact: 30.2, lowerBound: 25.9 },
  above: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact: 33.7, lowerBound: 26 },
};
const DOCUMENT_BLOCK = {
  below: { thresholdResult: 'AGE_BELOW_THRESHOLD', exact: 17.9 },
  at: { thresholdResult: 'AGE_AT_THRESHOLD', exact: 18.5 },
  above: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact: 19 },
};
/** The signs are for the risk, and what was compared is told as a score. */
const SHOWN = { document: { type: 'passport', country: 'NLD', verifiedAt: '2026-03-01T12:00:00Z' } };
const FIELDS: Record<AgeReturnFormat, string[]> = {
  threshold: ['thresholdResult'],
  exact: ['thresholdResult', 'exact', 'lowerBound'],
  both: ['thresholdResult', 'exact', 'lowerBound'],
};
const keep = (block: object, format: AgeReturnFormat) =>
  Object.fromEntries(Object.entries(block).filter(([name]) => FIELDS[format].includes(name)));

function expectCase(one: Case) {
  const end = ENDS.find(([, fits]) => fits(one));
  if (end) {
    const [rule, , flowStatus, codes] = end;
    const errors = codes(one).map((code) => ({ code, message: SESSION_ERRORS.get(code) }));
    const score = one.match === 'no' ? { confidenceScore: 0.41 } : {};
    const result = rule === 'mismatch' ? { ...score, faceMatch: false, ...SHOWN } : {};
    const findings = rule === 'mismatch' ? ['faceMismatch'] : one.face === 'spoof' ? ['faceSpoof'] : [];
    return { sessionStatus: 'AGE_UNKNOWN', flowStatus, result, errors, findings };
  }
  const result: Record<string, unknown> = {};
  if (needsDocument(one)) {
    const block = DOCUMENT_BLOCK[one.document as keyof typeof DOCUMENT_BLOCK];
    Object.assign(result, SHOWN, { documentAge: keep(block, one.documentFormat) });
    if (one.documentFormat !== 'threshold' && !asks(one, 'face')) result['age'] = block.exact;
  }
  if (asks(one, 'face')) {
    const block = FACE_BLOCK[one.face as keyof typeof STATUS];
    result['facialAgeEstimation'] = keep(block, one.faceFormat);
    if (one.faceFormat !== 'threshold') result['age'] = block.exact;
    if (needsDocument(one)) Object.assign(result, { faceMatch: true, confidenceScore: 0.42 });
  }
  const decides = needsDocument(one) ? one.document : one.face;
  const byBound = needsDocument(one) || one.face === 'young' ? 'ageBelow' : 'ageBelowBound';
  const sessionStatus = STATUS[decides as keyof typeof STATUS];
  const findings = sessionStatus === 'AGE_BELOW_THRESHOLD' ? [byBound] : [];
  return { sessionStatus, flowStatus: 'COMPLETED', result, errors: [], findings };
}

/** What a host is to do with nothing else known: from what was shown, and not from what was made of it. */
function recommendationFor(one: Case): string {
  const [rule] = ENDS.find(([, fits]) => fits(one)) ?? [];
  if (rule === 'mismatch' || one.face === 'spoof') return 'BLOCK';
  if (rule !== undefined) return 'REVIEW';
  if (needsDocument(one)) return one.document === 'below' ? 'BLOCK' : 'ALLOW';
  if (one.face === 'young') return 'BLOCK';
  return one.face === 'below' ? 'REVIEW' : 'ALLOW';
}

describe('every combination', () => {
  it('is decided as the rules say', () => {
    const wrong = [];
    let count = 0;
    const outcomes = new Map<string, number>();
    for (const one of everyCase()) {
      count++;
      const decision = decideCase(one);
      const outcome = `${decision.sessionStatus} ${decision.flowStatus}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const wanted = expectCase(one);
      if (!isDeepStrictEqual(decision, wanted)) wrong.push({ one, decision, wanted });
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(count).toBe(Math.ceil(207_360 / STRIDE));
    expect([...outcomes.keys()].sort()).toEqual([
      'AGE_ABOVE_THRESHOLD COMPLETED',
      'AGE_AT_THRESHOLD COMPLETED',
      'AGE_BELOW_THRESHOLD COMPLETED',
      'AGE_UNKNOWN CANCELLED',
      'AGE_UNKNOWN COMPLETED',
      'AGE_UNKNOWN EXPIRED',
    ]);
  });

  it('is never recommended to be let in without an age at or above the threshold, and blocked where it must be', () => {
    const wrong = [];
    const met = new Set<string>();
    for (const one of everyCase()) {
      const decision = decideCase(one);
      const { flowStatus, findings, errors } = decision;
      const { recommendation } = evaluateRisk({
        indicators: null,
        behavior: null,
        documentSigns: [],
        madeUp: [],
        mayCrossDevices: true,
        tellsBehavior: true,
        flowStatus,
        findings,
        hasErrors: errors.length > 0,
        passed: isOldEnough(decision),
      });
      const wanted = recommendationFor(one);
      met.add(wanted);
      if (recommendation !== wanted) wrong.push({ one, recommendation, wanted });
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect([...met].sort()).toEqual(['ALLOW', 'BLOCK', 'REVIEW']);
  });

  it('reports no age to a host that asked for thresholds', () => {
    for (const one of everyCase()) {
      if (one.faceFormat !== 'threshold' || one.documentFormat !== 'threshold') continue;
      expect(JSON.stringify(decideCase(one))).not.toMatch(/"(age|exact|lowerBound)"/);
    }
  });
});

describe('whole years', () => {
  it.each([
    [17.999, 18, 'AGE_BELOW_THRESHOLD'],
    [18, 18, 'AGE_AT_THRESHOLD'],
    [18.999, 18, 'AGE_AT_THRESHOLD'],
    [19, 18, 'AGE_ABOVE_THRESHOLD'],
    [-0.5, 1, 'AGE_BELOW_THRESHOLD'],
  ])('%d against %d is %s', (age, threshold, wanted) => {
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
  ])('with a lower bound %s', (_, lowerBound, due) => {
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

  it('that had become due decides, also where the face would do in the end', () => {
    const stepUp = { ...settings, stepUpEnabled: true, documentAgeThreshold: 18 };
    const document: DocumentAnswer = { ...PAPER, thresholdResult: 'AGE_BELOW_THRESHOLD', matchScore: 0.9 };
    const answer = { end: 'finished', face: FACES.above, document } as const;
    expect(decideAge(stepUp, { ...answer, steppedUp: true }).sessionStatus).toBe('AGE_BELOW_THRESHOLD');
    expect(decideAge(stepUp, answer).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
    const { document: _, ...without } = answer;
    expect(decideAge(stepUp, { ...without, steppedUp: true }).errors).toMatchObject([{ code: -23 }]);
    expect(decideAge(settings, { ...answer, steppedUp: true }).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
  });

  it('is not due before there is a face', () => {
    expect(isDocumentDue({ ...settings, stepUpEnabled: true }, undefined)).toBe(false);
    expect(isDocumentDue({ ...settings, stepUpEnabled: true }, { spoof: true })).toBe(false);
  });
});

describe('what is told of a document', () => {
  const only: AgeSettings = { ...settings, requirements: ['identity_document'], documentAgeReturnFormat: 'both' };
  const read = (document: Partial<DocumentAnswer>) =>
    decideAge(only, { end: 'finished', document: { ...PAPER, age: 40, matchScore: null, ...document } }).result;

  it('is its kind, who issued it and when it was read', () => {
    expect(read({ type: 'residence_permit', country: 'SWE', signs: ['screen'] })).toEqual({
      age: 40,
      documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact: 40 },
      document: { type: 'residence_permit', country: 'SWE', verifiedAt: '2026-03-01T12:00:00Z' },
    });
  });

  it('leaves the country out where the issuer is none', () => {
    expect(read({ country: null })?.document).toEqual({ type: 'passport', verifiedAt: '2026-03-01T12:00:00Z' });
  });

  it('is nothing where none was read, or it came to no decision', () => {
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

  it('does not decide: a doubtful document is left to the risk', () => {
    expect(read({ signs: ['screen', 'photocopy', 'file'] })).toEqual(read({ signs: [] }));
  });
});

describe('answers that are not to be trusted', () => {
  const both: AgeSettings = { ...settings, requirements: ['face', 'identity_document'] };
  const face = FACES.above;

  it('a document that nobody asked for decides nothing', () => {
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

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('a document with the age %d is no document', (age) => {
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

  it('a match score that is none does not match', () => {
    const document = { ...PAPER, age: 40, matchScore: Number.NaN };
    const decision = decideAge({ ...both, faceMatchThreshold: 0 }, { end: 'finished', face, document });
    expect(decision).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', result: { faceMatch: false } });
    expect(decision.result).not.toHaveProperty('confidenceScore');
  });

  it.each([...SESSION_ERRORS.keys(), 999])('with the error %d nothing is decided', (code) => {
    const document = { ...PAPER, age: 40, matchScore: 1 };
    const decision = decideAge(both, { end: 'finished', face, document, errors: [code, code] });
    const flowStatus = code === 1 || code === -9 ? 'COMPLETED' : 'CANCELLED';
    const errors = [{ code, message: SESSION_ERRORS.get(code) ?? 'Unknown error' }];
    const findings = code === 1 ? ['faceSpoof'] : code === -9 ? ['faceMismatch'] : [];
    expect(decision).toEqual({ sessionStatus: 'AGE_UNKNOWN', flowStatus, result: {}, errors, findings });
  });

  it('without any step asked for there is no decision', () => {
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

it('names the errors', () => {
  expect(SESSION_ERRORS.get(1)).toBe('Image spoof');
  expect([...SESSION_ERRORS.keys()]).toEqual([1, -5, -7, -8, -9, -10, -11, -15, -16, -20, -22, -23, 152, 153, 154]);
});
