// Risk: combined flags, and properties for arbitrary facts.
import { RiskEvaluation, RiskSignal } from '@limen/contract';
import { LIGHT_FINDINGS, type LightFinding } from '@limen/plan';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anyBehavior,
  anyIndicators,
  CLEAN,
  calmBehavior,
  evaluate,
  HARD_TIME,
  INDICATOR_NAMES,
  indicatorsWith,
  isWeak,
} from '#testing/sessions/risk-facts.ts';
import { browserLevel, evaluateRisk, listLightFindings } from './evaluate.ts';
import { BEHAVIOR_FLAGS, type RiskFlag } from './table.ts';

describe('levels and recommendations', () => {
  // Sums of known weights on both sides of each boundary.
  it.each([
    [[], { challengeMs: [12_000], retries: 4 }, 6, 'LOW', 'ALLOW'],
    [
      ['headless.webGL', 'headless.phantom', 'headless.deviceMemory', 'headless.plugins'],
      { handoffMs: [1, 9000] },
      ...([24, 'LOW', 'ALLOW'] as const),
    ],
    [['virtualCamera.suspiciousLabels'], {}, 25, 'MEDIUM', 'REVIEW'],
    [['virtualCamera.virtualCameraSoftware', 'headless.languages', 'headless.plugins'], {}, 49, 'MEDIUM', 'REVIEW'],
    [['headless.selenium'], {}, 50, 'HIGH', 'REVIEW'],
    [['headless.webdriver', 'headless.phantom', 'headless.plugins'], { handoffMs: [1] }, 74, 'HIGH', 'REVIEW'],
    [['headless.selenium', 'virtualCamera.suspiciousLabels'], {}, 75, 'CRITICAL', 'BLOCK'],
    [['headless.webdriver', 'headless.userAgent'], {}, 100, 'CRITICAL', 'BLOCK'],
  ])('follow from %j with %j', (raised, behavior, score, level, recommendation) => {
    expect(evaluate(raised, behavior)).toMatchObject({ score, level, recommendation });
  });

  it('has both signals for an age session without data', () => {
    const risk = evaluate([], {}, { indicators: null, behavior: null });
    const nothing = { score: 0, flags: [] };
    expect(risk).toEqual({
      ...nothing,
      level: 'LOW',
      recommendation: 'ALLOW',
      signals: { behavioral: nothing, browser: nothing },
    });
  });

  it('lists the heaviest flag first', () => {
    const risk = evaluate(['headless.deviceMemory', 'headless.webdriver'], { logOrderBreaks: 2 });
    expect(risk.flags).toEqual(['HEADLESS_WEBDRIVER', 'BEHAVIOR_LOG_OUT_OF_ORDER', 'HEADLESS_DEVICE_MEMORY']);
  });
});

describe('the evaluation of arbitrary facts', () => {
  it('has the shape of the contract', () => {
    const fits = new Ajv().addSchema(RiskSignal).compile(RiskEvaluation);
    fc.assert(
      fc.property(anyIndicators, anyBehavior, fc.boolean(), (raised, behavior, blind) => {
        const risk = evaluate(raised, behavior, blind ? { indicators: null } : {});
        expect(fits(risk), JSON.stringify(fits.errors)).toBe(true);
        if (blind) expect(risk.signals.browser).toEqual({ score: 0, flags: [] });
      }),
    );
  });

  it('never lowers the score for another browser flag', () => {
    fc.assert(
      fc.property(anyIndicators, fc.constantFrom(...INDICATOR_NAMES), anyBehavior, (raised, more, behavior) => {
        const before = evaluate(raised, behavior);
        const after = evaluate([...new Set([...raised, more])], behavior);
        expect(after.score).toBeGreaterThanOrEqual(before.score);
        expect(after.flags).toEqual(expect.arrayContaining(before.flags));
      }),
    );
  });

  it('never blocks for weak flags alone', () => {
    const isWeakFlag = ({ weight, atBest }: RiskFlag) => weight > 0 && weight < 25 && atBest === undefined;
    const weakCodes = BEHAVIOR_FLAGS.filter(isWeakFlag).map(({ code }) => code);
    expect(evaluate([], HARD_TIME).flags.sort()).toEqual([...weakCodes, 'CROSS_DEVICE'].sort());
    const weakBehavior = fc.record({
      challengeMs: fc.constantFrom([], [14_000, 900, 1200], [900, 1450, 1120]),
      retries: fc.nat(9),
      handoffMs: fc.array(fc.nat(20_000), { maxLength: 5 }),
    });
    const weakIndicators = fc.subarray(INDICATOR_NAMES.filter(isWeak));
    fc.assert(
      fc.property(weakIndicators, weakBehavior, (raised, behavior) => {
        expect(evaluate(raised, behavior).recommendation).not.toBe('BLOCK');
      }),
    );
    // The score is a sum, so all of them together are the worst case.
    const worst = evaluate(INDICATOR_NAMES.filter(isWeak), HARD_TIME);
    expect(worst).toMatchObject({ level: 'HIGH', recommendation: 'REVIEW' });
  });

  it('blocks a replayed or out-of-plan answer, whatever else is true', () => {
    const kinds = fc.constantFrom('replayAttempts', 'outOfPlanAnswers');
    fc.assert(
      fc.property(anyIndicators, anyBehavior, kinds, fc.boolean(), (raised, behavior, kind, hasErrors) => {
        const risk = evaluate(raised, { ...behavior, [kind]: 1 }, { flowStatus: 'CANCELLED', hasErrors });
        expect(risk.recommendation).toBe('BLOCK');
      }),
    );
  });

  it('never lowers the score for another behavioral count', () => {
    const counts = [
      ...(['logOrderBreaks', 'retries', 'otherDeviceAttempts'] as const),
      ...(['replayAttempts', 'outOfPlanAnswers'] as const),
    ];
    fc.assert(
      fc.property(
        anyIndicators,
        anyBehavior,
        fc.constantFrom(...counts),
        fc.nat(9),
        (raised, behavior, count, more) => {
          const worse = { ...behavior, [count]: behavior[count] + more };
          expect(evaluate(raised, worse).score).toBeGreaterThanOrEqual(evaluate(raised, behavior).score);
        },
      ),
    );
  });

  it('never allows an end with errors or without a completed flow', () => {
    const bad = fc.oneof(
      fc.record({ flowStatus: fc.constantFrom('CANCELLED' as const, 'EXPIRED' as const), hasErrors: fc.boolean() }),
      fc.record({ flowStatus: fc.constant('COMPLETED' as const), hasErrors: fc.constant(true) }),
    );
    fc.assert(
      fc.property(anyIndicators, anyBehavior, bad, fc.boolean(), (raised, behavior, end, blind) => {
        const nothing = blind ? { indicators: null, behavior: null } : {};
        expect(evaluate(raised, behavior, { ...end, ...nothing }).recommendation).not.toBe('ALLOW');
      }),
    );
  });

  it('derives the recommendation from level and end, except after a wrong number', () => {
    fc.assert(
      fc.property(anyIndicators, anyBehavior, (raised, behavior) => {
        const { score, level, recommendation, signals } = evaluate(raised, behavior);
        const wanted = score < 25 ? 'LOW' : score < 50 ? 'MEDIUM' : score < 75 ? 'HIGH' : 'CRITICAL';
        expect(level).toBe(wanted);
        const isClean = level === 'LOW' && behavior.handoffNumbersWrong === 0;
        expect(recommendation).toBe(level === 'CRITICAL' ? 'BLOCK' : isClean ? 'ALLOW' : 'REVIEW');
        expect(score).toBe(Math.min(100, (signals.browser?.score ?? 0) + (signals.behavioral?.score ?? 0)));
      }),
    );
  });
});

describe('a verification session', () => {
  it('has no behavior signal, but counts course and document', () => {
    const facts = { ...CLEAN, indicators: null, tellsBehavior: false, documentSigns: ['screen'] } as const;
    const evaluation = evaluateRisk({ ...facts, behavior: null });
    expect(evaluation).toMatchObject({ score: 25, level: 'MEDIUM', flags: ['DOCUMENT_ON_SCREEN'] });
    expect(evaluation.signals).toEqual({ behavioral: null, browser: { score: 0, flags: [] } });
    const hurried = evaluateRisk({ ...facts, behavior: { ...calmBehavior, challengeMs: [1, 700, 900] } });
    expect(hurried).toMatchObject({ score: 75, recommendation: 'BLOCK', signals: { behavioral: null } });
    expect(hurried.flags).toEqual(['BEHAVIOR_CHALLENGE_TOO_FAST', 'DOCUMENT_ON_SCREEN']);
  });

  it('rates a remote-controlled browser high and an honest unusual one low', () => {
    expect(browserLevel(indicatorsWith(['headless.webdriver']))).toBe('HIGH');
    expect(browserLevel(indicatorsWith(['headless.deviceMemory', 'headless.plugins']))).toBe('LOW');
  });
});

const riskOf = (light: LightFinding, policy?: 'optional' | 'required') =>
  evaluate([], {}, { findings: listLightFindings({ spoof: false, light }, policy) });

it.each([
  ['lit', 0, 'ALLOW', []],
  ['not_lit', 50, 'REVIEW', ['LIGHT_NOT_AS_DRAWN']],
  ['inconclusive', 0, 'ALLOW', ['LIGHT_INCONCLUSIVE']],
  ['declined', 0, 'ALLOW', ['LIGHT_INCONCLUSIVE']],
] as const)('a face that is %s weighs %i and is %s', (light, score, recommendation, flags) => {
  for (const policy of [undefined, 'optional'] as const) {
    expect(riskOf(light, policy)).toMatchObject({ score, recommendation, flags });
  }
});

it('allows only a lit face if light is required', () => {
  const allowed = LIGHT_FINDINGS.filter((light) => riskOf(light, 'required').recommendation === 'ALLOW');
  expect(allowed).toEqual(['lit']);
  expect(riskOf('declined', 'required').flags).toEqual(['LIGHT_INCONCLUSIVE', 'LIGHT_REQUIRED']);
  // A missing report counts as unlit.
  expect(listLightFindings({ spoof: false }, 'required')).toEqual(['lightRequired']);
});

it('ignores light for a spoof and without a face', () => {
  expect(listLightFindings({ spoof: true }, 'required')).toEqual([]);
  expect(listLightFindings(undefined, 'required')).toEqual([]);
});
