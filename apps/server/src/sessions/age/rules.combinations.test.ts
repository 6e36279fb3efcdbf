// The age decision: every combination of settings and outcomes against independently written rules.
import { isDeepStrictEqual } from 'node:util';
import type { AgeReport } from '@limen/plan';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it } from 'vitest';
import { FACES, PAPER, settings } from '#testing/sessions/age-answers.ts';
import type { AgeReturnFormat, AgeStep } from '../lifecycle/kinds.ts';
import { SESSION_ERRORS } from '../lifecycle/reasons.ts';
import { evaluateRisk } from '../risk/evaluate.ts';
import {
  type AgeAnswer,
  type AgeDecision,
  type DocumentAnswer,
  decideAge,
  type FaceAnswer,
  isOldEnough,
} from './rules.ts';

const DOCUMENT_AGES = { none: undefined, below: 17.9, at: 18.5, above: 19 };
const MATCH_SCORES = { yes: 0.42, no: 0.41, none: null };
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
  /** Whether the device reports the age or only its side of the threshold. */
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

/** The short run takes every seventh: no axis has seven values, so all values occur. */
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

/** The first matching rule decides: outcome, flow state and error codes. */
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
/** Signs affect only the risk; the comparison is reported as a score. */
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

/** Recommendation without other facts, based on the findings alone. */
function recommendationFor(one: Case): string {
  const [rule] = ENDS.find(([, fits]) => fits(one)) ?? [];
  if (rule === 'mismatch' || one.face === 'spoof') return 'BLOCK';
  if (rule !== undefined) return 'REVIEW';
  if (needsDocument(one)) return one.document === 'below' ? 'BLOCK' : 'ALLOW';
  if (one.face === 'young') return 'BLOCK';
  return one.face === 'below' ? 'REVIEW' : 'ALLOW';
}

describe('every combination of settings and outcomes', () => {
  it('is decided by the rules', () => {
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

  it('gets ALLOW only with an age at or above the threshold, and BLOCK where required', () => {
    const wrong = [];
    const met = new Set<string>();
    for (const one of everyCase()) {
      const decision = decideCase(one);
      const { flowStatus, findings, errors } = decision;
      const { recommendation } = evaluateRisk({
        indicators: null,
        cameraSigns: [],
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

  it('reports no age to a host that requested thresholds', () => {
    for (const one of everyCase()) {
      if (one.faceFormat !== 'threshold' || one.documentFormat !== 'threshold') continue;
      expect(JSON.stringify(decideCase(one))).not.toMatch(/"(age|exact|lowerBound)"/);
    }
  });
});
