// Risk: what each flag does alone and together, honest browsers that look odd, and ends that never pass.

import { Indicators, RiskEvaluation, RiskSignal } from '@limen/contract';
import { DOCUMENT_SIGNS } from '@limen/plan';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { browserLevel, evaluateRisk, type RiskFacts } from './evaluate-risk.ts';
import type { BehaviorFacts } from './measure-behavior.ts';
import {
  BEHAVIOR_FLAGS,
  BROWSER_FLAGS,
  type BrowserFlag,
  DOCUMENT_FLAGS,
  FINDING_FLAGS,
  type Finding,
} from './risk-table.ts';

const calmBehavior: BehaviorFacts = {
  captureMs: 14_000,
  stepsStarted: 1,
  challengeMs: [900, 1450, 1120],
  logOrderBreaks: 0,
  logOverrunMs: -300,
  retries: 1,
  handoffMs: [],
  otherDeviceAttempts: 0,
  replayAttempts: 0,
  outOfPlanAnswers: 0,
  handoffNumbersWrong: 0,
};
const INDICATOR_NAMES = Object.entries(BROWSER_FLAGS).flatMap(([group, flags]) =>
  Object.keys(flags).map((name) => `${group}.${name}`),
);

/** Browser signals with the named ones raised, such as `headless.plugins`. */
function indicatorsWith(raised: readonly string[]): Indicators {
  const unknown = raised.filter((name) => !INDICATOR_NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`no such indicator: ${unknown}`);
  const groups = Object.entries(BROWSER_FLAGS).map(([group, flags]) => [
    group,
    Object.fromEntries(Object.keys(flags).map((name) => [name, raised.includes(`${group}.${name}`)])),
  ]);
  return Object.fromEntries(groups);
}

const CLEAN: Omit<RiskFacts, 'indicators' | 'behavior'> = {
  documentSigns: [],
  findings: [],
  madeUp: [],
  flowStatus: 'COMPLETED',
  hasErrors: false,
  passed: true,
  mayCrossDevices: true,
  tellsBehavior: true,
};

function evaluate(raised: readonly string[], behavior: Partial<BehaviorFacts> = {}, rest: Partial<RiskFacts> = {}) {
  return evaluateRisk({
    indicators: indicatorsWith(raised),
    behavior: { ...calmBehavior, ...behavior },
    ...CLEAN,
    ...rest,
  });
}

/** Every weak flag of the behaviour, and none that is not. */
const HARD_TIME: Partial<BehaviorFacts> = { challengeMs: [14_000, 900, 1200], retries: 9, handoffMs: [9000, 1000] };

const isWeak = (name: string) => evaluate([name]).level === 'LOW';

describe('the table', () => {
  it('has the 14, 4 and 3 indicators of the contract, each with a code of its own', () => {
    const sizes = Object.values(BROWSER_FLAGS).map((flags) => Object.keys(flags).length);
    expect(sizes).toEqual([14, 4, 3]);
    for (const [group, schema] of Object.entries(Indicators.properties))
      expect(Object.keys(BROWSER_FLAGS[group as keyof Indicators])).toEqual(Object.keys(schema.properties));
    const browser = Object.values(BROWSER_FLAGS).flatMap((flags) => Object.values<BrowserFlag>(flags));
    const ofDocument = Object.values(DOCUMENT_FLAGS).map(({ code }) => code);
    expect(ofDocument).toEqual(['DOCUMENT_ON_SCREEN', 'DOCUMENT_PHOTOCOPY', 'DOCUMENT_FROM_FILE']);
    const codes = [...browser, ...BEHAVIOR_FLAGS].map(({ code }) => code);
    const all = [...codes, ...ofDocument, ...Object.values(FINDING_FLAGS).map(({ code }) => code)];
    expect(new Set(all).size).toBe(all.length);
    for (const code of codes) expect(code).toMatch(/^(HEADLESS|CAMERA|ANOMALY|BEHAVIOR|HANDOFF)_[A-Z_]+$/);
  });

  it('calls every flag weak that an honest browser is known to raise, camera names apart', () => {
    const strong = INDICATOR_NAMES.filter((name) => !isWeak(name));
    expect(strong).toEqual([
      'headless.webdriver',
      'headless.userAgent',
      'headless.selenium',
      'virtualCamera.virtualCameraSoftware',
      'virtualCamera.suspiciousLabels',
      'browserAnomalies.automationProperties',
    ]);
  });
});

describe('one flag', () => {
  it.each(INDICATOR_NAMES)('%s raises its flag and never blocks alone', (name) => {
    const risk = evaluate([name]);
    expect(risk.flags).toHaveLength(1);
    expect(risk.score).toBeGreaterThan(0);
    expect(risk.signals.browser).toEqual({ score: risk.score, flags: risk.flags });
    expect(risk.signals.behavioral).toEqual({ score: 0, flags: [] });
    expect(risk.recommendation).not.toBe('BLOCK');
  });

  // Just on the calm side of each limit, just beyond it, and what it weighs.
  const limits: [string, Partial<BehaviorFacts>, Partial<BehaviorFacts>, number][] = [
    ['BEHAVIOR_REPLAY', { replayAttempts: 0 }, { replayAttempts: 1 }, 100],
    ['BEHAVIOR_OUT_OF_PLAN', { outOfPlanAnswers: 0 }, { outOfPlanAnswers: 1 }, 100],
    ['BEHAVIOR_CAPTURE_TOO_FAST', { captureMs: 2000 }, { captureMs: 1999 }, 50],
    ['BEHAVIOR_CHALLENGE_TOO_FAST', { challengeMs: [900, 250, 800] }, { challengeMs: [900, 249, 800] }, 50],
    ['BEHAVIOR_LOG_OUT_OF_ORDER', { logOrderBreaks: 0 }, { logOrderBreaks: 1 }, 40],
    ['BEHAVIOR_LOG_TOO_LONG', { logOverrunMs: 2999 }, { logOverrunMs: 3000 }, 40],
    ['HANDOFF_NUMBER_WRONG', { handoffNumbersWrong: 0 }, { handoffNumbersWrong: 1 }, 0],
    ['BEHAVIOR_OTHER_DEVICE', { otherDeviceAttempts: 0 }, { otherDeviceAttempts: 1 }, 30],
    ['BEHAVIOR_CHALLENGE_UNIFORM', { challengeMs: [700, 720, 701] }, { challengeMs: [700, 719, 701] }, 25],
    ['BEHAVIOR_RETRIES', { retries: 3 }, { retries: 4 }, 3],
    ['BEHAVIOR_HANDOFF_TOO_FAST', { handoffMs: [1500] }, { handoffMs: [1499] }, 6],
    ['BEHAVIOR_HANDOFF_REPEATED', { handoffMs: [9000] }, { handoffMs: [9000, 8000] }, 4],
    ['BEHAVIOR_CHALLENGE_SLOW', { challengeMs: [11_999] }, { challengeMs: [12_000] }, 3],
  ];

  it.each(limits)('%s begins at its limit', (code, calm, beyond, score) => {
    // That there was a handoff is told of either.
    const told = calm.handoffMs ? ['CROSS_DEVICE'] : [];
    expect(evaluate([], calm)).toMatchObject({ score: 0, flags: told, recommendation: 'ALLOW' });
    expect(evaluate([], beyond)).toMatchObject({ score, signals: { behavioral: { score, flags: [code, ...told] } } });
  });

  it('covers every behavioural flag', () => {
    const covered = [...limits.map(([code]) => code), 'BEHAVIOR_RETRIES_EXCESSIVE'].sort();
    expect(covered).toEqual(BEHAVIOR_FLAGS.map(({ code }) => code).sort());
    expect(evaluate([], { retries: 9 }).flags).toEqual(['BEHAVIOR_RETRIES']);
    expect(evaluate([], { retries: 10 }).flags).toEqual(['BEHAVIOR_RETRIES_EXCESSIVE', 'BEHAVIOR_RETRIES']);
  });

  it.each(['screen', 'photocopy'] as const)('a document with the sign %s lifts every score by a level', (sign) => {
    const levels = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
    for (const raised of [[], ['virtualCamera.suspiciousLabels'], ['headless.selenium'], ['headless.phantom']]) {
      const [before, after] = [evaluate(raised), evaluate(raised, {}, { documentSigns: [sign] })];
      expect(levels.indexOf(after.level)).toBe(levels.indexOf(before.level) + 1);
      expect(after.signals.behavioral).toEqual({ score: 25, flags: [DOCUMENT_FLAGS[sign].code] });
      expect(after.recommendation).not.toBe('ALLOW');
    }
  });

  it('a document from a file is told and weighs nothing', () => {
    const risk = evaluate([], {}, { documentSigns: ['file'] });
    expect(risk).toMatchObject({ score: 0, flags: ['DOCUMENT_FROM_FILE'], recommendation: 'ALLOW' });
    expect(risk.signals.behavioral).toEqual({ score: 0, flags: ['DOCUMENT_FROM_FILE'] });
  });

  it('the signs of a document count even where the course of the session is not known', () => {
    const risk = evaluate([], {}, { behavior: null, documentSigns: ['screen'] });
    expect(risk.signals.behavioral).toEqual({ score: 25, flags: ['DOCUMENT_ON_SCREEN'] });
  });

  it('asks for two seconds of every step that began', () => {
    expect(evaluate([], { captureMs: 3_999, stepsStarted: 2 }).flags).toEqual(['BEHAVIOR_CAPTURE_TOO_FAST']);
    expect(evaluate([], { captureMs: 4_000, stepsStarted: 2 }).flags).toEqual([]);
    expect(evaluate([], { captureMs: 1_999, stepsStarted: 0 }).flags).toEqual(['BEHAVIOR_CAPTURE_TOO_FAST']);
  });

  it('blocks a replayed and an out-of-plan answer, whatever else is calm', () => {
    expect(evaluate([], { replayAttempts: 1 })).toMatchObject({ level: 'CRITICAL', recommendation: 'BLOCK' });
    expect(evaluate([], { outOfPlanAnswers: 1 })).toMatchObject({ level: 'CRITICAL', recommendation: 'BLOCK' });
  });

  it('blocks answers faster than a human', () => {
    expect(evaluate([], { captureMs: 700, challengeMs: [40, 55, 41] }).recommendation).toBe('BLOCK');
  });

  it('finds nothing where there is nothing to measure, and does not let a figure that is none slip through', () => {
    expect(evaluate([], { captureMs: null, challengeMs: [], handoffMs: [] }).flags).toEqual([]);
    const risk = evaluate([], { captureMs: Number.NaN, logOverrunMs: Number.NaN });
    expect(risk.flags).toEqual(['BEHAVIOR_CAPTURE_TOO_FAST', 'BEHAVIOR_LOG_TOO_LONG']);
  });
});

// Put together from public reports of false alarms and from what these browsers switch off; not recordings.
describe('honest browsers that others take for bots', () => {
  const brave = [
    ...['headless.plugins', 'headless.deviceMemory', 'headless.connectionType', 'headless.webGL'],
    'browserAnomalies.inconsistentFingerprint',
  ];
  const wechat = [
    ...['headless.notification', 'headless.permissions', 'headless.plugins', 'headless.connectionType'],
    'browserAnomalies.missingWebAPIs',
  ];
  const browsers: Record<string, string[]> = {
    Brave: brave,
    'Brave without WebRTC': [...brave, 'headless.webRTC'],
    'Brave with the Phantom wallet': [...brave, 'headless.phantom'],
    'Chrome with the Phantom wallet': ['headless.phantom'],
    'Firefox with developer tools that pose as a phone': [
      ...['headless.connectionType', 'headless.deviceMemory', 'headless.chrome', 'headless.timing'],
      'browserAnomalies.inconsistentFingerprint',
    ],
    'WeChat on an iPhone': [...wechat, 'headless.deviceMemory'],
    'WeChat on Android': [...wechat, 'headless.chrome'],
    'ungoogled-chromium': [
      ...['headless.plugins', 'headless.webRTC', 'headless.chrome', 'headless.permissions', 'headless.webGL'],
      'headless.connectionType',
    ],
    'Chrome that downloads PDF files': ['headless.plugins'],
    'Brave without WebRTC, with the Phantom wallet': [...brave, 'headless.webRTC', 'headless.phantom'],
  };

  it.each(Object.entries(browsers))('%s is allowed', (_, raised) => {
    const risk = evaluate(raised);
    expect(risk).toMatchObject({ level: 'LOW', recommendation: 'ALLOW' });
    expect(risk.flags).toHaveLength(raised.length);
  });

  it.each(Object.entries(browsers))('%s is not blocked either when its person has a hard time', (_, raised) => {
    const { level, recommendation } = evaluate(raised, HARD_TIME);
    expect({ level, recommendation }).toEqual({
      level: expect.stringMatching(/LOW|MEDIUM/),
      recommendation: expect.stringMatching(/ALLOW|REVIEW/),
    });
  });

  it.each(Object.entries(browsers))('%s is reviewed and not blocked when a stranger has its link', (_, raised) => {
    for (const otherDeviceAttempts of [1, 5]) {
      expect(evaluate(raised, { otherDeviceAttempts }).recommendation).toBe('REVIEW');
      expect(evaluate(raised, { ...HARD_TIME, otherDeviceAttempts }).recommendation).toBe('REVIEW');
    }
  });

  it.each(Object.entries(browsers))(
    '%s is reviewed and not blocked when its document is taken for a copy',
    (_, raised) => {
      expect(evaluate(raised, {}, { documentSigns: DOCUMENT_SIGNS }).recommendation).toBe('REVIEW');
    },
  );

  it('does not block any of them for every weak flag at once', () => {
    expect(evaluate(INDICATOR_NAMES.filter(isWeak)).recommendation).toBe('REVIEW');
  });

  it('blocks a remote-controlled headless browser', () => {
    expect(evaluate(['headless.webdriver', 'headless.userAgent']).recommendation).toBe('BLOCK');
  });
});

describe('levels and recommendations', () => {
  // Sums of known weights on both sides of each border.
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
  ])('%j with %j', (raised, behavior, score, level, recommendation) => {
    expect(evaluate(raised, behavior)).toMatchObject({ score, level, recommendation });
  });

  it('has both signals of an age session also where there is no data', () => {
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

const anyIndicators = fc.subarray(INDICATOR_NAMES);
const anyBehavior = fc.record({
  captureMs: fc.option(fc.integer({ min: 0, max: 60_000 })),
  stepsStarted: fc.nat(2),
  challengeMs: fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 5 }),
  logOrderBreaks: fc.nat(2),
  logOverrunMs: fc.integer({ min: -5000, max: 5000 }),
  retries: fc.nat(12),
  handoffMs: fc.array(fc.nat(20_000), { maxLength: 3 }),
  otherDeviceAttempts: fc.nat(1),
  replayAttempts: fc.nat(1),
  outOfPlanAnswers: fc.nat(1),
  handoffNumbersWrong: fc.nat(1),
});

describe('for any facts', () => {
  it('the evaluation has the shape of the contract', () => {
    const fits = new Ajv().addSchema(RiskSignal).compile(RiskEvaluation);
    fc.assert(
      fc.property(anyIndicators, anyBehavior, fc.boolean(), (raised, behavior, blind) => {
        const risk = evaluate(raised, behavior, blind ? { indicators: null } : {});
        expect(fits(risk), JSON.stringify(fits.errors)).toBe(true);
        if (blind) expect(risk.signals.browser).toEqual({ score: 0, flags: [] });
      }),
    );
  });

  it('another browser flag never lowers the score', () => {
    fc.assert(
      fc.property(anyIndicators, fc.constantFrom(...INDICATOR_NAMES), anyBehavior, (raised, more, behavior) => {
        const before = evaluate(raised, behavior);
        const after = evaluate([...new Set([...raised, more])], behavior);
        expect(after.score).toBeGreaterThanOrEqual(before.score);
        expect(after.flags).toEqual(expect.arrayContaining(before.flags));
      }),
    );
  });

  it('no set of weak flags blocks, whatever they are and wherever they come from', () => {
    const weakCodes = BEHAVIOR_FLAGS.filter(({ weight }) => weight > 0 && weight < 25).map(({ code }) => code);
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
    // The score is a sum, so that all of them together is the worst there is.
    const worst = evaluate(INDICATOR_NAMES.filter(isWeak), HARD_TIME);
    expect(worst).toMatchObject({ level: 'HIGH', recommendation: 'REVIEW' });
  });

  it('a replayed or out-of-plan answer blocks, whatever else is true of the session', () => {
    const kinds = fc.constantFrom('replayAttempts', 'outOfPlanAnswers');
    fc.assert(
      fc.property(anyIndicators, anyBehavior, kinds, fc.boolean(), (raised, behavior, kind, hasErrors) => {
        const risk = evaluate(raised, { ...behavior, [kind]: 1 }, { flowStatus: 'CANCELLED', hasErrors });
        expect(risk.recommendation).toBe('BLOCK');
      }),
    );
  });

  it('another behavioural count never lowers the score', () => {
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

  it('an end without a completed flow, or with errors, is never allowed', () => {
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

  it('the recommendation follows from level and end alone, but where a wrong number was picked', () => {
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

describe('what an end found', () => {
  const levels: [Finding, number, string, string][] = [
    ['faceSpoof', 75, 'CRITICAL', 'BLOCK'],
    ['faceMismatch', 60, 'HIGH', 'BLOCK'],
    ['ageBelow', 0, 'LOW', 'BLOCK'],
    ['ageBelowBound', 0, 'LOW', 'REVIEW'],
    ['newDevice', 0, 'LOW', 'REVIEW'],
    ['crossDevice', 0, 'LOW', 'REVIEW'],
  ];

  it.each(levels)('%s weighs %i and is %s, %s, however calm the rest is', (finding, score, level, recommendation) => {
    const risk = evaluate([], {}, { findings: [finding] });
    expect(risk).toMatchObject({ score, level, recommendation, flags: [FINDING_FLAGS[finding].code] });
    expect(risk.signals.behavioral).toEqual({ score, flags: [FINDING_FLAGS[finding].code] });
  });

  it('never lets a spoof, a mismatch, an age below or a forged answer be allowed or reviewed, whatever else is true', () => {
    const blocking = levels.filter(([, , , recommendation]) => recommendation === 'BLOCK').map(([finding]) => finding);
    const facts = fc.record({ passed: fc.boolean(), hasErrors: fc.boolean(), tellsBehavior: fc.boolean() });
    fc.assert(
      fc.property(
        anyIndicators,
        anyBehavior,
        fc.constantFrom(...blocking),
        facts,
        (raised, behavior, finding, rest) => {
          expect(evaluate(raised, behavior, { findings: [finding], ...rest }).recommendation).toBe('BLOCK');
        },
      ),
    );
  });

  it('never allows what did not pass, though nothing was found against it', () => {
    expect(evaluate([]).recommendation).toBe('ALLOW');
    fc.assert(
      fc.property(anyIndicators, anyBehavior, fc.boolean(), (raised, behavior, tellsBehavior) => {
        expect(evaluate(raised, behavior, { passed: false, tellsBehavior }).recommendation).not.toBe('ALLOW');
      }),
    );
  });

  it('tells of a session that changed devices, and lets it pass only where it may', () => {
    const handoffMs = [9000];
    expect(evaluate([], { handoffMs })).toMatchObject({ score: 0, flags: ['CROSS_DEVICE'], recommendation: 'ALLOW' });
    const reviewed = evaluate([], { handoffMs }, { mayCrossDevices: false });
    expect(reviewed).toMatchObject({ score: 0, flags: ['CROSS_DEVICE'], recommendation: 'REVIEW' });
    expect(evaluate([], {}, { mayCrossDevices: false })).toMatchObject({ flags: [], recommendation: 'ALLOW' });
  });

  it('asks for a review where a wrong number was picked, and no stranger with a code makes a block of it', () => {
    expect(evaluate([], { handoffNumbersWrong: 1 }).recommendation).toBe('REVIEW');
    const stranger = { handoffNumbersWrong: 5, otherDeviceAttempts: 5, handoffMs: [9000] };
    expect(evaluate(['headless.webGL', 'headless.phantom'], stranger).recommendation).toBe('REVIEW');
  });

  it('raises what the test mode asks for as if it had been seen, and nothing twice', () => {
    const madeUp = [FINDING_FLAGS.newDevice, ...BEHAVIOR_FLAGS.filter(({ code }) => code === 'BEHAVIOR_RETRIES')];
    const risk = evaluate([], { retries: 4 }, { madeUp });
    expect(risk).toMatchObject({ score: 3, recommendation: 'REVIEW', flags: ['BEHAVIOR_RETRIES', 'NEW_DEVICE'] });
  });
});

describe('a verification session', () => {
  it('has no signal of behaviour, but counts what the course and a document show', () => {
    const facts = { ...CLEAN, indicators: null, tellsBehavior: false, documentSigns: ['screen'] } as const;
    const evaluation = evaluateRisk({ ...facts, behavior: null });
    expect(evaluation).toMatchObject({ score: 25, level: 'MEDIUM', flags: ['DOCUMENT_ON_SCREEN'] });
    expect(evaluation.signals).toEqual({ behavioral: null, browser: { score: 0, flags: [] } });
    const hurried = evaluateRisk({ ...facts, behavior: { ...calmBehavior, challengeMs: [1, 700, 900] } });
    expect(hurried).toMatchObject({ score: 75, recommendation: 'BLOCK', signals: { behavioral: null } });
    expect(hurried.flags).toEqual(['BEHAVIOR_CHALLENGE_TOO_FAST', 'DOCUMENT_ON_SCREEN']);
  });

  it('calls a browser that says it is remote-controlled high, and an honest odd one low', () => {
    expect(browserLevel(indicatorsWith(['headless.webdriver']))).toBe('HIGH');
    expect(browserLevel(indicatorsWith(['headless.deviceMemory', 'headless.plugins']))).toBe('LOW');
  });
});
