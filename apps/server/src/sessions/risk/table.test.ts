// The table of risk flags: its entries, each alone, and the limits of behavioral ones.
import { Indicators } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { evaluate, INDICATOR_NAMES, isWeak } from '#testing/sessions/risk-facts.ts';
import type { BehaviorFacts } from './measure-behavior.ts';
import { BEHAVIOR_FLAGS, BROWSER_FLAGS, type BrowserFlag, DOCUMENT_FLAGS, FINDING_FLAGS } from './table.ts';

describe('the table', () => {
  it('has the 14, 4 and 3 indicators of the contract, each with its own code', () => {
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

  it('calls every flag weak that honest browsers raise, except camera names', () => {
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

  // Just inside each limit, just beyond it, and the weight.
  const limits: [string, Partial<BehaviorFacts>, Partial<BehaviorFacts>, number][] = [
    ['BEHAVIOR_REPLAY', { replayAttempts: 0 }, { replayAttempts: 1 }, 100],
    ['BEHAVIOR_OUT_OF_PLAN', { outOfPlanAnswers: 0 }, { outOfPlanAnswers: 1 }, 100],
    ['BEHAVIOR_CAPTURE_TOO_FAST', { captureMs: 2000 }, { captureMs: 1999 }, 50],
    ['BEHAVIOR_CHALLENGE_TOO_FAST', { challengeMs: [900, 250, 800] }, { challengeMs: [900, 249, 800] }, 50],
    ['BEHAVIOR_LOG_OUT_OF_ORDER', { logOrderBreaks: 0 }, { logOrderBreaks: 1 }, 40],
    ['BEHAVIOR_LOG_TOO_LONG', { logOverrunMs: 499 }, { logOverrunMs: 500 }, 20],
    ['HANDOFF_NUMBER_WRONG', { handoffNumbersWrong: 0 }, { handoffNumbersWrong: 1 }, 0],
    ['BEHAVIOR_OTHER_DEVICE', { otherDeviceAttempts: 0 }, { otherDeviceAttempts: 1 }, 30],
    ['BEHAVIOR_CHALLENGE_UNIFORM', { challengeMs: [700, 720, 701] }, { challengeMs: [700, 719, 701] }, 25],
    ['BEHAVIOR_RETRIES', { retries: 3 }, { retries: 4 }, 3],
    ['BEHAVIOR_HANDOFF_TOO_FAST', { handoffMs: [1500] }, { handoffMs: [1499] }, 6],
    ['BEHAVIOR_HANDOFF_REPEATED', { handoffMs: [9000] }, { handoffMs: [9000, 8000] }, 4],
    ['BEHAVIOR_CHALLENGE_SLOW', { challengeMs: [11_999] }, { challengeMs: [12_000] }, 3],
  ];

  it.each(limits)('%s starts at its limit', (code, calm, beyond, score) => {
    // The handoff itself is reported too.
    const told = calm.handoffMs ? ['CROSS_DEVICE'] : [];
    expect(evaluate([], calm)).toMatchObject({ score: 0, flags: told, recommendation: 'ALLOW' });
    expect(evaluate([], beyond)).toMatchObject({ score, signals: { behavioral: { score, flags: [code, ...told] } } });
  });

  it('covers every behavioral flag', () => {
    const covered = [...limits.map(([code]) => code), 'BEHAVIOR_RETRIES_EXCESSIVE'].sort();
    expect(covered).toEqual(BEHAVIOR_FLAGS.map(({ code }) => code).sort());
    expect(evaluate([], { retries: 9 }).flags).toEqual(['BEHAVIOR_RETRIES']);
    expect(evaluate([], { retries: 10 }).flags).toEqual(['BEHAVIOR_RETRIES_EXCESSIVE', 'BEHAVIOR_RETRIES']);
  });

  it.each(['screen', 'photocopy'] as const)('raises every score by a level for a document with the sign %s', (sign) => {
    const levels = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
    for (const raised of [[], ['virtualCamera.suspiciousLabels'], ['headless.selenium'], ['headless.phantom']]) {
      const [before, after] = [evaluate(raised), evaluate(raised, {}, { documentSigns: [sign] })];
      expect(levels.indexOf(after.level)).toBe(levels.indexOf(before.level) + 1);
      expect(after.signals.behavioral).toEqual({ score: 25, flags: [DOCUMENT_FLAGS[sign].code] });
      expect(after.recommendation).not.toBe('ALLOW');
    }
  });

  it('reports a document from a file without weight', () => {
    const risk = evaluate([], {}, { documentSigns: ['file'] });
    expect(risk).toMatchObject({ score: 0, flags: ['DOCUMENT_FROM_FILE'], recommendation: 'ALLOW' });
    expect(risk.signals.behavioral).toEqual({ score: 0, flags: ['DOCUMENT_FROM_FILE'] });
  });

  it('counts document signs even without a known course', () => {
    const risk = evaluate([], {}, { behavior: null, documentSigns: ['screen'] });
    expect(risk.signals.behavioral).toEqual({ score: 25, flags: ['DOCUMENT_ON_SCREEN'] });
  });

  it('expects two seconds for every started step', () => {
    expect(evaluate([], { captureMs: 3_999, stepsStarted: 2 }).flags).toEqual(['BEHAVIOR_CAPTURE_TOO_FAST']);
    expect(evaluate([], { captureMs: 4_000, stepsStarted: 2 }).flags).toEqual([]);
    expect(evaluate([], { captureMs: 1_999, stepsStarted: 0 }).flags).toEqual(['BEHAVIOR_CAPTURE_TOO_FAST']);
  });

  it('blocks a replayed and an out-of-plan answer, however calm the rest', () => {
    expect(evaluate([], { replayAttempts: 1 })).toMatchObject({ level: 'CRITICAL', recommendation: 'BLOCK' });
    expect(evaluate([], { outOfPlanAnswers: 1 })).toMatchObject({ level: 'CRITICAL', recommendation: 'BLOCK' });
  });

  it('blocks answers faster than a human', () => {
    expect(evaluate([], { captureMs: 700, challengeMs: [40, 55, 41] }).recommendation).toBe('BLOCK');
  });

  it('finds nothing without measurements, and refuses non-finite numbers', () => {
    expect(evaluate([], { captureMs: null, challengeMs: [], handoffMs: [] }).flags).toEqual([]);
    const risk = evaluate([], { captureMs: Number.NaN, logOverrunMs: Number.NaN });
    expect(risk.flags).toEqual(['BEHAVIOR_CAPTURE_TOO_FAST', 'BEHAVIOR_LOG_TOO_LONG']);
  });
});
