// The test mode runs simulated answers through the real decision, for every kind of session.
import { SIMULATED_REASONS } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import type { AgeSettings, AgeStep } from '../lifecycle/kinds.ts';
import { decideAge } from './rules.ts';
import { simulateAnswer as answerAt, simulatedEnding } from './simulate.ts';

const NOON = Date.parse('2026-03-01T12:00:00.500Z');
const answerOf = (settings: AgeSettings, request: Parameters<typeof answerAt>[1]) => answerAt(settings, request, NOON);

const STEPS: AgeStep[][] = [
  ['face'],
  ['identity_document'],
  ['face', 'identity_document'],
  ['identity_document', 'face'],
];
const sessions = STEPS.flatMap((requirements) =>
  [false, true].flatMap((stepUpEnabled) =>
    [1, 18, 120].flatMap((ageThreshold) =>
      [0, 0.42, 1].map((faceMatchThreshold) =>
        settingsOf({ requirements, stepUpEnabled, ageThreshold, faceMatchThreshold }),
      ),
    ),
  ),
);

function settingsOf(wanted: Partial<AgeSettings>): AgeSettings {
  return {
    requirements: ['face'],
    ageThreshold: 18,
    documentAgeThreshold: 18,
    faceMatchThreshold: 0.42,
    stepUpEnabled: false,
    facialAgeEstimationReturnFormat: 'both',
    documentAgeReturnFormat: 'both',
    ...wanted,
  };
}

function sessionOf(wanted: Partial<AgeSettings>, more: object = {}) {
  const contents = { enableDesktop: false, enableDocumentFile: false, handoff: 'allow' as const };
  return { settings: settingsOf(wanted), ...contents, ...more };
}

describe('a session of any kind', () => {
  it.each([
    ['above', 'AGE_ABOVE_THRESHOLD'],
    ['at', 'AGE_AT_THRESHOLD'],
    ['below', 'AGE_BELOW_THRESHOLD'],
  ] as const)('can end %s', (outcome, sessionStatus) => {
    for (const settings of sessions) {
      const decision = decideAge(settings, answerOf(settings, { outcome }));
      expect(decision, JSON.stringify(settings)).toMatchObject({ sessionStatus, flowStatus: 'COMPLETED', errors: [] });
    }
  });

  it.each([
    ['camera_failure', 'CANCELLED', [-7]],
    ['desktop', 'CANCELLED', [-5]],
    ['cancelled', 'CANCELLED', []],
    ['expired', 'EXPIRED', [-8]],
  ] as const)('can end with %s', (outcome, flowStatus, codes) => {
    for (const settings of sessions) {
      const decision = decideAge(settings, answerOf(settings, { outcome }));
      expect(decision).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus });
      expect(decision.errors.map(({ code }) => code)).toEqual(codes);
    }
  });

  it('can end with a spoof if it has a face step', () => {
    for (const settings of sessions) {
      if (settings.requirements.includes('face')) {
        const decision = decideAge(settings, answerOf(settings, { outcome: 'spoof' }));
        expect(decision).toMatchObject({ flowStatus: 'COMPLETED', errors: [{ code: 1, message: 'Image spoof' }] });
      } else {
        expect(() => answerOf(settings, { outcome: 'spoof' })).toThrow('cannot be spoof');
      }
    }
  });

  it('can end with an unreadable document if one is or may be requested', () => {
    for (const settings of sessions) {
      if (settings.requirements.includes('identity_document') || settings.stepUpEnabled) {
        const decision = decideAge(settings, answerOf(settings, { outcome: 'document_failure' }));
        expect(decision).toMatchObject({
          sessionStatus: 'AGE_UNKNOWN',
          flowStatus: 'CANCELLED',
          errors: [{ code: -23 }],
        });
        expect(decision.result).toEqual({});
      } else {
        expect(() => answerOf(settings, { outcome: 'document_failure' })).toThrow('cannot be document_failure');
      }
    }
  });

  it('can end with a face mismatch if it has face and document', () => {
    for (const settings of sessions) {
      const { requirements, stepUpEnabled } = settings;
      if (requirements.length === 2 || (stepUpEnabled && requirements[0] === 'face')) {
        const decision = decideAge(settings, answerOf(settings, { outcome: 'face_mismatch' }));
        expect(decision.errors.map(({ code }) => code)).toEqual([-9]);
      } else {
        expect(() => answerOf(settings, { outcome: 'face_mismatch' })).toThrow('cannot be face_mismatch');
      }
    }
  });
});

it('simulates a plausible document, read just now', () => {
  const settings = settingsOf({ requirements: ['face', 'identity_document'] });
  const { document } = answerOf(settings, { outcome: 'above' });
  expect(document).toEqual({
    age: 23,
    matchScore: 0.9,
    type: 'passport',
    country: 'NLD',
    verifiedAt: '2026-03-01T12:00:00Z',
    signs: [],
  });
});

describe('simulated ages', () => {
  it('appear in the result', () => {
    const settings = settingsOf({ requirements: ['face', 'identity_document'] });
    const answer = answerOf(settings, { outcome: 'above', age: 17.5, documentAge: 19.25 });
    expect(decideAge(settings, answer).result).toMatchObject({
      age: 17.5,
      facialAgeEstimation: { exact: 17.5 },
      documentAge: { exact: 19.25 },
    });
  });

  it('above the threshold with the outcome below mean that only the lower bound is below', () => {
    const findings = (age: number, wanted: Partial<AgeSettings> = {}) => {
      const settings = settingsOf(wanted);
      return decideAge(settings, answerOf(settings, { outcome: 'below', age })).findings;
    };
    expect([17.9, 18, 40].map((age) => findings(age))).toEqual([['ageBelow'], ['ageBelowBound'], ['ageBelowBound']]);
    // If a document decides, its own age is below.
    for (const stepUp of [{ stepUpEnabled: true }, { requirements: ['face', 'identity_document'] as AgeStep[] }])
      expect(findings(40, stepUp)).toEqual(['ageBelow']);
  });

  it('that contradict the outcome are refused', () => {
    expect(() => answerOf(settingsOf({}), { outcome: 'above', age: 18.9 })).toThrow('body.outcome');
    expect(answerOf(settingsOf({}), { outcome: 'at', age: 18.9 }).face).toMatchObject({ estimate: 18.9 });
  });

  it('for a step outside the session are refused for any outcome', () => {
    const withDocument = settingsOf({ requirements: ['identity_document'], stepUpEnabled: true });
    for (const outcome of ['above', 'cancelled'] as const) {
      expect(() => answerOf(settingsOf({}), { outcome, documentAge: 30 })).toThrow(
        'body.documentAge needs a document step or step-up, and the session has neither',
      );
      expect(() => answerOf(withDocument, { outcome, age: 30 })).toThrow(
        'body.age needs a face step, and the session has none',
      );
    }
    expect(answerOf(withDocument, { outcome: 'above', documentAge: 30 }).document).toMatchObject({ age: 30 });
  });

  it.each([...['cancelled', 'camera_failure', 'desktop', 'expired', 'document_failure', 'spoof']] as const)(
    'are not found by %s',
    (outcome) => {
      const settings = settingsOf({ requirements: ['face', 'identity_document'] });
      for (const found of [{ age: 30 }, { documentAge: 30 }]) {
        expect(() => answerOf(settings, { outcome, ...found })).toThrow(
          `body.${Object.keys(found)} does not apply to the outcome ${outcome}, only to above, at, below, face_mismatch`,
        );
        expect(answerOf(settings, { outcome: 'face_mismatch', ...found }).end).toBe('finished');
      }
    },
  );

  it('of a document that the face makes unnecessary are refused', () => {
    const settings = settingsOf({ stepUpEnabled: true });
    expect(() => answerOf(settings, { outcome: 'above', documentAge: 20 })).toThrow(
      'body.documentAge would be ignored',
    );
    expect(answerOf(settings, { outcome: 'below', documentAge: 12 }).document).toMatchObject({ age: 12 });
  });

  it('make the step-up due', () => {
    const settings = settingsOf({ stepUpEnabled: true });
    expect(answerOf(settings, { outcome: 'above', age: 17, documentAge: 20 }).document).toMatchObject({ age: 20 });
    expect(answerOf(settings, { outcome: 'above' }).document).toBe(undefined);
  });
});

describe('a simulated error code', () => {
  it.each(SIMULATED_REASONS)('cancels the session with the error %i', (errorCode) => {
    const settings = settingsOf({});
    const decision = decideAge(settings, answerOf(settings, { outcome: 'cancelled', errorCode }));
    expect(decision).toMatchObject({ flowStatus: 'CANCELLED', errors: [{ code: errorCode }], result: {} });
  });

  it('of a replayed answer raises its flag', () => {
    const session = sessionOf({}, { enableDesktop: true });
    const { madeUpFlags } = simulatedEnding(session, { outcome: 'cancelled', errorCode: -15 }, NOON);
    expect(madeUpFlags.map(({ code }) => code)).toEqual(['BEHAVIOR_REPLAY']);
  });

  it('is refused with any other outcome', () => {
    expect(() => answerOf(settingsOf({}), { outcome: 'above', errorCode: -7 })).toThrow('body.errorCode');
  });
});

describe('an impossible simulation is refused with the possible values:', () => {
  const end = (request: Parameters<typeof answerAt>[1], session: object = {}, settings: Partial<AgeSettings> = {}) =>
    simulatedEnding(sessionOf(settings, session), request, NOON);
  const both = { requirements: ['face', 'identity_document'] as AgeStep[] };

  it('a refused computer if computers are allowed', () => {
    const desktop = { enableDesktop: true };
    expect(() => end({ outcome: 'desktop' }, desktop)).toThrow('create it without enableDesktop');
    expect(() => end({ outcome: 'cancelled', errorCode: -5 }, desktop)).toThrow(
      'body.errorCode must be a code that this session can end with: -7, -10, -11, -15, -20, -22',
    );
    expect(end({ outcome: 'desktop' }).answer).toEqual({ end: 'desktop' });
    expect(end({ outcome: 'cancelled', errorCode: -5 }).answer.errors).toEqual([-5]);
  });

  it('a reason of a step outside the session', () => {
    const document = { requirements: ['identity_document'] as AgeStep[] };
    expect(() => end({ outcome: 'cancelled', errorCode: -23 })).toThrow('body.errorCode');
    for (const errorCode of [-11, -22] as const) {
      expect(() => end({ outcome: 'cancelled', errorCode }, {}, document)).toThrow('body.errorCode');
    }
    for (const errorCode of SIMULATED_REASONS) {
      expect(end({ outcome: 'cancelled', errorCode }, {}, both).answer.errors).toEqual([errorCode]);
    }
  });

  it('flags of an unavailable handoff, document or file', () => {
    const flagged = (code: string) => ({ outcome: 'above' as const, flags: [code] });
    expect(() => end(flagged('CROSS_DEVICE'), { handoff: 'refuse' })).toThrow('handoff is "refuse"');
    expect(() => end(flagged('DOCUMENT_ON_SCREEN'))).toThrow('reads no document');
    expect(() => end(flagged('DOCUMENT_ON_SCREEN'), {}, { stepUpEnabled: true })).toThrow('reads no document');
    expect(() => end(flagged('DOCUMENT_FROM_FILE'), {}, both)).toThrow('accept an image file');
    const can = [
      end(flagged('CROSS_DEVICE')),
      end(flagged('DOCUMENT_ON_SCREEN'), {}, both),
      end({ ...flagged('DOCUMENT_PHOTOCOPY'), age: 12 }, {}, { stepUpEnabled: true }),
      end(flagged('DOCUMENT_FROM_FILE'), { enableDocumentFile: true }, both),
    ];
    expect(can.map(({ madeUpFlags }) => madeUpFlags.length)).toEqual([1, 1, 1, 1]);
  });
});

describe('a simulated proof', () => {
  const proofs = { accepted: ['age_key', 'wallet'], ageKeyMaxDays: 90, ageKeyStrength: 'face' } as const;
  const settings = settingsOf({ proofs });

  it('ends the session above, with its source', () => {
    const ageKey = decideAge(settings, answerOf(settings, { outcome: 'above', proof: 'age_key' }));
    expect(ageKey).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', flowStatus: 'COMPLETED', errors: [] });
    expect(ageKey.result).toEqual({
      ageKey: { thresholdResult: 'AGE_ABOVE_THRESHOLD', method: 'document', verifiedAt: '2026-03' },
      source: 'age_key',
    });
    expect(ageKey.findings).toEqual(['ageKeyUsed']);
    const ofFace = answerOf(settings, { outcome: 'above', proof: 'age_key', ageKeyMethod: 'face' });
    expect(decideAge(settings, ofFace).result.ageKey?.method).toBe('face');
    const wallet = decideAge(settings, answerOf(settings, { outcome: 'above', proof: 'wallet' }));
    expect(wallet.result).toEqual({
      walletProof: { thresholdResult: 'AGE_ABOVE_THRESHOLD', profile: 'eu_age', issuerCountry: 'NL' },
      source: 'wallet',
    });
    expect(wallet.findings).toEqual(['walletUsed']);
  });

  it('leaves the source to the steps if not used, and omits it if not accepted', () => {
    const ofSteps = (given: AgeSettings) => decideAge(given, answerOf(given, { outcome: 'above' })).result.source;
    expect(ofSteps(settings)).toBe('face');
    expect(ofSteps({ ...settings, requirements: ['identity_document'] })).toBe('document');
    expect(ofSteps(settingsOf({}))).toBeUndefined();
  });

  it('is refused if not accepted or impossible for the outcome', () => {
    const only = settingsOf({ proofs: { ...proofs, accepted: ['age_key'], ageKeyStrength: 'document' } });
    const wrong: [AgeSettings, Parameters<typeof answerAt>[1], RegExp][] = [
      [settingsOf({}), { outcome: 'above', proof: 'age_key' }, /must be one that the session accepts: none/],
      [only, { outcome: 'above', proof: 'wallet' }, /must be one that the session accepts: age_key/],
      [settings, { outcome: 'above', ageKeyMethod: 'face' }, /must be one that the session accepts/],
      [settings, { outcome: 'below', proof: 'age_key' }, /must be above/],
      [settings, { outcome: 'above', proof: 'age_key', age: 30 }, /body.age does not apply to a proof/],
      [settings, { outcome: 'above', proof: 'wallet', ageKeyMethod: 'face' }, /needs the proof age_key/],
      [only, { outcome: 'above', proof: 'age_key', ageKeyMethod: 'face' }, /is weaker/],
    ];
    for (const [given, request, message] of wrong) expect(() => answerOf(given, request)).toThrow(message);
    // A device that presents an unrequested proof has presented nothing.
    const unasked = answerOf(settings, { outcome: 'above', proof: 'wallet' });
    expect(decideAge(settingsOf({}), unasked)).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus: 'CANCELLED' });
  });
});

describe('a session without a camera step', () => {
  const proofs = { accepted: ['wallet'], ageKeyMaxDays: 90, ageKeyStrength: 'document' } as const;
  const settings = settingsOf({ requirements: [], proofs });

  it.each([
    [
      { outcome: 'above' },
      'body.proof is needed for above: the session has no camera step, and accepts the proofs wallet',
    ],
    [
      { outcome: 'at' },
      'body.outcome cannot be at: the session has no camera step, and a proof (wallet) can only say above',
    ],
    [{ outcome: 'below' }, 'body.outcome cannot be below'],
  ] as const)('asks for a proof: %j', (request, sentence) => {
    expect(() => answerOf(settings, request)).toThrow(sentence);
  });

  it('ends with the named proof, and without one for other outcomes', () => {
    expect(answerOf(settings, { outcome: 'above', proof: 'wallet' })).toMatchObject({ end: 'finished' });
    expect(answerOf(settings, { outcome: 'cancelled' })).toEqual({ end: 'cancelled' });
  });
});

describe('required light', () => {
  const session = sessionOf({ light: 'required', stepUpEnabled: true });

  it('requests a document if inconclusive, like a device', () => {
    const request = { outcome: 'above', documentAge: 30, flags: ['LIGHT_INCONCLUSIVE'] } as const;
    const { answer, madeUpFlags } = simulatedEnding(session, { ...request, flags: [...request.flags] }, NOON);
    expect([answer.face, answer.document, madeUpFlags]).toMatchObject([{ light: 'inconclusive' }, { age: 30 }, []]);
    expect(() => simulatedEnding(session, { outcome: 'above', documentAge: 30 }, NOON)).toThrow('a flag of the light');
  });

  it('requests no document if not as drawn, because a spoof gets no second attempt', () => {
    const { answer } = simulatedEnding(session, { outcome: 'above', flags: ['LIGHT_NOT_AS_DRAWN'] }, NOON);
    expect([answer.face, answer.document]).toMatchObject([{ light: 'not_lit' }, undefined]);
  });

  it("follows the service's setting", () => {
    const simulate = (flag: string, challenge: 'off' | 'enforce') =>
      simulatedEnding(sessionOf({}), { outcome: 'above', flags: [flag] }, NOON, challenge);
    expect(() => simulate('LIGHT_INCONCLUSIVE', 'off')).toThrow('LIGHT_CHALLENGE=off');
    expect(() => simulate('LIGHT_NOT_AS_DRAWN', 'enforce')).toThrow('simulate the outcome spoof');
    expect(simulate('LIGHT_INCONCLUSIVE', 'enforce').answer.face).toMatchObject({ light: 'inconclusive' });
  });
});
